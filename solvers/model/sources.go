package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/input"

	"github.com/nystream/nystream/stream"
)

// Data is the input of a fit.
type Data interface {
	// Size returns the size of the data.
	Size() Size
	// Sample returns at most n rows that depend on the seed alone, for kernels with words.
	Sample(ctx context.Context, n int, seed uint64) (blas64.General, error)
	// Facts returns everything the fit depends on besides method and kernel: sources (with their columns and numbers of
	// rows), names of kept columns, labels, weights. States with other facts are refused. A fact is a number, a text, a
	// source, or a slice or struct of these.
	Facts() []any
}

// Sources is the data of families that fit a kernel matrix A: A[i, j] is between row i of Left and row j of Right, or
// of Left if Right is nil.
type Sources struct{ Left, Right stream.Source }

// Size returns the size of the sources. Numbers of rows are -1 if unknown.
func (s Sources) Size() Size {
	info := s.Left.Info()
	shape := Size{Rows: info.Rows, Columns: len(info.Columns)}
	if s.Right != nil {
		info = s.Right.Info()
		shape.Cols, shape.RightColumns = info.Rows, len(info.Columns)
	}
	return shape
}

// Sample returns a sample of the rows of Left.
func (s Sources) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return input.DrawRows(ctx, s.Left, n, seed, "kernel")
}

// Facts returns both sources.
func (s Sources) Facts() []any { return []any{s.Left, s.Right} }

// Check fails unless both sources can be read repeatedly, know their numbers of rows and have the same number of
// columns.
func (s Sources) Check() error {
	if _, err := input.KnownRows(s.Left); err != nil || s.Right == nil {
		return err
	}
	if _, err := input.KnownRows(s.Right); err != nil {
		return err
	}
	l, r := s.Left.Info(), s.Right.Info()
	if len(l.Columns) != len(r.Columns) {
		return fmt.Errorf("%s has %d columns and %s has %d: rows of the two sources cannot be compared", l.Name, len(l.Columns), r.Name, len(r.Columns))
	}
	return nil
}
