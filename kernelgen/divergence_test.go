package kernelgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// divergence returns KL(x‖z) by definition.
func divergence(x, z []float64) float64 {
	logs := func(v []float64) []float64 { // of the shares
		largest, total := 0.0, 0.0
		for _, a := range v {
			largest = max(largest, a)
		}
		for _, a := range v {
			total += a / largest
		}
		out := make([]float64, len(v))
		for l, a := range v {
			out[l] = math.Log(a / largest / total)
			if a/largest < 1e-300 {
				out[l] = math.Log(a*0x1p100) - 100*math.Ln2 - math.Log(largest) - math.Log(total)
			}
		}
		return out
	}
	p, q, sum := logs(x), logs(z), 0.0
	for l := range x {
		switch {
		case x[l] == 0:
		case z[l] == 0:
			return math.Inf(1)
		default:
			sum += math.Exp(p[l]) * (p[l] - q[l])
		}
	}
	return sum
}

// divergenceReferences are asymmetric kernels and their formulas.
var divergenceReferences = []reference{
	{"kl(a=1)", func(x, z []float64) float64 { return math.Exp(-divergence(x, z)) }, false},
	{"kl(a=0.05)", func(x, z []float64) float64 { return math.Exp(-0.05 * divergence(x, z)) }, false},
	{"2*kl(a=3)", func(x, z []float64) float64 { return 2 * math.Exp(-3*divergence(x, z)) }, false},
	{"0.5*linear()*kl(a=1) + cosine() + kl(a=0.2)", func(x, z []float64) float64 {
		return 0.5*inner(x, z)*math.Exp(-divergence(x, z)) + inner(x, z)/math.Sqrt(inner(x, x)*inner(z, z)) + math.Exp(-0.2*divergence(x, z))
	}, false},
}

// probabilities returns rows that sum to 1.
func probabilities(rng *rand.Rand, rows, d int) blas64.General {
	x := normal(rng, rows, d, 0)
	for i := range rows {
		r, sum := row(x, i), 0.0
		for l, v := range r {
			r[l] = math.Exp(v)
			sum += r[l]
		}
		for l := range r {
			r[l] /= sum
		}
	}
	return x
}

// divergenceData returns rows with few zeros, or many, and of any sum.
var divergenceData = map[string]func(rng *rand.Rand, rows, d int) blas64.General{
	"probabilities": probabilities,
	"sums of 1e-70 to 1e70": func(rng *rand.Rand, rows, d int) blas64.General {
		x := probabilities(rng, rows, d)
		for i := range rows {
			scale := math.Pow(10, 140*rng.Float64()-70)
			for l := range row(x, i) {
				row(x, i)[l] *= scale
			}
		}
		return x
	},
	"zeros": func(rng *rand.Rand, rows, d int) blas64.General {
		x := probabilities(rng, rows, d)
		for i := range rows {
			kept := rng.IntN(d)
			for l := range row(x, i) {
				if l != kept && rng.Float64() < 0.3 {
					row(x, i)[l] = 0
				}
			}
		}
		return x
	},
	"graph": func(rng *rand.Rand, rows, d int) blas64.General { // a few ones in each row
		x := matrix.New(rows, d)
		for i := range rows {
			for range 1 + rng.IntN(3) {
				row(x, i)[rng.IntN(d)] = 1
			}
		}
		return x
	},
	"peaked": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 2), func(v float64) float64 { return math.Exp(60 * v) })
	},
	"near each other": func(rng *rand.Rand, rows, d int) blas64.General {
		return changed(normal(rng, rows, d, 0), func(v float64) float64 { return 1 + 1e-7*v })
	},
}

func TestDivergencesAgreeWithTheirFormula(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	for _, path := range simd.Available() {
		restore := simd.Use(path)
		for name, data := range divergenceData {
			for _, ref := range divergenceReferences {
				k := mustParse(t, ref.text)
				if k.String() != ref.text {
					t.Errorf("String is %q", k)
				}
				rng := rand.New(rand.NewPCG(21, 1))
				for _, d := range []int{1, 2, 7, 40} {
					x, z := data(rng, 35, d), data(rng, 133, d)
					copy(row(x, 3), row(z, 7)) // a divergence of zero
					checkTile(t, name, ref, tile(k, x, z), x, z)
				}
			}
		}
		restore()
	}
}

// checkTile compares a tile with a formula, up to the rounding of sums of logarithms up to 1500. Entries that are 0 by
// definition must be 0. (math.Exp underflows slightly early on arm64.)
func checkTile(t *testing.T, name string, ref reference, a, x, z blas64.General) {
	t.Helper()
	for i := range x.Rows {
		for j := range z.Rows {
			got, want := row(a, i)[j], ref.value(row(x, i), row(z, j))
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) || want == 0 && math.Abs(got) > 1e-322 {
				t.Fatalf("%s, %s, d=%d, %v: entry [%d,%d] = %v, want %v", ref.text, name, x.Cols, simd.Active(), i, j, got, want)
			}
		}
	}
}

// TestDivergenceIsAccurateInItself tests the divergence, not only its exponential.
func TestDivergenceIsAccurateInItself(t *testing.T) {
	k := New(Profile{Name: "divergence", Base: KLDivergence, F: func(v float64) float64 { return v }})
	for name, data := range divergenceData {
		rng := rand.New(rand.NewPCG(22, 1))
		x, z := data(rng, 20, 9), data(rng, 30, 9)
		a := tile(k, x, z)
		for i := range x.Rows {
			for j := range z.Rows {
				got, want := row(a, i)[j], divergence(row(x, i), row(z, j))
				if got != want && !(math.Abs(got-want) <= 1e-14+1e-13*want) || got < 0 {
					t.Fatalf("%s: divergence [%d,%d] = %v, want %v", name, i, j, got, want)
				}
			}
		}
	}
}

// TestDivergenceOfAnyPositiveNumbers draws rows from the ends of the range of float64: shares that underflow still
// count against a zero.
func TestDivergenceOfAnyPositiveNumbers(t *testing.T) {
	entry := rapid.SampledFrom([]float64{0, 0, math.SmallestNonzeroFloat64, 1e-310, 1e-300, 1e-200, 1e-17, 0.1, 1, 3, 1e17, 1e300, math.MaxFloat64})
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		draw := func(name string) blas64.General {
			r := rapid.SliceOfN(entry, d, d).Filter(func(v []float64) bool { return slices.Max(v) > 0 }).Draw(t, name)
			return matrix.Of(r, 1, d)
		}
		x, z := draw("x"), draw("z")
		for _, a := range []float64{5e-324, 1e-3, 1} {
			want := math.Exp(-a * divergence(x.Data, z.Data))
			if got := tile(KL(a), x, z).Data[0]; !(math.Abs(got-want) <= 1e-9) || math.IsInf(divergence(x.Data, z.Data), 1) && got != 0 {
				t.Fatalf("a=%v: %v, want %v", a, got, want)
			}
		}
	})
}

func TestDivergenceByHand(t *testing.T) {
	x := matrix.Of([]float64{1, 0, 0, 1, 1, 0, 1, 2, 1}, 3, 3)
	z := matrix.Of([]float64{2, 0, 0, 3, 3, 0, 0, 5, 5}, 3, 3)
	want := []float64{1, 0.5, 0, 0, 1, 0, 0, 0, 0}
	for i, v := range tile(KL(1), x, z).Data {
		if math.Abs(v-want[i]) > 1e-15 || want[i] == 0 && v != 0 {
			t.Errorf("entry %d is %v, want %v", i, v, want[i])
		}
	}
}

// TestDivergencesDependOnTheirRowsAlone: an entry has the same bits in any tile that holds its two rows, and in Diag.
func TestDivergencesDependOnTheirRowsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	var w Workspace
	for name, data := range divergenceData {
		for _, ref := range divergenceReferences {
			k := mustParse(t, ref.text)
			x := data(rng, 70, 7)
			checkDiag(t, k, x)
			checkDiag(t, k, data(rng, 0, 7))
			whole := tile(k, x, x)
			for range 10 {
				i, j := rng.IntN(x.Rows), rng.IntN(x.Rows)
				m, n := 1+rng.IntN(x.Rows-i), 1+rng.IntN(x.Rows-j)
				part := matrix.New(m, n)
				k.Fill(part, matrix.Rows(x, i, m), k.Pack(matrix.Rows(x, j, n)), &w)
				for a := range m {
					for b := range n {
						if got, want := row(part, a)[b], row(whole, i+a)[j+b]; !same(got, want) {
							t.Fatalf("%s, %s: tile %d×%d at (%d,%d): [%d,%d] = %v, in the whole %v", ref.text, name, m, n, i, j, a, b, got, want)
						}
					}
				}
			}
		}
	}
}

