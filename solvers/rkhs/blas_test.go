package rkhs

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }
