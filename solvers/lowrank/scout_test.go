package lowrank

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestScoutFindsHeavyRows: only with a scout, all rows of large norm are landmarks. Without, they are the spectral error.
func TestScoutFindsHeavyRows(t *testing.T) {
	x := rowsOfBlock(3, 2100, 20)
	var heavy []int64
	for i := 7; i < x.Rows; i += 312 {
		blas64.Scal(20, dense.Vector(matrix.Row(x, i)))
		heavy = append(heavy, int64(i))
	}
	d, k := model.Sources{Left: stream.FromMatrix("x", x)}, parseKernel(t, "poly(degree=3,gamma=0.05)")
	for _, m := range []struct{ without, with Method }{
		{Landmark{Rank: 12, Rule: RulePivoted, Seed: 2}, Landmark{Rank: 12, Rule: RulePivoted, Seed: 2, Scout: true}},
		{Nystrom{Rank: 12, Rule: RuleAuto, Seed: 2}, Nystrom{Rank: 12, Rule: RuleAuto, Seed: 2, Scout: true}},
		{PCA{Rank: 12, Landmarks: 24, Rule: RuleAuto, Seed: 2}, PCA{Rank: 12, Landmarks: 24, Rule: RuleAuto, Seed: 2, Scout: true}},
	} {
		var errors []float64 // of nystrom
		for _, method := range []Method{m.without, m.with} {
			f, err := method.Fit(t.Context(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			if found := slices.Equal(heavy, common(heavy, f.Left.Rows)); found != (method == m.with) {
				t.Errorf("%+v: heavy landmarks %d", method, common(heavy, f.Left.Rows))
			}
			if f.Method == "nystrom" {
				errors = append(errors, verified(t, 0, f.Model, d.Left, 0).SpectralError)
			}
		}
		if errors != nil && !(5*errors[1] < errors[0]) {
			t.Errorf("%+v: error %.2g without a scout, %.2g with one", m.with, errors[0], errors[1])
		}
	}
}

// common returns the numbers in both lists.
func common(a, b []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(a), func(r int64) bool { return !slices.Contains(b, r) })
}

// TestScoutRefused by methods, in fits and plans alike.
func TestScoutRefused(t *testing.T) {
	x := stream.FromMatrix("x", rowsOfBlock(3, 50, 2))
	one, two := model.Sources{Left: x}, model.Sources{Left: x, Right: x}
	rbf, odd := kernelgen.RBF(1), parseKernel(t, "multiquadric")
	for _, c := range []struct {
		method Method
		data   model.Sources
		kernel kernelgen.Kernel
		want   string
	}{
		{Landmark{Rank: 2, Scout: true}, two, rbf, "one source"},
		{Landmark{Rank: 2, Scout: true}, one, parseKernel(t, "sne(gamma=1)"), "one source"},
		{Landmark{Rank: 2, Scout: true}, one, odd, "semi-definite"},
		{Landmark{Rank: 2, Scout: true, Rule: RuleUniform}, one, rbf, "`Rule uniform`"},
		{Nystrom{Rank: 2, Scout: true}, one, rbf, "`Rule uniform`"},
		{Nystrom{Rank: 2, Scout: true, Rule: RulePivoted}, one, odd, "semi-definite"},
		{PCA{Rank: 2, Landmarks: 9, Scout: true, Rule: RuleUniform}, one, rbf, "`Rule uniform`"},
	} {
		_, err := c.method.Fit(t.Context(), stream.Engine{}, c.data, c.kernel)
		_, planned := c.method.Plan(stream.Engine{}, c.data.Size(), c.kernel)
		for _, err := range []error{err, planned} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v, want %q", c.method, err, c.want)
			}
		}
	}
}
