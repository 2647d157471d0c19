package paper5

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/processes"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

// TestFlow: the steps are small enough, the flow keeps the domain, and its corner is
// at rest.
func TestFlow(t *testing.T) {
	x, y := processes.Gyre(12, 6, processes.GyreSteps)
	_, half := processes.Gyre(12, 6, processes.GyreSteps/2)
	for i, v := range y.Data {
		if math.Abs(v-half.Data[i]) > 1e-7 {
			t.Errorf("half the steps move point %v by %g", x.Data[i/2*2:i/2*2+2], v-half.Data[i])
		}
		if most := 2 - float64(i%2); v < 0 || v > most {
			t.Errorf("point %d is carried out of the domain: %v", i/2, v)
		}
	}
	if a, b := processes.GyreFlow(0, 0, 100); math.Abs(a) > 1e-12 || math.Abs(b) > 1e-12 {
		t.Errorf("the corner moved to %v, %v", a, b)
	}
}

// TestGyreCoherentSets: on a coarse grid the second singular function tells the left of
// the domain from the right at both times.
func TestGyreCoherentSets(t *testing.T) {
	x, y := processes.Gyre(40, 20, 1000)
	d, err := pairsOf(x, y)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 4, Landmarks: 80}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(8))
	if err != nil {
		t.Fatal(err)
	}
	if f.Values[0] < 0.98 || f.Values[0] > 1 || f.Values[2] < 0.9 || f.Values[3] > 0.9 {
		t.Errorf("values %v", f.Values)
	}
	v, err := f.Right.At(t.Context(), stream.Engine{}, x)
	if err != nil {
		t.Fatal(err)
	}
	u, err := f.Left.At(t.Context(), stream.Engine{}, y)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range v.Rows {
		if (v.Data[i*v.Stride+1] > 0) == (u.Data[i*u.Stride+1] > 0) {
			same++
		}
	}
	if part := float64(same) / float64(v.Rows); part < 0.9 {
		t.Errorf("%.3f of the points stay in their set", part)
	}
	if err := drawPanels(filepath.Join(t.TempDir(), "gyre.svg"), []*plot.Plot{heatPanel("v2", v, 1, 40, 20), scatter("sets", x, make([]int, x.Rows))}); err != nil {
		t.Error(err)
	}
}

// TestTables runs the parts that need no data and compares with what is known.
func TestTables(t *testing.T) {
	o := &options{out: t.TempDir(), only: []string{"mercer", "mixture", "ou"}, rows: []int{20000}, seed: 1}
	if err := run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	table := func(name string) [][]string {
		f, err := os.Open(o.path(name + ".csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	near := func(what, cell, want string, tolerance float64) {
		a, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		b, err := strconv.ParseFloat(want, 64)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a-b) > tolerance {
			t.Errorf("%s: %v, want %v", what, a, b)
		}
	}
	for j := 2; j < 8; j++ {
		rows := table("mercer")
		near("mercer by quadrature", rows[2][j], rows[1][j], 1e-4)
		near("mercer", rows[3][j], rows[1][j], 0.3)
		near("mercer, spread evenly", rows[5][j], rows[1][j], 0.002)
	}
	for j := 2; j < 4; j++ {
		for i := 2; i < 11; i += 3 {
			rows := table("mixture")
			near("mixture", rows[i+1][j], rows[i][j], 0.02)
			near("mixture, spread evenly", rows[i+2][j], rows[i][j], 0.002)
		}
	}
	for j := 2; j < 6; j++ {
		rows := table("ou")
		near("ou", rows[2][j], rows[1][j], 0.05)
	}
}

// TestQuadrupleWell: four eigenvalues of metastable sets, whose eigenfunctions find the
// wells, apart from the fifth.
func TestQuadrupleWell(t *testing.T) {
	x, y, err := lagPairs(t.Context(), "quadrupleWell_uniform")
	if err != nil {
		t.Skipf("no real data in %s: %v (set NYSTREAM_DATA)", datasets.Dir(), err)
	}
	d, err := pairsOf(x, y)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rkhs.Solver{Operator: rkhs.Koopman{Ridge: 1e-6}, Task: rkhs.Eigen, Rank: 6, Landmarks: 200}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Values; math.Abs(v[0]-1) > 0.01 || v[3] < 0.4 || v[3] < 2*math.Abs(v[4]) {
		t.Errorf("eigenvalues %v", f.Eigenvalues())
	}
	labels, err := clusters(t.Context(), f.Right.Part(rkhs.Real), x, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if part := inQuadrants(x, labels); part < 0.9 {
		t.Errorf("%.3f of the rows are in the cluster of their quadrant", part)
	}
}

// TestBickley: the two sides of the jet are coherent, and few landmarks know it.
func TestBickley(t *testing.T) {
	x, y, err := lagPairs(t.Context(), "bickley")
	if err != nil {
		t.Skipf("no real data in %s: %v (set NYSTREAM_DATA)", datasets.Dir(), err)
	}
	d, err := pairsOf(x, y)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rkhs.Solver{Operator: rkhs.CCA{Ridge: 1e-3}, Rank: 3, Landmarks: 150}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Values; v[0] > 1 || v[1] < 0.9 || v[2] > 0.8 {
		t.Errorf("values %v", v)
	}
	v, err := f.Right.At(t.Context(), stream.Engine{}, x)
	if err != nil {
		t.Fatal(err)
	}
	north := 0
	for i := range x.Rows {
		if (v.Data[i*v.Stride+1] > 0) == (x.Data[i*x.Stride+1] > 0) {
			north++
		}
	}
	if part := math.Abs(2*float64(north)/float64(x.Rows) - 1); part < 0.6 {
		t.Errorf("the second singular function tells north from south by %.2f", part)
	}
}
