package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// Output is a kind of output that a model computes for a row.
type Output uint8

const (
	// Coordinates are the principal outputs of the model: an embedding, function values, images or decisions.
	Coordinates Output = iota
	// Class is the index of the predicted class, from 0: one column.
	Class
	// Decision is a decision value for each class; the class with the largest one is predicted.
	Decision
	// Probability is the probability of each class. Probabilities of a row sum to 1.
	Probability
	// Value is a predicted number for each target.
	Value
	// Lower and Upper are the limits of a prediction interval for each target, with coverage [Request.Level].
	Lower
	Upper
	// Deviation is the standard deviation of a new observation of each target, including its noise.
	Deviation
	// Scores are the coordinates of a low-rank model, scaled by the square roots of its values: their inner products
	// approximate the kernel.
	Scores
	// Novelty is three numbers: the distance of a row in feature space from the span of the model; its leverage; and
	// tail, the fraction of fitted rows with at least this distance.
	Novelty
)

// String returns the word for the kind.
func (k Output) String() string { return words.Of(kindWords, k) }

var kindWords = []string{"coordinates", "class", "decision", "probability", "value", "lower", "upper", "std", "scores", "novelty"}

// ErrNoOutput reports a kind of output that no model of the family has.
var ErrNoOutput = errors.New("no such output")

// RequireOneOf returns an error that wraps [ErrNoOutput] unless k is one of kinds.
func (k Output) RequireOneOf(kinds ...Output) error {
	if slices.Contains(kinds, k) {
		return nil
	}
	return fmt.Errorf("the model gives no %v: %w", k, ErrNoOutput)
}

// Request selects the outputs of a pass. The zero value requests the coordinates of left rows.
type Request struct {
	Side    Side
	Outputs []Output // in column order; none means Coordinates
	Kept    bool     // blocks carry the kept columns of the source
	Level   float64  // coverage of intervals, between 0 and 1; for Lower and Upper
}

// kinds returns the requested kinds of output.
func (r Request) kinds() []Output {
	if len(r.Outputs) == 0 {
		return []Output{Coordinates}
	}
	return r.Outputs
}

// Includes reports whether a kind of output is requested.
func (r Request) Includes(kind Output) bool { return slices.Contains(r.kinds(), kind) }

// Names returns the names of the output columns. It fails, with the reason, if the model lacks a requested kind.
func (r Request) Names(m Transformer) (names []string, err error) {
	if (r.Includes(Lower) || r.Includes(Upper)) && !(r.Level > 0 && r.Level < 1) {
		return nil, fmt.Errorf("`Request.Level %v` must be between 0 and 1, such as 0.9", r.Level)
	}
	for _, k := range r.kinds() {
		columns, err := m.Outputs(r.Side, k)
		if err != nil {
			return nil, err
		}
		names = append(names, columns...)
	}
	return names, nil
}

// Emit receives the outputs of the rows of a block, in row order. It must not retain either argument.
type Emit func(b *stream.Block, out blas64.General) error

// Worker writes the requested outputs of the rows of a block to the rows of dst. It must not be used concurrently.
type Worker = func(dst blas64.General, b *stream.Block) error

// Transformer is a model that maps rows, of the fit or new, to a few numbers. It is safe for concurrent use. Some
// families have methods that change the model, such as Refine of lowrank and LearnClasses of ism. No other method may
// run at the same time, and existing embedders do not see the change.
type Transformer interface {
	Model
	// Outputs returns the names of the outputs of a kind for the rows of a side. It fails, with the reason, if the
	// model has none. The error wraps [ErrNoOutput] if no model of the family has any.
	Outputs(side Side, kind Output) ([]string, error)
	// Dimension returns the number of columns of the rows of a side.
	Dimension(side Side) int
	// TransformPlan returns the cost of Transform for rows.
	TransformPlan(e stream.Engine, rows stream.Source, r Request) *Plan
	// Worker returns a function that makes workers for the rows of a source. It fails if the rows do not suit the
	// model. The workers expect finite entries, unless the model PreparesRows.
	Worker(rows stream.Source, r Request) (func() Worker, error)
	// Transform makes one pass over rows and passes their outputs to emit, in order: see the function of this name.
	Transform(ctx context.Context, e stream.Engine, rows stream.Source, r Request, emit Emit) error
}

// Transform implements Transform for every model, by its Worker. It fails if the number of columns differs from that of
// the fit, or if an entry is not finite.
func Transform(ctx context.Context, e stream.Engine, m Transformer, rows stream.Source, r Request, emit Emit) error {
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	worker, err := checkedWorker(m, rows, r)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, len(names), r.Kept, worker, emit)
}

// rowPreparer is implemented by models with workers for raw rows. They fill or refuse nulls.
type rowPreparer interface{ PreparesRows() bool }

// checkedWorker makes workers that refuse entries that are not finite.
func checkedWorker(m Transformer, rows stream.Source, r Request) (func() Worker, error) {
	info := rows.Info()
	worker, err := m.Worker(rows, r)
	if err != nil {
		return nil, err
	}
	if raw, is := m.(rowPreparer); is && raw.PreparesRows() {
		return worker, nil
	}
	return func() Worker {
		do := worker()
		return func(dst blas64.General, b *stream.Block) error {
			if err := input.CheckRows(info, b.X, b.Start); err != nil {
				return err
			}
			return do(dst, b)
		}
	}, nil
}

// TransformMatrix returns the requested outputs of the rows of a matrix in memory. A model of rank 0 has no columns.
// Cost: one pass; memory for n·k numbers.
func TransformMatrix(ctx context.Context, e stream.Engine, m Transformer, x blas64.General, r Request) (blas64.General, error) {
	names, err := r.Names(m)
	if err != nil || len(names) == 0 {
		return blas64.General{Rows: x.Rows, Stride: 1}, err
	}
	out, row := matrix.New(x.Rows, len(names)), 0
	err = m.Transform(ctx, e, stream.FromMatrix("rows", x), r, func(_ *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(matrix.Row(out, row), u.Data[i*u.Stride:])
			row++
		}
		return nil
	})
	return out, err
}
