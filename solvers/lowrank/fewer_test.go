package lowrank

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestByLandmarks: the reported errors for fewer landmarks are the exact errors of such fits, and the last is that of
// the fit.
func TestByLandmarks(t *testing.T) {
	x := uniformRows(900, 6, 11)
	d := model.Sources{Left: stream.FromMatrix("x", x)}
	for _, scale := range []float64{1, 1e-150, 1e150} {
		k := kernelgen.Scale(scale, kernelgen.RBF(0.5))
		for name, method := range map[string]func(landmarks int) Method{
			"landmark":          func(l int) Method { return Landmark{Rank: 20, Landmarks: l, Seed: 3} },
			"landmark, pivoted": func(l int) Method { return Landmark{Rank: 20, Landmarks: l, Seed: 3, Rule: RulePivoted} },
			"landmark, uniform": func(l int) Method { return Landmark{Rank: 20, Landmarks: l, Seed: 3, Rule: RuleUniform} },
			"nystrom":           func(l int) Method { return Nystrom{Rank: 20, Landmarks: l, Seed: 3} },
		} {
			f, err := method(120).Fit(t.Context(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(name, err)
			}
			if len(f.ByLandmarks) != 3 || f.ByLandmarks[2].Error != f.EstimateIn(NormFrobenius) {
				t.Fatalf("%s: %v", name, f.ByLandmarks)
			}
			for i, count := range []int{30, 60} {
				told := f.ByLandmarks[i]
				less, err := method(count).Fit(t.Context(), stream.Engine{}, d, k)
				if err != nil {
					t.Fatal(name, err)
				}
				v, err := less.Verify(t.Context(), stream.Engine{}, d, 0, 1)
				if err != nil {
					t.Fatal(name, err)
				}
				exact := v.FrobeniusError
				if r := told.Error / exact; told.Landmarks != count || r < 0.6 || r > 1.6 {
					t.Errorf("%s × %g, %d landmarks: told %v, exact %.3g", name, scale, count, told, exact)
				}
			}
		}
	}
}

// TestLeading: the basis of the first landmarks is orthonormal on all rows and spans their kernel functions.
func TestLeading(t *testing.T) {
	x := uniformRows(400, 2, 5)
	k, src := kernelgen.RBF(0.5), stream.FromMatrix("x", x)
	f, err := Landmark{Rank: 5, Landmarks: 24, Seed: 2}.stream(t.Context(), stream.Engine{}, src, k)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.leading(12)
	if err != nil {
		t.Fatal(err)
	}
	all := matrix.New(x.Rows, f.landmarks.Count())
	k.Fill(all, x, k.Pack(f.landmarks.Rows), nil)
	q := dense.Mul(blas.NoTrans, all, blas.NoTrans, s.side.Projection)
	gram := dense.Mul(blas.Trans, q, blas.NoTrans, q)
	for i := range gram.Rows {
		matrix.Row(gram, i)[i]--
	}
	if worst := dense.MaxAbs(gram); q.Cols != 12 || worst > 1e-8 {
		t.Errorf("%d columns, orthonormal to %g", q.Cols, worst)
	}
	own := dense.PickColumns(all, f.landmarks.Leading(12, 2))
	rest := matrix.Clone(own)
	inside := dense.Mul(blas.Trans, q, blas.NoTrans, own)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, q, inside, 1, rest)
	if worst := dense.MaxAbs(rest); worst > 1e-7 {
		t.Errorf("%g of the first landmarks is outside the span", worst)
	}
}

// TestLeadingIsNested: the first half of the landmarks contains the first quarter, in the order of the draw.
func TestLeadingIsNested(t *testing.T) {
	rows := matrix.New(9, 1)
	p := basis.NewPanel(rows, []int64{2, 3, 5, 7, 11, 13, 17, 19, 23}, nil)
	for _, order := range [][]int64{nil, {19, 2, 4, 23, 3, 5, 7, 11, 13, 17}} {
		p.Order = order
		few, more := p.Leading(3, 1), p.Leading(6, 1)
		if both := basis.Union(numbersOf(few), numbersOf(more)); len(few) != 3 || len(more) != 6 || len(both) != 6 {
			t.Errorf("%v and %v", few, more)
		}
		if order != nil && (few[0] != 0 || few[1] != 7 || few[2] != 8) {
			t.Errorf("%v: the first three are rows 2, 19 and 23", few)
		}
	}
}

// uniformRows returns rows of U[0,1]ᵈ.
func uniformRows(n, d int, seed uint64) blas64.General {
	x, r := matrix.New(n, d), rand.New(rand.NewPCG(seed, 1))
	for i := range x.Data {
		x.Data[i] = r.Float64()
	}
	return x
}

// numbersOf converts indices to row numbers.
func numbersOf(places []int) (numbers []int64) {
	for _, p := range places {
		numbers = append(numbers, int64(p))
	}
	return numbers
}

// TestNextError: the squared error decreases by the last share, or in geometric progression, and never increases.
func TestNextError(t *testing.T) {
	for _, c := range []struct{ errors, want []float64 }{
		{[]float64{.4, .2}, []float64{.1}},
		{[]float64{.1, .2}, []float64{.2}},
		{[]float64{.2, .2}, []float64{.2}},
		{[]float64{3, math.Sqrt(3), math.Sqrt(1.5)}, []float64{math.Sqrt(1.125)}}, // less 6, less 1.5, less .375
		{[]float64{.1, .2, .1}, []float64{.1}},                                    // no progression
		{[]float64{.21, .2, .1}, []float64{.05}},                                  // parts grow: the last share
		{[]float64{.2, .2, .1}, []float64{.05}},
		{[]float64{0, 0, 0}, []float64{0}},
		{[]float64{4e-200, 2e-200}, []float64{1e-200}},
		{[]float64{4e200, 2e200}, []float64{1e200}},
		{[]float64{.1}, nil},
		{nil, nil},
	} {
		var r model.Report
		for i, v := range c.errors {
			r.ByLandmarks = append(r.ByLandmarks, model.LandmarkError{Landmarks: 50 << i, Error: v})
		}
		next, ok := r.NextError()
		if ok != (c.want != nil) {
			t.Errorf("%v: %v", c.errors, next)
		} else if ok && (math.Abs(next.Error-c.want[0]) > 1e-12*c.want[0] || next.Landmarks != 50<<len(c.errors)) {
			t.Errorf("%v: %v, want %v", c.errors, next, c.want)
		}
	}
}
