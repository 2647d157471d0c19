package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

func TestKernelsAgreeWithTheirFormulas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, ref := range references {
		t.Run(ref.text, func(t *testing.T) {
			k := mustParse(t, ref.text)
			if k.String() != ref.text {
				t.Errorf("String is %q", k)
			}
			for _, d := range []int{1, 2, 5, 20} {
				x, y := normal(rng, 40, d, 1), normal(rng, 133, d, 0)
				copy(row(x, 3), row(y, 7)) // one distance of zero
				clear(row(x, 5))           // one zero row
				a := tile(k, x, y)
				for i := range x.Rows {
					for j := range y.Rows {
						got, want := row(a, i)[j], ref.value(row(x, i), row(y, j))
						if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
							t.Fatalf("d=%d: entry [%d,%d] = %v, want %v", d, i, j, got, want)
						}
					}
				}
			}
		})
	}
}

func TestEveryBuiltinHasAReference(t *testing.T) {
	seen := map[string]bool{}
	var texts []string
	for _, ref := range append(references, divergenceReferences...) {
		texts = append(texts, ref.text)
	}
	for _, ref := range dividedReferences {
		texts = append(texts, ref.text)
	}
	for _, text := range texts {
		for a := range eachAtom(mustParse(t, text).terms) {
			seen[a.spec.name] = true
		}
	}
	for _, b := range Builtins() {
		if !seen[b.Name] && b.Name != "relative" { // relative has no entries
			t.Errorf("no reference formula for %s", b.Name)
		}
	}
}

// TestEntriesDependOnTheirRowsAlone: an entry has the same bits in any tile that holds its two rows, and with the rows
// exchanged.
func TestEntriesDependOnTheirRowsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var w Workspace
	for _, ref := range references {
		k := mustParse(t, ref.text)
		x := normal(rng, 70, 7, 0)
		whole := tile(k, x, x)
		diag := make([]float64, x.Rows)
		k.Diag(diag, x)
		for i := range x.Rows {
			if !same(diag[i], row(whole, i)[i]) {
				t.Errorf("%s: diagonal %d is %v, in the tile %v", ref.text, i, diag[i], row(whole, i)[i])
			}
			for j := range i {
				if a, b := row(whole, i)[j], row(whole, j)[i]; !same(a, b) {
					t.Errorf("%s: [%d,%d] = %v but [%d,%d] = %v", ref.text, i, j, a, j, i, b)
				}
			}
		}
		for range 10 {
			i, j := rng.IntN(x.Rows), rng.IntN(x.Rows)
			m, n := 1+rng.IntN(x.Rows-i), 1+rng.IntN(x.Rows-j)
			part := matrix.New(m, n)
			k.Fill(part, matrix.Rows(x, i, m), k.Pack(matrix.Rows(x, j, n)), &w)
			for a := range m {
				for b := range n {
					if got, want := row(part, a)[b], row(whole, i+a)[j+b]; !same(got, want) {
						t.Fatalf("%s: tile %d×%d at (%d,%d): [%d,%d] = %v, in the whole %v", ref.text, m, n, i, j, a, b, got, want)
					}
				}
			}
		}
	}
}

const guard = -12345.678

// FuzzFill compares tiles of odd shapes with single entries, and checks the memory around the tile.
func FuzzFill(f *testing.F) {
	for i := range references {
		f.Add(uint64(i), i, i*7%40, i*31%140, i%6, i%3)
	}
	f.Add(uint64(1), 4, 0, 3, 2, 1)
	f.Add(uint64(1), 4, 3, 0, 2, 1)
	f.Add(uint64(1), 4, 33, 129, 0, 2)
	f.Fuzz(func(t *testing.T, seed uint64, which, n, m, d, pad int) {
		ref := references[uint(which)%uint(len(references))]
		n, m, d, pad = n&63, m&255, d&15, pad&3
		rng := rand.New(rand.NewPCG(seed, 3))
		x, y := normal(rng, n, d, pad), normal(rng, m, d, 2*pad)
		all := make([]float64, 5+n*(m+pad)+5)
		for i := range all {
			all[i] = guard
		}
		dst := blas64.General{Rows: n, Cols: m, Stride: max(1, m+pad), Data: all[5:]}
		k := mustParse(t, ref.text)
		k.Fill(dst, x, k.Pack(y), nil)
		for i, got := range all {
			at := i - 5
			if at < 0 || at/dst.Stride >= n || at%dst.Stride >= m {
				if got != guard {
					t.Fatalf("word %d outside the %d×%d tile was overwritten", at, n, m)
				}
				continue
			}
			want := ref.value(row(x, at/dst.Stride), row(y, at%dst.Stride))
			if math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Fatalf("%s: entry %d = %v, want %v", ref.text, at, got, want)
			}
		}
	})
}

