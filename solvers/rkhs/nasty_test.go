package rkhs

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// constant returns a matrix of equal entries.
func constant(rows, cols int, v float64) blas64.General {
	m := matrix.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = v
	}
	return m
}

// scaled returns by·m.
func scaled(m blas64.General, by float64) blas64.General {
	m = matrix.Clone(m)
	for i := range m.Data {
		m.Data[i] *= by
	}
	return m
}

// TestNasty: operators of degenerate and extreme data have finite numbers, and a note if there are fewer than
// requested, or an error.
func TestNasty(t *testing.T) {
	few := normal(3, 2, "few")
	twice := matrix.New(30, 2)
	for i := range 30 {
		copy(matrix.Row(twice, i), matrix.Row(few, i%3))
	}
	mixed := normal(30, 2, "mixed")
	for i := range 30 {
		mixed.Data[2*i+1] = 5
	}
	cases := []struct {
		name string
		x, y blas64.General
		most int // rank
	}{
		{"one pair", normal(1, 2, "one"), normal(1, 2, "other"), 1},
		{"two pairs", normal(2, 2, "two"), normal(2, 2, "others"), 2},
		{"three rows ten times", twice, twice, 3},
		{"constant", constant(20, 2, 3), normal(20, 2, "y"), 1},
		{"constant column", mixed, normal(30, 2, "y"), 30},
		{"fewer rows than columns", normal(4, 30, "wide"), normal(4, 30, "wider"), 4},
		{"huge", scaled(normal(25, 2, "huge"), 1e8), scaled(normal(25, 2, "y"), 1e8), 25},
		{"tiny", scaled(normal(25, 2, "tiny"), 1e-9), scaled(normal(25, 2, "y"), 1e-9), 25},
		{"zero", matrix.New(20, 2), matrix.New(20, 2), 1},
	}
	for i, c := range cases {
		if testing.Short() && i%3 != 0 {
			continue
		}
		for _, k := range []kernelgen.Kernel{kernelgen.RBF(0.5), kernelgen.Linear(), kernelgen.Poly(2, 1, 1)} {
			for _, op := range allOperators {
				for _, task := range []Task{SVD, Eigen} {
					s := Solver{Operator: op, Task: task, Rank: 5, Center: len(c.name)%2 == 0, Landmarks: 20}
					what := fmt.Sprintf("%s, %s, %s, %s", c.name, k, name(op), task)
					f, err := s.Fit(t.Context(), stream.Engine{}, pairs(t, c.x, c.y), k)
					if err != nil {
						if len(err.Error()) < 20 {
							t.Errorf("%s: %v", what, err)
						}
						continue
					}
					checkFinite(t, what, f, min(c.most, 6))
				}
			}
		}
	}
}

// checkFinite requires finite values, functions and residuals.
func checkFinite(t *testing.T, what string, f *Fit, most int) {
	t.Helper()
	for _, m := range []blas64.General{f.Left.Coefficients, f.Right.Coefficients, {Rows: 1, Cols: f.Rank(), Stride: f.Rank(), Data: f.Values},
		{Rows: 1, Cols: f.Rank(), Stride: f.Rank(), Data: f.Residuals}} {
		if i, j, bad := dense.NotFinite(m); bad {
			t.Errorf("%s: entry (%d, %d) is not finite", what, i, j)
		}
	}
	if f.Rank() == 0 || f.Rank() > most || f.Rank() < 5 && !strings.Contains(strings.Join(f.Notes, "\n"), "rank") {
		t.Errorf("%s: rank %d of at most %d, notes %q", what, f.Rank(), most, f.Notes)
	}
}

