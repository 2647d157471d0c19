package rkhs

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Sections returns the functions k(·, x), one for each row x, projected onto the space of f: their inner products with
// functions of f are values at x. If the space has an origin r, they are k(· − r, x − r): see [Solver.Center]. Cost:
// the features of the rows.
func (f *Functions) Sections(ctx context.Context, e stream.Engine, rows blas64.General) (*Functions, error) {
	p := f.Coefficients.Rows
	features := &Functions{Space: f.Space, Coefficients: identityOf(p)}
	at, err := features.At(ctx, e, rows)
	if err != nil {
		return nil, err
	}
	return &Functions{Space: f.Space, Coefficients: matrix.Transpose(at)}, nil
}

// identityOf returns the n×n identity matrix.
func identityOf(n int) blas64.General {
	m := matrix.New(n, n)
	for i := range n {
		m.Data[i*m.Stride+i] = 1
	}
	return m
}

// Apply returns S·g = Σ Values_i·⟨Right_i, g⟩·Left_i for functions g in the space of Right, such as its
// [Functions.Sections]. For [Model.PseudoInverse] it is the solution of smallest norm of the inverse problem S·h = g
// (paper, Section 4.1). It requires task [SVD] and real functions.
func (m *Model) Apply(g *Functions) (*Functions, error) {
	switch {
	case m.Task != SVD:
		return nil, errors.New("an operator is applied by its singular values, and the model has eigenvalues")
	case g.Space != m.Right.Space || g.Complex:
		return nil, fmt.Errorf("operator %s is applied to real functions of the space of its right functions", m.Operator)
	}
	c := transposedTimes(m.Right.Coefficients, g.Coefficients)
	dense.ScaleRows(c, m.Values)
	out := &Functions{Space: m.Left.Space, Coefficients: multiply(m.Left.Coefficients, c)}
	if m.Left.Offsets != nil {
		out.Offsets = dense.MulVector(blas.Trans, c, m.Left.Offsets)
	}
	return out, nil
}
