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

// Output is what a row is asked for.
type Output uint8

const (
	// Coordinates are the numbers that the model is made for: an embedding, values of
	// functions, images, decisions.
	Coordinates Output = iota
	// Class is the number of the class chosen, from 0: one column.
	Class
	// Decision is a decision value for each class; the largest one chooses.
	Decision
	// Probability is the probability of each class. They add up to 1.
	Probability
	// Value is a predicted number for each target.
	Value
	// Lower and Upper are the ends of the interval that a new number of each target is in with
	// the probability [Request.Level].
	Lower
	Upper
	// Deviation is the standard deviation of a new number of each target, its noise included.
	Deviation
	// Scores are coordinates of a low-rank model times the roots of its values: their inner
	// products approximate the kernel.
	Scores
	// Novelty is three numbers: the distance of a row in feature space from the span of the model;
	// its leverage; and tail, the share of fitted rows that are as far from the span, or farther.
	Novelty
)

// String returns the word for a kind.
func (k Output) String() string { return words.Of(kindWords, k) }

var kindWords = []string{"coordinates", "class", "decision", "probability", "value", "lower", "upper", "std", "scores", "novelty"}

// ErrNoOutput says that models of a family never give a kind of output.
var ErrNoOutput = errors.New("no such output")

// Only returns an error that wraps [ErrNoOutput] unless the kind is one of those given.
func (k Output) Only(kinds ...Output) error {
	if slices.Contains(kinds, k) {
		return nil
	}
	return fmt.Errorf("the model gives no %v: %w", k, ErrNoOutput)
}

// Request says what a pass makes of rows. The zero value asks for the coordinates of rows on
// the left side.
type Request struct {
	Side    Side
	Outputs []Output // in the order of their columns; none means Coordinates
	Kept    bool     // blocks have the kept columns of the source
	Level   float64  // of intervals, between 0 and 1; for Lower and Upper
}

// kinds returns the kinds that are asked for.
func (r Request) kinds() []Output {
	if len(r.Outputs) == 0 {
		return []Output{Coordinates}
	}
	return r.Outputs
}

// Asks reports whether a kind is asked for.
func (r Request) Asks(kind Output) bool { return slices.Contains(r.kinds(), kind) }

// Names returns the names of the columns that a request gives, or an error that says why the
// model has none of a kind.
func (r Request) Names(m Transformer) (names []string, err error) {
	if (r.Asks(Lower) || r.Asks(Upper)) && !(r.Level > 0 && r.Level < 1) {
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

// Emit takes what a pass has made of the rows of a block, in row order. Neither may
// be kept.
type Emit func(b *stream.Block, out blas64.General) error

// Worker puts what is asked for the rows of a block into as many rows of dst. It belongs to one
// goroutine.
type Worker = func(dst blas64.General, b *stream.Block) error

// Transformer is a model that turns rows, seen or new, into a few numbers. Several goroutines may
// use a Transformer at a time. Methods of some families that change the model say so, as Refine of lowrank and
// LearnClasses of ism: no other method may run then, and embedders made before know nothing of the change.
type Transformer interface {
	Model
	// Outputs returns the names of the numbers of a kind that Transform makes of a row of a
	// side, or an error that says why the model has none. It wraps [ErrNoOutput] if no model
	// of the family has any.
	Outputs(side Side, kind Output) ([]string, error)
	// Dimension returns how many columns the rows of a side have.
	Dimension(side Side) int
	// TransformPlan returns what a pass of Transform over rows will hold.
	TransformPlan(e stream.Engine, rows stream.Source, r Request) *Plan
	// Worker returns a function that makes workers for the rows of a source. It returns an error
	// if the rows do not suit the model. Rows are finite, unless the model PreparesRows.
	Worker(rows stream.Source, r Request) (func() Worker, error)
	// Transform makes one pass over rows and gives what it makes of them to emit, in order:
	// see the function of this name.
	Transform(ctx context.Context, e stream.Engine, rows stream.Source, r Request, emit Emit) error
}

// Transform implements Transform of every model by its Worker. It returns an error if rows have another
// number of columns than those of the fit, or if a number is not finite.
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

// rowPreparer is implemented by models whose workers take raw rows: they fill nulls, or refuse them.
type rowPreparer interface{ PreparesRows() bool }

// checkedWorker makes workers that refuse numbers that are not finite.
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

// TransformMatrix returns what a request gives for the rows of a matrix in memory. A model of
// rank 0 has no columns. Cost: one pass, n·k numbers.
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
