package lowrank

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// filled returns an n×d matrix with the entries f(i, j).
func filled(n, d int, f func(i, j int) float64) blas64.General {
	m := matrix.New(n, d)
	for i := range n {
		for j := range d {
			m.Data[i*d+j] = f(i, j)
		}
	}
	return m
}

// scaled returns w·m.
func scaled(m blas64.General, w float64) blas64.General {
	return filled(m.Rows, m.Cols, func(i, j int) float64 { return m.Data[i*m.Stride+j] * w })
}

// nastyCase is an input that breaks naive codes.
type nastyCase struct {
	name   string
	x      blas64.General
	k      kernelgen.Kernel
	refuse string // part of an allowed error; "" for none
}

func nastyCases() []nastyCase {
	base := clusters(80, 3, 5)
	duplicates := filled(80, 3, func(i, j int) float64 { return base.Data[(i%5)*3+j] })
	constant := filled(80, 3, func(i, j int) float64 { return []float64{base.Data[i*3], 4, base.Data[i*3+2]}[j] })
	outlier := filled(80, 3, func(i, j int) float64 {
		if i == 17 {
			return 1e12
		}
		return base.Data[i*3+j]
	})
	mixed := filled(80, 3, func(i, j int) float64 { return base.Data[i*3+j] * []float64{1e150, 1, 1e-150}[j] })
	hilbert := filled(80, 80, func(i, j int) float64 { return 1 / float64(i+j+1) })
	rank3 := filled(80, 3, func(i, j int) float64 { return base.Data[i*3+j] })
	offset := filled(80, 3, func(i, j int) float64 { return 1e9 + base.Data[i*3+j] })
	rbf, linear := kernelgen.RBF(2), kernelgen.Linear()
	return []nastyCase{
		{"no rows", matrix.New(0, 3), rbf, "has no rows"},
		{"one row", filled(1, 3, func(i, j int) float64 { return float64(j) }), rbf, "largest rank that fits"},
		{"two rows", filled(2, 3, func(i, j int) float64 { return float64(i) }), rbf, "largest rank that fits"},
		{"fewer rows than landmarks", clusters(20, 3, 1), rbf, "largest rank that fits"},
		{"one column", clusters(80, 1, 2), rbf, ""},
		{"all rows equal", filled(80, 3, func(_, j int) float64 { return float64(j) }), rbf, ""},
		{"all rows zero, linear", matrix.New(80, 3), linear, ""},
		{"five different rows", duplicates, rbf, ""},
		{"a constant column", constant, rbf, ""},
		{"rank 3", rank3, linear, ""},
		{"Hilbert", hilbert, linear, ""},
		{"Hilbert, rbf", hilbert, rbf, ""},
		{"offset 1e9", offset, rbf, ""},
		{"columns times 1e150 and 1e-150", mixed, rbf, ""},
		{"columns times 1e150 and 1e-150, linear", mixed, linear, ""},
		{"times 1e308", scaled(base, 1e308), rbf, ""},
		{"times 1e308, linear", scaled(base, 1e308), linear, "scale the columns"},
		{"times 1e-150, linear", scaled(base, 1e-150), linear, ""},
		{"times 1e-161, linear", scaled(base, 1e-161), linear, ""},
		{"denormals", scaled(base, 1e-310), rbf, ""},
		{"denormals, linear", scaled(base, 1e-310), linear, ""},
		{"a huge outlier", outlier, rbf, ""},
		{"a huge outlier, linear", outlier, linear, ""},
		{"bandwidth to 0", base, kernelgen.RBF(1e12), ""},
		{"bandwidth to infinity", base, kernelgen.RBF(1e-14), ""},
	}
}

// TestNasty runs every method on rows that break naive codes. Each gives finite values and orthonormal factors, or an
// error that names the problem.
func TestNasty(t *testing.T) {
	t.Parallel()
	for _, c := range nastyCases() {
		for name, fit := range methodsUnderTest(10) {
			t.Run(c.name+"/"+name, func(t *testing.T) { nasty(t, c.x, c.k, c.refuse, fit) })
		}
	}
}

type nastyFit = func(stream.Source, kernelgen.Kernel) (*Fit, error)

// nasty makes and tests a fit. It may be refused for the given reason, "" for none.
func nasty(t *testing.T, x blas64.General, k kernelgen.Kernel, refuse string, fit nastyFit) {
	nastyOr(t, x, k, fit, refuse)
}

// nastyOr is nasty for several possible reasons.
func nastyOr(t *testing.T, x blas64.General, k kernelgen.Kernel, fit nastyFit, refuse ...string) {
	src := stream.FromMatrix("nasty", x)
	f, err := fit(src, k)
	if err != nil {
		if !slices.ContainsFunc(refuse, func(why string) bool { return why != "" && strings.Contains(err.Error(), why) }) {
			t.Fatalf("refused: %v", err)
		}
		return
	}
	if err := f.Refine(context.Background(), stream.Engine{}, model.Sources{Left: src}); err != nil {
		t.Fatalf("Refine: %v", err)
	}
	for i, v := range append(f.Values, f.Shift) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("value %d is %v", i, v)
		}
	}
	for _, side := range []*Embedding{f.Left, f.right()} {
		if e := orthogonalityError(factors(t, f.Model, side, x)); !(e <= 1e-10) {
			t.Errorf("max|UᵀU−I| = %g (rank %d, condition %.2g)", e, side.Rank(), f.Condition)
		}
	}
}

// TestExactRank: a matrix of rank r is approximated to rounding with r or more columns. (The published shift spoils an
// exact range.)
func TestExactRank(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	src := stream.FromMatrix("rank 3", clusters(200, 3, 8))
	for _, rank := range []int{3, 10} {
		for name, fit := range methodsUnderTest(rank) {
			if name == "s3spsd paper" {
				continue
			}
			f, err := fit(src, kernelgen.Linear())
			if err != nil {
				t.Fatal(err)
			}
			v, err := f.Verify(context.Background(), stream.Engine{}, model.Sources{Left: src}, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			if v.SpectralError > 1e-12 {
				t.Errorf("%s, rank %d: %d values, error %g", name, rank, len(f.Values), v.SpectralError)
			}
		}
	}
}
