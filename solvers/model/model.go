package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Model is what a fit leaves.
type Model interface {
	// Describe returns what the model says about itself.
	Describe() *Description
	// Save returns the model as an archive, which the Load of its package reads. The error
	// names a number that no file can hold.
	Save() (*Archive, error)
}

// Description is what a model says about itself in words and numbers.
type Description struct {
	Method  string // as the command and the header of its archive call it
	Subject string // what the model is of: the text of the kernel, or what was done
	Kernel  string // "" for none
	// Rows and Cols are the size of what was fitted: of the matrix, or samples and
	// columns.
	Rows, Cols int64
	Rank       int       // columns that Transform gives
	Values     []float64 // eigenvalues, singular values
	Seed       uint64
	Columns    int  // numbers in the rows that the model takes on the left side
	TwoSided   bool // the sides differ
	Facts      []Fact
}

// Fact is one more thing that is known: a name of a word or two, and a value.
type Fact struct{ Name, Value string }

// Side is one side of a matrix or of an operator.
type Side uint8

// The sides. A model of one side has the left. Both is for rows that are on either
// side: what they are on the left, and next to it what they are on the right.
const (
	Left Side = iota
	Right
	Both
)

// String returns left, right or both.
func (s Side) String() string { return [...]string{"left", "right", "both"}[s] }

// Emit takes what a pass has made of the rows of a block, in row order. Neither may
// be kept.
type Emit func(b *stream.Block, out blas64.General) error

// Transformer is a model that turns rows, seen or new, into a few numbers.
type Transformer interface {
	Model
	// Outputs returns the names of the numbers that Transform makes of a row of a side,
	// or an error that says why that side has none.
	Outputs(side Side) ([]string, error)
	// Dimension returns how many columns the rows of a side have.
	Dimension(side Side) int
	// TransformPlan returns what a pass of Transform over rows will hold.
	TransformPlan(e stream.Engine, side Side, rows stream.Source) *Plan
	// Transform makes one pass over rows and gives what it makes of them to emit, in
	// order. The blocks have the kept columns of the source if kept.
	Transform(ctx context.Context, e stream.Engine, side Side, rows stream.Source, kept bool, emit Emit) error
}

// TransformMatrix transforms the rows of a matrix in memory. Column j of the result is the
// output that Outputs names j-th; a model of rank 0 has no columns. It takes one pass and
// n·k numbers.
func TransformMatrix(ctx context.Context, e stream.Engine, m Transformer, side Side, x blas64.General) (blas64.General, error) {
	names, err := m.Outputs(side)
	if err != nil || len(names) == 0 {
		return blas64.General{Rows: x.Rows, Stride: 1}, err
	}
	out, row := stream.NewMatrix(x.Rows, len(names)), 0
	err = m.Transform(ctx, e, side, stream.FromMatrix("rows", x), false, func(_ *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(out.Data[row*out.Stride:][:out.Cols], u.Data[i*u.Stride:])
			row++
		}
		return nil
	})
	return out, err
}

// Largest puts the place of the largest number of each row of decisions into classes, of
// equal ones the first.
func Largest(classes []int, decisions blas64.General) {
	for i := range classes {
		classes[i] = 0
		row := decisions.Data[i*decisions.Stride:][:decisions.Cols]
		for c, v := range row {
			if v > row[classes[i]] {
				classes[i] = c
			}
		}
	}
}

// Predictor is a model that chooses a class for a row, by decisions that it weighs from what
// Transform gives.
type Predictor interface {
	Transformer
	// Choices returns how many classes there are, or an error that says why this model chooses
	// none.
	Choices() (int, error)
	// Weigh puts the decisions for rows of what Transform gives into dst, a column for each
	// class.
	Weigh(dst, transformed blas64.General)
	// Choose puts the class of each row of decisions into classes.
	Choose(classes []int, decisions blas64.General)
}

// Calibrated is a predictor that knows how likely the classes are.
type Calibrated interface {
	Predictor
	// Probabilities puts those of the classes, a column for each, into dst for each row of
	// decisions. They add up to 1. The error says why this model has none.
	Probabilities(dst, decisions blas64.General) error
}

// Verifier is a model whose error can be measured on data.
type Verifier interface {
	Model
	// VerifyPlan returns what Verify will hold. sample is the number of rows that are drawn
	// from each source, 0 for all.
	VerifyPlan(e stream.Engine, d Sources, sample int) *Plan
	// Verify measures the error of the model on the rows of d, or on a sample of so many
	// rows of each source.
	Verify(ctx context.Context, e stream.Engine, d Sources, sample int, seed uint64) (*Verification, error)
}

// Verification is the measured error of a model of a matrix A.
type Verification struct {
	SpectralError  float64 // ‖A−Â‖₂/‖A‖₂
	FrobeniusError float64 // ‖A−Â‖_F/‖A‖_F
	TraceKept      float64 // tr(Â)/tr(A), NaN unless both sides of A are the same rows
	Norm           float64 // ‖A‖₂
	Iterations     int     // Lanczos steps
	Tolerance      float64 // relative, on the norms
	Converged      bool
	Rows, Cols     int64 // size of the matrix that was looked at
	KernelEntries  int64
}

// Check returns an error if the errors are not known: where the numbers of the model or
// of the matrix overflow, or the matrix is zero.
func (v *Verification) Check() error {
	for _, e := range []float64{v.SpectralError, v.FrobeniusError, v.Norm} {
		if e-e != 0 {
			return fmt.Errorf("the error of the model relative to the matrix, whose norm is %.3g, cannot be measured: it is %v. The rows are not like those of the fit, or the model is damaged", v.Norm, e)
		}
	}
	return nil
}
