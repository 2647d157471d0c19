package paper5

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// TestTables runs the parts without data and compares them with known values.
func TestTables(t *testing.T) {
	out := t.TempDir()
	run, err := Parse([]string{"-out", out, "-only", "mercer,mixture", "-rows", "2000"})
	if err == nil {
		err = run.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	table := func(name string) [][]string {
		f, err := os.Open(filepath.Join(out, name+".csv"))
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
}
