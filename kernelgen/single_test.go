package kernelgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// singleTile returns the kernel between all rows of x and y, in float32.
func singleTile(k Kernel, x, y blas64.General, centre []float64) blas32.General {
	dst := blas32.General{Rows: x.Rows, Cols: y.Rows, Stride: max(1, y.Rows), Data: make([]float32, x.Rows*y.Rows)}
	k.FillSingle(dst, x, k.PackSingle(y, centre), nil)
	return dst
}

// mean returns the mean row.
func mean(x blas64.General) []float64 {
	m := make([]float64, x.Cols)
	for i := range x.Rows {
		for k, v := range row(x, i) {
			m[k] += v / float64(x.Rows)
		}
	}
	return m
}

// singleData are rows of which float32 sees more or less.
var singleData = map[string]func(rng *rand.Rand, rows, d int) blas64.General{
	"normal": func(rng *rand.Rand, rows, d int) blas64.General { return normal(rng, rows, d, 1) },
	"shifted by 1e6": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return v + 1e6 })
	},
	"clusters": func(rng *rand.Rand, rows, d int) blas64.General {
		x := normal(rng, rows, d, 0)
		for i := range rows {
			for k := range row(x, i) {
				row(x, i)[k] = 1e-3*row(x, i)[k] + float64((i+k)%5)
			}
		}
		return x
	},
	"wide range": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return v * math.Exp(10*rng.NormFloat64()) })
	},
	"all ranges": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return v * math.Exp(60*rng.NormFloat64()) })
	},
	"tiny": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return v * 1e-22 })
	},
	"subnormal": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return v * 1e-43 })
	},
	"one row out of range": func(rng *rand.Rand, rows, d int) blas64.General {
		x := normal(rng, rows, d, 0)
		for k := range row(x, rows/2) {
			row(x, rows/2)[k] *= 1e20
		}
		return x
	},
}

func changed(x blas64.General, f func(float64) float64) blas64.General {
	for i, v := range x.Data {
		x.Data[i] = f(v)
	}
	return x
}

// singleKernels returns every formula, and every kernel with a bandwidth that fits
// the data.
func singleKernels(t *testing.T, x blas64.General) []Kernel {
	var all []Kernel
	texts := []string{"rbf(gamma=median)", "laplace(gamma=median)", "exponential(gamma=median)", "matern52(length=median)",
		"rq(length=median)", "cauchy(length=median)", "csrbf(sigma2=median)", "poly(gamma=median)", "sigmoid(gamma=median)",
		"poly(degree=9, gamma=0.1, coef0=-1)", "rbf(gamma=1e300)", "rbf(gamma=1e-300)", "expdot(scale=30)"}
	for _, ref := range references {
		texts = append(texts, ref.text)
	}
	for _, text := range texts {
		k, err := mustParse(t, text).Resolve(x)
		if err != nil {
			continue // a median of 0 or infinity
		}
		all = append(all, k)
	}
	return all
}

// TestSingleBound: no entry in float32 is farther from that in float64 than the
// bound says, for every kernel and path, with and without a centre.
func TestSingleBound(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	for _, path := range simd.Available() {
		restore := simd.Use(path)
		for name, rows := range singleData {
			for _, d := range []int{1, 2, 7, 20, 130} {
				rng := rand.New(rand.NewPCG(uint64(d), 1))
				x, y := rows(rng, 11, d), rows(rng, 40, d)
				copy(row(x, 3), row(y, 7))
				clear(row(x, 5))
				for _, k := range singleKernels(t, y) {
					for _, centre := range [][]float64{nil, mean(y)} {
						checkSingleBound(t, name, k, x, y, centre)
					}
				}
			}
		}
		restore()
	}
}

func checkSingleBound(t *testing.T, name string, k Kernel, x, y blas64.General, centre []float64) {
	t.Helper()
	want, got := tile(k, x, y), singleTile(k, x, y, centre)
	bounds := dense(make([]float64, x.Rows*y.Rows), x.Rows, y.Rows)
	entries := dense(make([]float64, x.Rows*y.Rows), x.Rows, y.Rows)
	k.SingleBounds(y, centre).Fill(bounds, entries, x)
	for i, b := range bounds.Data {
		if w := want.Data[i]; !same(w, entries.Data[i]) && w == w {
			t.Fatalf("%v: entry %v beside the bound, %v in the tile", k, entries.Data[i], w)
		}
		if e := math.Abs(float64(got.Data[i]) - want.Data[i]); !(e <= b) && !math.IsInf(b, 1) {
			t.Errorf("%v, %s, d=%d, %v: entry %v in float32, %v in float64, bound %g", k, name, x.Cols, simd.Active(), got.Data[i], want.Data[i], b)
			return
		}
	}
}

// TestSingleBoundIsNear: the bound is not far above the error.
func TestSingleBoundIsNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	x, y := normal(rng, 100, 20, 0), normal(rng, 150, 20, 0)
	for _, k := range singleKernels(t, y) {
		want, got := tile(k, x, y), singleTile(k, x, y, mean(y))
		bounds := dense(make([]float64, 100*150), 100, 150)
		k.SingleBounds(y, mean(y)).Fill(bounds, want, x)
		worst, bound, largest := 0.0, slices.Max(bounds.Data), 0.0
		for i, w := range want.Data {
			worst = max(worst, math.Abs(float64(got.Data[i])-w))
			largest = max(largest, math.Abs(w))
		}
		t.Logf("%v: largest entry %.3g, error %.3g, bound %.3g", k, largest, worst/largest, bound/largest)
		if largest > 1e-3 && worst > 1e-9*largest && bound > 200*worst {
			t.Errorf("%v: error %g, bound %g", k, worst, bound)
		}
	}
}

// TestCentreKeepsDigits: rows shifted by 1e4 lose three digits in float32, and
// none with a centre.
func TestCentreKeepsDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := changed(normal(rng, 100, 20, 0), func(v float64) float64 { return v + 1e4 })
	k, want := RBF(0.05), tile(RBF(0.05), x, x)
	for _, c := range []struct {
		centre      []float64
		most, least float64
	}{{mean(x), 1e-6, 0}, {nil, 1e-2, 1e-4}} {
		got := singleTile(k, x, x, c.centre)
		worst := 0.0
		for i, w := range want.Data {
			worst = max(worst, math.Abs(float64(got.Data[i])-w))
		}
		bounds := dense(make([]float64, 100*100), 100, 100)
		k.SingleBounds(x, c.centre).Fill(bounds, want, x)
		t.Logf("centred %v: error %.3g, bound %.3g", c.centre != nil, worst, slices.Max(bounds.Data))
		if worst > c.most || worst < c.least {
			t.Errorf("centred %v: error %g", c.centre != nil, worst)
		}
	}
}

// TestSingleRefusesWhatDoesNotFit: rows, sums and entries beyond float32 have an
// infinite bound, unless the kernel does not care.
func TestSingleRefusesWhatDoesNotFit(t *testing.T) {
	one, far := dense([]float64{1, 1}, 1, 2), dense([]float64{1e20, 1}, 1, 2)
	beyond := dense([]float64{1e39, 1}, 1, 2)
	for _, c := range []struct {
		k        Kernel
		x, y     blas64.General
		infinite bool
	}{
		{RBF(1), far, one, false}, // 0, and 0 in float32
		{Multiquadric(1), far, one, true},
		{Linear(), far, one, false},
		{Linear(), far, far, true},
		{Poly(3, 1, 1), far, one, true},
		{Poly(3, 1, 1), one, one, false},
		{RBF(1), beyond, one, true},
		{Linear(), beyond, one, true},
		{Cosine(), beyond, one, false},
		{Scale(1e40, RBF(1)), one, one, true},
		{ExpDot(60), one, one, true},
	} {
		b, entry := dense([]float64{0}, 1, 1), dense([]float64{0}, 1, 1)
		c.k.SingleBounds(c.y, nil).Fill(b, entry, c.x)
		if math.IsInf(b.Data[0], 1) != c.infinite || b.Data[0] < 0 {
			t.Errorf("%v between %v and %v: bound %v", c.k, c.x.Data, c.y.Data, b.Data[0])
		}
	}
}