func TestEachBaseIsComputedOnce(t *testing.T) {
	calls := 0
	p := Profile{Name: "counted", Base: SquaredDistance, F: func(v float64) float64 { calls++; return v }}
	k := Product(New(p), Sum(RBF(1), Linear()))
	x := normal(rand.New(rand.NewPCG(1, 2)), 3, 2, 0)
	var w Workspace
	dst := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 9)}
	k.Fill(dst, x, k.Pack(x), &w)
	if calls != 9 {
		t.Errorf("the profile was called %d times for 9 entries", calls)
	}
	if w.bases[L1Distance] != nil || w.bases[CosineSimilarity] != nil {
		t.Error("a base was computed that the kernel does not need")
	}
}

func TestFillAllocatesNothingOnceWarm(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(1, 2)), 50, 3, 0)
	for _, ref := range references {
		k := mustParse(t, ref.text)
		p, dst := k.Pack(x), blas64.General{Rows: 50, Cols: 50, Stride: 50, Data: make([]float64, 2500)}
		var w Workspace
		k.Fill(dst, x, p, &w)
		if n := testing.AllocsPerRun(5, func() { k.Fill(dst, x, p, &w) }); n > 0 {
			t.Errorf("%s: %v allocations a tile", ref.text, n)
		}
	}
}

func TestProgrammerMistakesPanic(t *testing.T) {
	m := func(rows, cols int) blas64.General { return normal(rand.New(rand.NewPCG(1, 1)), rows, cols, 0) }
	rbf := RBF(1)
	identity := func(v float64) float64 { return v }
	calls := map[string]func(){
		"tile shape":        func() { rbf.Fill(m(2, 2), m(2, 3), rbf.Pack(m(3, 3)), nil) },
		"row length":        func() { rbf.Fill(m(2, 3), m(2, 4), rbf.Pack(m(3, 3)), nil) },
		"panel of another":  func() { rbf.Fill(m(2, 3), m(2, 3), Linear().Pack(m(3, 3)), nil) },
		"unresolved":        func() { k, _ := Parse("rbf()"); k.Fill(m(2, 3), m(2, 3), k.Pack(m(3, 3)), nil) },
		"diagonal length":   func() { rbf.Diag(make([]float64, 2), m(3, 3)) },
		"zero kernel":       func() { Kernel{}.Diag(nil, m(0, 3)) },
		"negative gamma":    func() { RBF(-1) },
		"degree zero":       func() { Poly(0, 1, 1) },
		"zero weight":       func() { Scale(0, rbf) },
		"infinite weight":   func() { Product(Scale(1e300, rbf), Scale(1e300, rbf)) },
		"empty sum":         func() { Sum() },
		"profile name":      func() { New(Profile{Name: "my kernel", F: identity}) },
		"profile of a name": func() { New(Profile{Name: "rbf", F: identity}) },
		"no function":       func() { New(Profile{Name: "mine"}) },
		"unknown base":      func() { New(Profile{Name: "mine", Base: 17, F: identity}) },
		"same name twice": func() {
			p := Profile{Name: "mine", F: identity}
			_, _ = Parse("mine()", p, p)
		},
		"map lengths": func() { ElementMap{}.Apply(make([]float64, 1), make([]float64, 2)) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}
