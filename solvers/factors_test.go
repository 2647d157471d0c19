package solvers_test

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/nasty"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestFactorsOfOtherRows: Factors accepts the rows of the fit. It refuses other rows, even if they differ in one
// number, fewer rows, and rows with other columns.
func TestFactorsOfOtherRows(t *testing.T) {
	x, other := normal(1, 39, 260, 2), normal(2, 39, 260, 2)
	shorter, wider := normal(1, 39, 259, 2), normal(1, 39, 260, 3)
	moved := normal(1, 39, 260, 2)
	moved.Data[2*133] += 0.5 // a single row
	f := families[0]
	for _, r := range f.rows {
		if r.data != nil {
			continue
		}
		k := r.kernelOr(t, kernelgen.RBF(0.7))
		src := stream.FromMatrix("x", x)
		fit := f.mustFit(t, stream.Engine{}, r, k, src, src).(*lowrank.Fit)
		factors := func(x blas64.General) error {
			d := model.Sources{Left: stream.FromMatrix("x", x)}
			if r.has(two) {
				d.Right = d.Left
			}
			_, _, err := fit.Factors(t.Context(), stream.Engine{}, d)
			return err
		}
		if err := factors(x); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		for name, x := range map[string]blas64.General{"other": other, "moved": moved, "shorter": shorter, "wider": wider} {
			if err := factors(x); err == nil {
				t.Errorf("%s: %s rows are taken for those of the fit", r.name, name)
			}
		}
	}
}

// TestFactorsOfNastyRows: Factors accepts the rows of the fit for all rows that break naive codes.
func TestFactorsOfNastyRows(t *testing.T) {
	const mostRows = 60
	f := families[0]
	for _, kind := range nasty.Kinds {
		x := stream.FromMatrix(kind.Name, kind.Rows(mostRows))
		for _, r := range f.rows {
			if r.data != nil || r.has(variant|fresh) {
				continue
			}
			d, err := f.dataOf(t, r, x, x)
			if err != nil {
				continue
			}
			fit, err := fitOf(context.Background(), stream.Engine{}, r.method, d, r.kernelOr(t, kernelgen.RBF(0.7)))
			if err != nil {
				continue
			}
			var bad *stream.DataError
			if _, _, err := fit.(*lowrank.Fit).Factors(t.Context(), stream.Engine{}, d.(model.Sources)); errors.As(err, &bad) {
				t.Errorf("%s of %s: %v", r.name, kind.Name, err)
			}
		}
	}
}
