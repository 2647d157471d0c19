package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Model is a subspace of the columns and how it was found. Rows are projected as the
// source of the fit gave them: how raw rows are prepared is the caller's to keep
// ([stream.Prepared.Preparation]), as with the other models.
type Model struct {
	Kernel   Kernel // with numbers for all words and weights
	Paradigm Paradigm
	Engine   Engine         // exact or linear
	W        blas64.General // d×q, orthonormal columns; the largest entry of each is positive
	Values   []float64      // the q largest eigenvalues of Φ, descending
	Columns  []string       // the names of the d columns
	Rows     int64          // of the fit
	Seed     uint64
}

// Dim is q, the number of new dimensions.
func (m *Model) Dim() int { return m.W.Cols }

// Project puts x·W into dst: x is n×d, dst n×q. It panics unless the shapes fit.
func (m *Model) Project(dst, x blas64.General) { m.project(dst, x) }

// Transform gives XW of the rows of src to emit in row order. Cost: one pass, 2·d·q
// flops a row. It is an error if src has another number of columns, or if a number is
// not finite.
func (m *Model) Transform(ctx context.Context, e stream.Engine, src stream.Source, kept bool, emit func(b *stream.Block, xw blas64.General) error) error {
	return m.transform(ctx, e, src, kept, emit)
}

// Loading is what a column of the data has in a new dimension.
type Loading struct {
	Column int
	Name   string
	Weight float64 // the entry of W
}

// Loadings are, for each new dimension, the columns that weigh most in it, at most so
// many, by descending magnitude. Entries that are zero are left out.
func (m *Model) Loadings(most int) [][]Loading { return m.loadings(most) }
