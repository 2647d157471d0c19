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

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/solvers/rkhs"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

// TestTables runs the parts that need no data and compares with what is known.
func TestTables(t *testing.T) {
	o := &options{out: t.TempDir(), only: []string{"mercer", "mixture", "ou"}, rows: 2000}
	if err := run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	table := func(name string) [][]string {
		f, err := os.Open(filepath.Join(o.out, name+".csv"))
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
	rows := table("mercer")
	for j := 2; j < 8; j++ {
		near("mercer by quadrature", rows[2][j], rows[1][j], 1e-4)
		near("mercer, spread evenly", rows[3][j], rows[1][j], 0.01)
	}
	rows = table("mixture")
	for j := 2; j < 5; j++ {
		for i := 2; i < 8; i += 2 {
			near("mixture", rows[i+1][j], rows[i][j], 0.008)
		}
	}
	rows = table("ou")
	for j := 2; j < 6; j++ {
		near("ou", rows[2][j], rows[1][j], 0.05)
	}
}

// TestQuadrupleWell: four eigenvalues of metastable sets, apart from the fifth.
func TestQuadrupleWell(t *testing.T) {
	x, y, err := lagPairs(t.Context(), "quadrupleWell_uniform")
	if err != nil {
		t.Skipf("no real data in %s: %v (set NYSTREAM_DATA)", datasets.Dir(), err)
	}
	d, err := pairsOf(everyFourth(x), everyFourth(y))
	if err != nil {
		t.Fatal(err)
	}
	solver := rkhs.Solver{Operator: rkhs.Koopman{Ridge: 1e-6}, Task: rkhs.Eigen, Rank: 6, Engine: rkhs.EngineExact}
	f, _, err := timed(t.Context(), solver, d, kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Values; math.Abs(v[0]-1) > 0.01 || v[3] < 0.4 || v[3] < 2*math.Abs(v[4]) {
		t.Errorf("eigenvalues %v", f.Eigenvalues())
	}
}

// everyFourth returns a view of every fourth row.
func everyFourth(x blas64.General) blas64.General {
	return blas64.General{Rows: x.Rows / 4, Cols: x.Cols, Stride: 4 * x.Stride, Data: x.Data}
}
