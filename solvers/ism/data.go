package ism

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data is what a fit reads.
type Data struct {
	Rows stream.Source
	// Known is what is known of each row: labels or targets, scores, or given clusters,
	// as the paradigm says; nil for Unsupervised.
	Known *Response
}

var _ model.Data = (*Data)(nil)

// Size returns the size of the data. The number of rows is -1 where it is not known.
func (d *Data) Size() model.Size {
	s := model.Sources{Left: d.Rows}.Size()
	switch k := d.Known; {
	case k == nil:
	case k.codes != nil:
		s.Classes = k.classes
	default:
		s.Targets = k.classes
	}
	return s
}

// Sample returns rows. Fit works the words of kernels out from others: columns that are
// constant do not count, and rows are moved together if the kernel allows it.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return input.DrawRows(ctx, d.Rows, n, seed, "kernel")
}

// Facts returns the source and the known labels.
func (d *Data) Facts() []any { return []any{d.Rows, d.Known} }

// check returns an error if what is known is of other rows.
func (d *Data) check(rows int) error {
	if d.Known != nil && d.Known.Rows() != rows {
		return fmt.Errorf("%s: %d rows, and %d labels or rows of targets", d.Rows.Info().Name, rows, d.Known.Rows())
	}
	return nil
}

// checkKnown returns an error unless data of a shape suit the paradigm.
func (m Solver) checkKnown(s model.Size) error {
	known := s.Classes > 0 || s.Targets > 0
	switch {
	case m.Paradigm == Unsupervised && known:
		return errors.New("unsupervised knows no labels; semisupervised does")
	case m.Paradigm == Alternative && s.Classes == 0:
		return errors.New("alternative needs the classes that clusters are to differ from")
	case m.Paradigm != Unsupervised && !known:
		return fmt.Errorf("%v needs what is known of the rows: labels, targets, scores", m.Paradigm)
	}
	return nil
}
