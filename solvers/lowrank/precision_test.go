package lowrank

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// singleMethods returns the methods in float32 and, for comparison, in float64.
func singleMethods(p Precision, threads int) map[string]func(src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	ctx, e := context.Background(), stream.Engine{Threads: threads, BlockRows: 128}
	return map[string]func(stream.Source, kernelgen.Kernel) (*Fit, error){
		"s3spsd": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			return S3SPSD{Rank: 20, Seed: 1, Precision: p}.Fit(ctx, e, model.Sources{Left: s}, k)
		},
		"ssrsvd": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			return SSRSVD{Rank: 20, Seed: 1, Precision: p}.Fit(ctx, e, model.Sources{Left: s}, k)
		},
		"landmark": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			return Landmark{Rank: 20, Seed: 1, Precision: p}.Fit(ctx, e, model.Sources{Left: s}, k)
		},
		"nystrom": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			return Nystrom{Rank: 20, Choice: ChoicePivoted, Seed: 1, Precision: p}.Fit(ctx, e, model.Sources{Left: s}, k)
		},
		"unshifted": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			m := unshiftedLandmark(20, 1)
			m.Precision = p
			return m.Fit(ctx, e, model.Sources{Left: s}, k)
		},
		"rectangular": func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
			return Landmark{Rank: 20, Seed: 1, Precision: p}.Fit(ctx, e, model.Sources{Left: s, Right: s}, k)
		},
	}
}

// shiftedRows adds a number to every entry.
func shiftedRows(m blas64.General, by float64) blas64.General {
	return filled(m.Rows, m.Cols, func(i, j int) float64 { return m.Data[i*m.Stride+j] + by })
}

// TestSinglePrecision: fits in float32 are as accurate as in float64, wherever
// the data lie, their factors are as orthonormal, and they come back from a file
// as they were.
func TestSinglePrecision(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for by, texts := range map[float64][]string{1e6: {"rbf(gamma=2)", "0.5*matern52(length=1) + cauchy(length=2)"}, 0: {"laplace(gamma=0.5)"}} {
		x := shiftedRows(clusters(200, 5, 3), by)
		src := stream.FromMatrix("x", x)
		for _, text := range texts[:fewer(len(texts), 1)] {
			k, err := kernelgen.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			a := kernelMatrix(k, x, x)
			double := singleMethods(Float64, 0)
			for name, fit := range singleMethods(Float32, 0) {
				f, err := fit(src, k)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, text, err)
				}
				want, err := double[name](src, k)
				if err != nil {
					t.Fatal(err)
				}
				got, wanted := frobeniusError(t, f.Model, x, a), frobeniusError(t, want.Model, x, a)
				if math.Abs(got-wanted) > 1e-3*wanted+2*f.PrecisionBound {
					t.Errorf("%s, %s, shifted by %g: error %g in float32, %g in float64", name, text, by, got, wanted)
				}
				if !(f.PrecisionBound > 0x1p-24 && f.PrecisionBound < 1e-5) || want.PrecisionBound != 0 {
					t.Errorf("%s, %s: bound %g, in float64 %g", name, text, f.PrecisionBound, want.PrecisionBound)
				}
				if err := f.Refine(ctx, stream.Engine{}, model.Sources{Left: src}); err != nil {
					t.Fatal(err)
				}
				for _, side := range []*Embedding{f.Left, f.right()} {
					if e := orthogonalityError(factors(t, f.Model, side, x)); !(e <= 1e-12) {
						t.Errorf("%s, %s: max|UᵀU−I| = %g", name, text, e)
					}
				}
				checkReload(t, name, f, x)
			}
		}
	}
}

// frobeniusError returns ‖A − Â‖/‖A‖ of the model of the kernel matrix a of x.
func frobeniusError(t *testing.T, m *Model, x, a blas64.General) float64 {
	t.Helper()
	rest := difference(a, approximation(m, factors(t, m, m.Left, x), factors(t, m, m.right(), x)))
	return dense.Frobenius(rest) / dense.Frobenius(a)
}

