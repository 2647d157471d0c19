package rkhs

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }
