package solvers_test

import (
	"flag"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// TestMain reduces the number of cases of rapid, since each case makes several fits. The flag -rapid.checks overrides
// it.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		checks := "15"
		if testing.Short() {
			checks = "5"
		}
		flag.Set("rapid.checks", checks) // cannot fail: rapid declares the flag
	}
	os.Exit(m.Run())
}
