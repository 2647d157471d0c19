package ridge

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data holds rows and the targets or classes to predict. Targets, labels, weights and groups are kept columns of Rows,
// which a pass reads along with the rows: blockstore.Options.Keep keeps columns of a file, and [stream.Beside] adds
// columns in memory to a source.
type Data struct {
	Rows stream.Source
	// Targets names kept columns of finite numbers.
	Targets []string
	// Classes is the kept column of labels, with its levels, see [FindClasses].
	Classes *Classes
	// Weights is the kept column of the weights of squared errors, 0 or more; "" means equal weights. A row of weight k
	// counts as k copies, and a row of weight 0 is ignored.
	Weights string
	// FoldBy names a kept column: rows with equal values share a fold. "" makes each row its own group. A column with a
	// single value is an error.
	FoldBy string
}

var _ model.Data = (*Data)(nil)

// Size returns the size of the data. The number of rows is -1 if unknown.
func (d *Data) Size() model.Size {
	s := model.Sources{Left: d.Rows}.Size()
	s.Classes, s.Targets, s.Weighted = d.Classes.count(), len(d.Targets), d.Weights != ""
	return s
}

// Sample returns rows for resolving the words of kernels.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return input.DrawRows(ctx, d.Rows, n, seed, "kernel")
}

// sampledBy returns data whose Sample respects weights. With weights, a sample takes passes.
func (d *Data) sampledBy(e stream.Engine) model.Data {
	if d.Weights == "" {
		return d
	}
	return weightedData{d, e}
}

// weightedData is weighted data, with the engine for the passes of its sample.
type weightedData struct {
	*Data
	engine stream.Engine
}

// Sample returns at most n rows. A row of weight k counts as k rows.
func (d weightedData) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return input.DrawWeighted(ctx, d.engine, d.Rows, d.Weights, n, seed, "kernel")
}

// Facts returns the source and its kept columns of targets, labels, weights and groups.
func (d *Data) Facts() []any { return []any{d.Rows, d.Targets, d.Classes, d.Weights, d.FoldBy} }

// outputs returns the number of regressed columns.
func outputs(s model.Size) int { return max(s.Classes, s.Targets) }

// check returns an error unless there are targets or classes. Their values are checked as they are read.
func (d *Data) check() error {
	n, err := input.KnownRows(d.Rows)
	switch {
	case err != nil:
		return err
	case d.Classes != nil && len(d.Targets) > 0:
		return errors.New("there are targets and labels: give one of them, not both")
	case d.Classes == nil && len(d.Targets) == 0:
		return errors.New("there are neither targets nor labels")
	case d.Classes == nil:
		return nil
	case d.Classes.rows()+d.Classes.absent != n:
		const what = "%s has %d rows, and the classes are of %d: find those of these rows"
		return fmt.Errorf(what, d.Rows.Info().Name, n, d.Classes.rows()+d.Classes.absent)
	}
	return d.Classes.check(d.Rows.Info().Name)
}
