package solvers_test

import (
	"flag"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

// TestMain draws fewer cases than is usual: each of them is several fits. The flag
// -rapid.checks draws more.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		checks := "15"
		if testing.Short() {
			checks = "5"
		}
		flag.Set("rapid.checks", checks) // it is there, since rapid is linked
	}
	os.Exit(m.Run())
}
