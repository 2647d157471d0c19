package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// evaluator works out Φ and J: what an engine does.
type evaluator interface {
	// start is Φ₀: Φ with f'(0) for f'(β) (paper, Table 1).
	start(ctx context.Context, g *gamma) (phi blas64.General, err error)
	// evaluate is Φ(W) and J(W). w has orthonormal columns.
	evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error)
	// noise is the relative error of J beyond which two of them cannot be told apart.
	noise() float64
}

// evaluation is what is known of one W.
type evaluation struct {
	w         blas64.General
	phi       blas64.General // symmetric
	objective float64
}

// check says whether all numbers are finite.
func (v *evaluation) check() error {
	if v.objective-v.objective != 0 || !dense.Finite(v.phi) {
		return fmt.Errorf("ism: the objective is %v: sums overflow; scale the rows (ScaleStandard)", v.objective)
	}
	return nil
}

// weighted is a term of the kernel that a fit works with: its parameters and weight
// are numbers.
type weighted struct {
	shape
	weight float64
}

func (k Kernel) weighted() []weighted {
	var terms []weighted
	for _, t := range k.terms {
		terms = append(terms, weighted{t.atom.shape(), t.weight})
	}
	return terms
}

// slope is f' at 0 for Φ₀, with its weight. Where that is zero or not finite, as for
// polynomials with c = 0, it is f' at 1: the sign is what matters (Theorem 3).
func (t weighted) slope() float64 {
	s := t.df.at(0)
	if s == 0 || s-s != 0 || math.IsInf(s, 0) {
		s = t.df.at(1)
	}
	return t.weight * s
}

// flat says that Φ does not depend on W for any of the terms.
func flat(terms []weighted) bool {
	for _, t := range terms {
		if !t.df.flat {
			return false
		}
	}
	return true
}