// TestRowsThatAreNoProbabilities: invalid rows give NaN in tiles, and errors that name the place.
func TestRowsThatAreNoProbabilities(t *testing.T) {
	good := []float64{0.5, 0.25, 0.25}
	for says, bad := range map[string][]float64{
		"row 101: column 1 is -0.1":               {0.5, -0.1, 0.6},
		"row 101: column 2 is NaN":                {0.5, 0.5, math.NaN()},
		"row 101: column 0 is +Inf":               {math.Inf(1), 0, 0},
		"row 101: its sum is 0: kl(a=2) is betwe": {0, 0, 0},
	} {
		x := matrix.Of(append(append([]float64{}, good...), bad...), 2, 3)
		if err := KL(2).CheckRows(x, 100); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: error %v, want %q", bad, err, says)
		}
		if k, err := Sum(KL(2), Linear()).Resolve(x); err == nil || !strings.HasPrefix(err.Error(), "row 1: ") {
			t.Errorf("%v: %v resolves with error %v", bad, k, err)
		}
		if err := RBF(1).CheckRows(x, 0); err != nil {
			t.Errorf("%v: %v of a kernel that takes all rows", bad, err)
		}
		a := tile(KL(2), x, x)
		if !math.IsNaN(a.Data[1]) || !math.IsNaN(a.Data[2]) || !math.IsNaN(a.Data[3]) || math.Abs(a.Data[0]-1) > 1e-14 {
			t.Errorf("%v gives %v, want 1 and NaN", bad, a.Data)
		}
		checkDiag(t, KL(2), x)
	}
	if err := KL(1).CheckRows(matrix.Of([]float64{1, math.Copysign(0, -1)}, 1, 2), 0); err != nil {
		t.Error(err)
	}
	if _, err := mustParse(t, "kl").Resolve(blas64.General{Cols: 3, Stride: 3}); err != nil {
		t.Error(err)
	}
	none := matrix.Of(nil, 2, 0)
	if v := tile(KL(1), none, none).Data[0]; !math.IsNaN(v) || KL(1).CheckRows(none, 0) == nil {
		t.Errorf("rows without columns give %v", v)
	}
}

func TestDivergencesAllocateNothingOnceWarm(t *testing.T) {
	x := probabilities(rand.New(rand.NewPCG(1, 2)), 50, 3)
	for _, ref := range divergenceReferences {
		k := mustParse(t, ref.text)
		p, dst := k.Pack(x), matrix.Of(make([]float64, 2500), 50, 50)
		var w Workspace
		k.Fill(dst, x, p, &w)
		if n := testing.AllocsPerRun(5, func() { k.Fill(dst, x, p, &w) }); n > 0 {
			t.Errorf("%s: %v allocations a tile", ref.text, n)
		}
	}
}

// TestDivergenceFromSharesThatUnderflow: 5e-324/1e300 underflows to 0 in float64, but its logarithm is finite.
func TestDivergenceFromSharesThatUnderflow(t *testing.T) {
	x, z := matrix.Of([]float64{1, 1}, 1, 2), matrix.Of([]float64{math.SmallestNonzeroFloat64, 1e300}, 1, 2)
	want := 0.5*(1074*math.Ln2+300*math.Ln10) - math.Ln2
	if got := -math.Log(tile(KL(1e-3), x, z).Data[0]) / 1e-3; math.Abs(got-want) > 1e-10*want {
		t.Errorf("divergence %v, want %v", got, want)
	}
}

// changed returns f applied to each entry.
func changed(x blas64.General, f func(float64) float64) blas64.General {
	for i, v := range x.Data {
		x.Data[i] = f(v)
	}
	return x
}