// TestErrors: other invalid input is an error that names the problem.
func TestErrors(t *testing.T) {
	x, y, d := dependent(t, 30, 2, 3)
	from := func(m blas64.General) stream.Source { return stream.FromMatrix("data", m) }
	bad := matrix.Clone(x)
	bad.Data[2*17+1] = math.NaN()
	infinite := matrix.Clone(x)
	infinite.Data[2*17+1] = math.Inf(1)
	single, err := Single(from(x))
	if err != nil {
		t.Fatal(err)
	}
	fit := func(s Solver, d *Data, k kernelgen.Kernel) error {
		s.Rank = max(s.Rank, 1)
		_, err := s.Fit(t.Context(), stream.Engine{}, d, k)
		return err
	}
	rbf, other := kernelgen.RBF(1), kernelgen.RBF(2)
	lagged := func(lag int64) error { _, err := Lagged(from(x), lag); return err }
	weigh := func(w []float64) error { _, err := d.Weighted(w); return err }
	parse := func(word string, ridge float64) error { _, err := ParseOperator(word, ridge); return err }
	source := func(m blas64.General) error { _, err := Single(from(m)); return err }
	unequal := func() error { _, err := Pairs(from(x), from(matrix.Rows(y, 0, 20))); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{unequal(), "20"},
		{source(matrix.New(0, 2)), "no rows"},
		{source(matrix.New(3, 0)), "no numeric columns"},
		{lagged(0), "lag"},
		{lagged(30), "1 to 29"},
		{weigh(make([]float64, 29)), "29 weights"},
		{weigh(make([]float64, 30)), "zero"},
		{weigh(constant(1, 30, -1).Data), "-1"},
		{parse("koopmann", 0), "koopman"},
		{parse("koopman", -1), "`Ridge`"},
		{parse("cca", math.NaN()), "`Ridge`"},
		{fit(Solver{Operator: Koopman{1}}, d, rbf), "3"},
		{fit(Solver{Operator: CrossCovariance{}, Task: Eigen}, d, rbf), "one space"},
		{fit(Solver{Operator: Koopman{1}, KernelY: &other}, pairs(t, x, x), rbf), "one kernel"},
		{fit(Solver{Operator: CCA{1}}, single, rbf), "second source"},
		{fit(Solver{Operator: Covariance{}, Rank: 1, Landmarks: -1}, single, rbf), "landmarks -1"},
		{fit(Solver{Operator: Covariance{}, Cutoff: 2}, single, rbf), "cutoff"},
		{fit(Solver{Operator: Covariance{}}, single, kernelgen.SNE(1)), "symmetric"},
		{fit(Solver{Operator: Covariance{}}, single, kernelgen.Relative(7)), "neighbour"},
		{fit(Solver{Operator: CCA{}, Algorithm: AlgorithmExact, Landmarks: 5}, d, rbf), "of the trace"},
		{fit(Solver{Operator: Covariance{}, Center: true}, pairs(t, constant(9, 2, 4), matrix.Rows(x, 0, 9)), kernelgen.Linear()), "all the same"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v does not say %q", c.err, c.want)
		}
	}
	var value *stream.DataError
	for _, m := range []blas64.General{bad, infinite} {
		for _, late := range []bool{false, true} {
			dat := pairs(t, m, x)
			row := int64(17)
			if late {
				if dat, err = Lagged(from(m), 3); err != nil {
					t.Fatal(err)
				}
			}
			err := fit(Solver{Operator: Koopman{1}}, dat, rbf)
			if !errors.As(err, &value) || value.Row != row || value.Column != "x1" {
				t.Errorf("error %v does not name row 17, column x1", err)
			}
		}
	}
}

// TestBadRowInPass: the pass finds a bad row outside the candidates for landmarks.
func TestBadRowInPass(t *testing.T) {
	x := normal(5000, 1, "x")
	d := pairs(t, x, x)
	chosen := map[int64]bool{}
	for _, which := range []PairSide{SideX, SideY} {
		for _, i := range d.draw(SideX, poolLeast, 0, "landmarks of "+which.String()) {
			chosen[i] = true
		}
	}
	row := int64(4000)
	for chosen[row] {
		row++
	}
	x.Data[row] = math.NaN()
	_, err := Solver{Operator: CCA{1}, Rank: 1, Landmarks: 20}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(1))
	var value *stream.DataError
	if !errors.As(err, &value) || value.Row != row {
		t.Errorf("error %v does not name row %d", err, row)
	}
}

// TestSingularInverse: with ε = 0 and dependent features the fit omits singular directions and reports it.
func TestSingularInverse(t *testing.T) {
	x, y, _ := dependent(t, 60, 3, 3)
	for i := range 60 {
		x.Data[3*i+2] = 3e-6 * x.Data[3*i+2]
	}
	for _, op := range []Operator{MeanEmbedding{}, CCA{}, Koopman{}, PerronFrobenius{}} {
		f := mustFit(t, Solver{Operator: op, Rank: 3}, pairs(t, x, y), kernelgen.Linear())
		if f.Dropped != 1 || !strings.Contains(strings.Join(f.Notes, "\n"), "left out 1 direction") {
			t.Errorf("operator %s: %d left out, notes %q", op, f.Dropped, f.Notes)
		}
		if f.Values[0] > 1e4 {
			t.Errorf("operator %s: values %v", op, f.Values)
		}
	}
}
