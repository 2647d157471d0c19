package model

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/words"
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
func (s Side) String() string { return words.Of(sideWords, s) }

var sideWords = []string{"left", "right", "both"}

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
	// Residuals are the larger of ‖Av−σu‖ and ‖Aᵀu−σv‖ for each singular triplet of the model, relative to σ, where u
	// and v have length 1; nil for models that are no decompositions.
	Residuals     []float64
	Norm          float64 // ‖A‖₂
	Iterations    int     // steps of what finds the spectral norms
	Tolerance     float64 // relative, on the norms
	Converged     bool
	Rows, Cols    int64 // size of the matrix that was looked at
	KernelEntries int64
}

// Check returns an error if the errors are not known: where the numbers of the model or
// of the matrix overflow, or the matrix is zero.
func (v *Verification) Check() error {
	for _, e := range []float64{v.SpectralError, v.FrobeniusError, v.Norm} {
		if !matrix.IsFinite(e) {
			return fmt.Errorf("the error of the model relative to the matrix, whose norm is %.3g, cannot be measured: it is %v. The rows are not like those of the fit, or the model is damaged", v.Norm, e)
		}
	}
	return nil
}
