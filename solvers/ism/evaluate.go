package ism

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// evaluator computes Φ and J. Each engine implements it.
type evaluator interface {
	// start returns Φ₀: Φ with f'(0) for f'(β) (paper, Table 1).
	start(ctx context.Context, g *gamma) (phi blas64.General, err error)
	// evaluate returns Φ(W) and J(W). w has orthonormal columns.
	evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error)
	// noise returns the relative error of J, below which two values are indistinguishable.
	noise() float64
}

// evaluation holds the results for one W.
type evaluation struct {
	w         blas64.General
	phi       blas64.General // symmetric
	objective float64
}

// check returns an error unless all numbers are finite.
func (v *evaluation) check() error {
	if !matrix.IsFinite(v.objective) || !dense.Finite(v.phi) {
		return fmt.Errorf("the objective is %v: sums overflow; scale the rows (`Treatment.Scale standard`)",
			v.objective)
	}
	return nil
}
