package lowrank

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestSubspaceWhole: values are eigenvalues to rounding, and the error is that of the best
// matrix of rank c.
func TestSubspaceWhole(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	sigmoid, err := kernelgen.Parse("sigmoid(gamma=4,coef0=-2)")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernelgen.Kernel{kernelgen.RBF(2), sigmoid} {
		a := kernelMatrix(k, x, x)
		values := singularValues(t, a)
		for _, c := range []int{26, 40, 290} {
			m := Subspace{Rank: c, Seed: 1, Shift: ShiftNone}
			f := subspaceFit(t, m, x, k)
			if e, floor := denseError(t, f.Model, x, a, values[0]), values[c]/values[0]; e > floor+1e-7 {
				t.Errorf("%s, rank %d: error %g, the best is %g", k, c, e, floor)
			}
			if f.Residual() > 1e-12 || f.NotConverged || f.ExactPasses != 1 {
				t.Errorf("%s, rank %d: residual %g after %d passes, unsettled %v", k, c, f.Residual(), f.ExactPasses, f.NotConverged)
			}
			p, err := m.Plan(stream.Engine{}, model.Shape{Rows: 300, Columns: 4}, k)
			if err != nil {
				t.Fatal(err)
			}
			if r := float64(f.KernelEntries) / float64(p.KernelEntries); r < 0.7 || r > 1 {
				t.Errorf("%s, rank %d: %d entries planned, %d evaluated", k, c, p.KernelEntries, f.KernelEntries)
			}
		}
	}
}

// TestSubspaceWholeShift: with a shift the error is no larger, and half of what is left out
// with the midpoint.
func TestSubspaceWholeShift(t *testing.T) {
	t.Parallel()
	x, k := clusters(200, 4, 3), kernelgen.RBF(20)
	a := kernelMatrix(k, x, x)
	values := singularValues(t, a)
	const c = 30
	f := subspaceFit(t, Subspace{Rank: c, Shift: ShiftMidpoint}, x, k)
	if e, want := denseError(t, f.Model, x, a, values[0]), (values[c]-values[199])/2/values[0]; math.Abs(e-want) > 1e-6 {
		t.Errorf("error %g, half of what is left out is %g", e, want)
	}
}

// TestSubspaceWholeSameBits: the same model for any number of threads, and kernels of very
// large and very small numbers have the values of those of plain ones.
func TestSubspaceWholeSameBits(t *testing.T) {
	t.Parallel()
	x := clusters(500, 3, 5)
	run := func(threads int) string {
		f, err := Subspace{Rank: 200, Seed: 1}.Fit(context.Background(), stream.Engine{Threads: threads}, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(3))
		if err != nil {
			t.Fatal(err)
		}
		return saved(f.Model) + fmt.Sprint(f.EstimateIn(NormFrobenius), f.Residuals)
	}
	want := run(1)
	for _, threads := range []int{2, 8} {
		if run(threads) != want {
			t.Errorf("%d threads: the models differ", threads)
		}
	}
	plain := subspaceFit(t, Subspace{Rank: 60}, x, kernelgen.RBF(3))
	for _, scale := range []string{"1e-150", "1e150"} {
		k, err := kernelgen.Parse(scale + "*rbf(gamma=3)")
		if err != nil {
			t.Fatal(err)
		}
		f := subspaceFit(t, Subspace{Rank: 60}, x, k)
		for j, v := range f.Values {
			var by float64
			fmt.Sscan(scale, &by)
			if math.Abs(v/by-plain.Values[j]) > 1e-9*plain.Values[0] {
				t.Errorf("%s: value %d is %g, of the plain kernel %g", k, j, v, plain.Values[j])
			}
		}
	}
}

// TestWholeOrPasses: all eigenvectors are found where the rank is a large part of the rows, and
// 4·n² numbers fit into 2 GiB.
func TestWholeOrPasses(t *testing.T) {
	t.Parallel()
	e := stream.Engine{Threads: 1}
	for _, c := range []struct {
		rows  int64
		rank  int
		whole bool
	}{
		{4000, 1000, true},
		{4000, 20, false},
		{20_000, 100, false},
		{20_000, 9000, false},
		{300, 150, true},
	} {
		p, err := Subspace{Rank: c.rank}.Plan(e, model.Shape{Rows: c.rows, Columns: 20}, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		if whole := strings.Contains(strings.Join(p.Notes, "; "), "all eigenvectors"); whole != c.whole {
			t.Errorf("rank %d of %d rows: %v", c.rank, c.rows, p.Notes)
		}
	}
	x := clusters(300, 4, 3)
	f, err := Auto{Rank: 150, Shift: ShiftNone}.Fit(context.Background(), e, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if f.Choice.Name != "subspace" || f.Residual() > 1e-12 {
		t.Errorf("%s, residual %g", f.Choice, f.Residual())
	}
}