// TestSingleEntriesDependOnTheirRowsAlone: as in float64.
func TestSingleEntriesDependOnTheirRowsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	var w Workspace
	for _, ref := range references {
		k := mustParse(t, ref.text)
		x := normal(rng, 170, 7, 0)
		centre := mean(x)
		whole := singleTile(k, x, x, centre)
		for i := range x.Rows {
			for j := range i {
				if a, b := whole.Data[i*170+j], whole.Data[j*170+i]; math.Float32bits(a) != math.Float32bits(b) {
					t.Fatalf("%s: [%d,%d] = %v but [%d,%d] = %v", ref.text, i, j, a, j, i, b)
				}
			}
		}
		for range 10 {
			i, j := rng.IntN(x.Rows), rng.IntN(x.Rows)
			m, n := 1+rng.IntN(x.Rows-i), 1+rng.IntN(x.Rows-j)
			part := blas32.General{Rows: m, Cols: n, Stride: n, Data: make([]float32, m*n)}
			k.FillSingle(part, rowRange(x, i, i+m), k.PackSingle(rowRange(x, j, j+n), centre), &w)
			for a := range m {
				for b := range n {
					if got, want := part.Data[a*n+b], whole.Data[(i+a)*170+j+b]; math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%s: tile %d×%d at (%d,%d): [%d,%d] = %v, in the whole %v", ref.text, m, n, i, j, a, b, got, want)
					}
				}
			}
		}
	}
}

// FuzzFillSingle looks at tiles of odd shapes: entries within the bound, and the
// words around the tile.
func FuzzFillSingle(f *testing.F) {
	for i := range references {
		f.Add(uint64(i), i, i*7%40, i*31%140, i%6, i%3)
	}
	f.Add(uint64(1), 4, 0, 3, 2, 1)
	f.Add(uint64(1), 4, 3, 0, 2, 1)
	f.Add(uint64(1), 4, 33, 129, 0, 2)
	f.Fuzz(func(t *testing.T, seed uint64, which, n, m, d, pad int) {
		k := mustParse(t, references[uint(which)%uint(len(references))].text)
		n, m, d, pad = n&63, m&255, d&15, pad&3
		rng := rand.New(rand.NewPCG(seed, 3))
		x, y := normal(rng, n, d, pad), normal(rng, m, d, 2*pad)
		all := make([]float32, 5+n*(m+pad)+5)
		for i := range all {
			all[i] = guard
		}
		dst := blas32.General{Rows: n, Cols: m, Stride: max(1, m+pad), Data: all[5:]}
		k.FillSingle(dst, x, k.PackSingle(y, nil), nil)
		want, bounds := tile(k, x, y), dense(make([]float64, n*m), n, m)
		k.SingleBounds(y, nil).Fill(bounds, want, x)
		for i, got := range all {
			at := i - 5
			if at < 0 || at/dst.Stride >= n || at%dst.Stride >= m {
				if got != guard {
					t.Fatalf("word %d outside the %d×%d tile was overwritten", at, n, m)
				}
				continue
			}
			place := at/dst.Stride*m + at%dst.Stride
			if e := math.Abs(float64(got) - want.Data[place]); !(e <= bounds.Data[place]) {
				t.Fatalf("%v: entry %d = %v, want %v within %g", k, at, got, want.Data[place], bounds.Data[place])
			}
		}
	})
}

func TestFillSingleAllocatesNothingOnceWarm(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(1, 2)), 50, 3, 0)
	for _, ref := range references {
		k := mustParse(t, ref.text)
		p, dst := k.PackSingle(x, nil), blas32.General{Rows: 50, Cols: 50, Stride: 50, Data: make([]float32, 2500)}
		var w Workspace
		k.FillSingle(dst, x, p, &w)
		if n := testing.AllocsPerRun(5, func() { k.FillSingle(dst, x, p, &w) }); n > 0 {
			t.Errorf("%s: %v allocations a tile", ref.text, n)
		}
	}
}

func TestSingleMistakesPanic(t *testing.T) {
	m := func(rows, cols int) blas64.General { return normal(rand.New(rand.NewPCG(1, 1)), rows, cols, 0) }
	s := func(rows, cols int) blas32.General {
		return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
	}
	rbf := RBF(1)
	calls := map[string]func(){
		"tile shape":       func() { rbf.FillSingle(s(2, 2), m(2, 3), rbf.PackSingle(m(3, 3), nil), nil) },
		"row length":       func() { rbf.FillSingle(s(2, 3), m(2, 4), rbf.PackSingle(m(3, 3), nil), nil) },
		"panel of another": func() { rbf.FillSingle(s(2, 3), m(2, 3), Linear().PackSingle(m(3, 3), nil), nil) },
		"length of centre": func() { rbf.PackSingle(m(3, 3), make([]float64, 2)) },
		"bound":            func() { rbf.SingleBounds(m(3, 3), nil).Fill(m(2, 2), m(2, 3), m(2, 3)) },
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