// checkReload saves and loads a model in float32: it embeds with the same bits,
// and with others once its header forgets the precision.
func checkReload(t *testing.T, name string, f *Fit, x blas64.General) {
	t.Helper()
	m, file := reload(t, f.Model)
	var h header
	file.ReadHeader(&h)
	if h.Precision != "float32" {
		t.Errorf("%s: the header says precision %q", name, h.Precision)
	}
	want := factors(t, f.Model, f.Left, x)
	if !slices.Equal(want.Data, factors(t, m, m.Left, x).Data) {
		t.Errorf("%s: the embedding changed on its way", name)
	}
	h.Precision = ""
	old, err := Load(withHeader(t, file, h))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(want.Data, factors(t, old, old.Left, x).Data) {
		t.Errorf("%s: a model without a precision embeds in float32", name)
	}
	h.Precision = "float16"
	if _, err := Load(withHeader(t, file, h)); err == nil || !strings.Contains(err.Error(), "float16") {
		t.Errorf("%s: precision float16 gives %v", name, err)
	}
}

// TestSingleSameBits: for any number of threads and any read size.
func TestSingleSameBits(t *testing.T) {
	t.Parallel()
	x := clusters(650, 5, 11)
	k := kernelgen.RBF(3)
	run := func(threads int, sizes []int) map[string]string {
		out := map[string]string{}
		src := stream.Source(choppy{stream.FromMatrix("x", x), sizes})
		for name, fit := range singleMethods(Float32, threads) {
			f, err := fit(src, k)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Refine(context.Background(), stream.Engine{Threads: threads, BlockRows: 128}, model.Sources{Left: src}); err != nil {
				t.Fatal(err)
			}
			out[name] = saved(f.Model)
		}
		return out
	}
	want := run(1, []int{1 << 20})
	for _, threads := range []int{3} {
		if diff := cmp.Diff(want, run(threads, []int{1, 7, 300, 513})); diff != "" {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
}

// TestSinglePrecisionRefuses: tiles farther off than the sketch, numbers out of
// range, and too few rows to tell are errors that say what to do.
func TestSinglePrecisionRefuses(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	base := clusters(600, 3, 8)
	for _, c := range []struct {
		name   string
		x      blas64.General
		k      kernelgen.Kernel
		before bool // the pass
	}{
		{"exact rank", base, kernelgen.Linear(), false},
		{"nothing to see", base, kernelgen.RBF(1e-12), false},
		{"out of range", scaled(base, 1e30), kernelgen.Linear(), true},
		{"rows out of range", scaled(base, 1e39), kernelgen.RBF(1e-77), true},
		{"below the range", scaled(base, 1e-25), kernelgen.Linear(), true},
		{"near the origin of many", shiftedRows(base, 1e9), kernelgen.Sigmoid(1e-9, -3e9), true},
	} {
		src := stream.NewCounted(stream.FromMatrix("x", c.x))
		for name, fit := range singleMethods(Float32, 0) {
			if name == "s3spsd" && !c.k.PositiveSemiDefinite() {
				continue
			}
			before := src.Passes()
			_, err := fit(src, c.k)
			var refused *PrecisionError
			if !errors.As(err, &refused) {
				t.Errorf("%s, %s: %v", c.name, name, err)
				continue
			}
			if c.before != math.IsInf(refused.Estimate, 1) || c.before != (src.Passes() == before) {
				t.Errorf("%s, %s: bound %g, estimate %g after %d passes", c.name, name, refused.Bound, refused.Estimate, src.Passes()-before)
			}
		}
	}
}

// TestSinglePrecisionNamesTheRow: a row out of range that no gathered row
// foretold is an error with its place, not a NaN in the model.
func TestSinglePrecisionNamesTheRow(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x := clusters(5000, 3, 8)
	k, err := kernelgen.Parse("poly(degree=2,gamma=1)")
	if err != nil {
		t.Fatal(err)
	}
	gathered := map[int64]bool{}
	src := stream.FromMatrix("x", x)
	for _, fit := range singleMethods(Float32, 0) {
		f, err := fit(src, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []*Embedding{f.Left, f.right()} {
			for _, r := range side.Rows {
				gathered[r] = true
			}
		}
	}
	for name, fit := range singleMethods(Float32, 0) {
		found := false
		for row := int64(0); row < 5000 && !found; row += 7 {
			if gathered[row] {
				continue
			}
			spoiled := filled(5000, 3, func(i, j int) float64 {
				if int64(i) == row {
					return 1e38
				}
				return x.Data[i*x.Stride+j]
			})
			_, err := fit(stream.FromMatrix("x", spoiled), k)
			var place *stream.BadValueError
			var refused *PrecisionError
			switch {
			case errors.As(err, &refused): // a core point or held back
			case errors.As(err, &place) && place.Row == row && strings.Contains(place.Reason, "float32"):
				found = true
			default:
				t.Fatalf("%s, row %d: %v", name, row, err)
			}
		}
		if !found {
			t.Errorf("%s: no row was found that only the pass sees", name)
		}
	}
}
