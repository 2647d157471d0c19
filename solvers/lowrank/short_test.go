package lowrank

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// fewer returns a number of repetitions: full, or short with -short, as in runs with the race detector or on other
// instruction sets.
func fewer(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// inTheLarge skips, with -short, tests that repeat smaller ones on large data.
func inTheLarge(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
}
