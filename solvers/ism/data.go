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

// Data is the input of a fit.
type Data struct {
	Rows stream.Source
	// Response has the labels, targets, scores or given clusters of the rows, depending on the paradigm; nil for
	// Unsupervised.
	Response *Response
}

var _ model.Data = (*Data)(nil)

// Size returns the size of the data. The number of rows is -1 if unknown.
func (d *Data) Size() model.Size {
	s := model.Sources{Left: d.Rows}.Size()
	switch k := d.Response; {
	case k == nil:
	case k.codes != nil:
		s.Classes = k.classes
	default:
		s.Targets = k.classes
	}
	return s
}

// Sample returns rows of the source. Fit resolves words of kernels on other rows: without constant columns, and shifted
// if the kernel allows it.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return input.DrawRows(ctx, d.Rows, n, seed, "kernel")
}

// Facts returns the source and the known labels.
func (d *Data) Facts() []any { return []any{d.Rows, d.Response} }

// check returns an error if the response is for a different number of rows.
func (d *Data) check(rows int) error {
	if d.Response != nil && d.Response.Rows() != rows {
		return fmt.Errorf("%s: %d rows, and %d labels or rows of targets", d.Rows.Info().Name, rows, d.Response.Rows())
	}
	return nil
}

// checkResponse returns an error unless data of the given shape suit the paradigm.
func (m Solver) checkResponse(s model.Size) error {
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
