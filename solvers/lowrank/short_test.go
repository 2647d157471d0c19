package lowrank

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

// fewer returns how often to repeat something: full, and short in runs with -short,
// which the race detector and the checks of other instruction sets use.
func fewer(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// inTheLarge skips in runs with -short what repeats in the large, or often, the arithmetic of
// smaller tests.
func inTheLarge(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
}
