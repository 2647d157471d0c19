package model

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/stream"
)

// Model is a fitted model of any family.
type Model interface {
	// Describe returns a summary of the model.
	Describe() *Description
	// Save returns the model as an archive for the Load of its package. It fails, naming the field, if a number cannot
	// be stored.
	Save() (*Archive, error)
}

// Description summarises a model in words and numbers.
type Description struct {
	Method  string // as in the command and in the header of the archive
	Subject string // the text of the kernel, or of the fitted data
	Kernel  string // "" for none
	// Rows and Cols are the size of the fitted matrix, or the numbers of samples and columns.
	Rows, Cols int64
	Rank       int       // number of columns of Transform
	Values     []float64 // eigenvalues or singular values
	Seed       uint64
	Columns    int  // number of columns of left rows
	TwoSided   bool // left and right rows differ
	Facts      []Fact
}

// Fact is a further property: a name of a word or two, and its value.
type Fact struct{ Name, Value string }

// Side is one side of a matrix or of an operator.
type Side uint8

// A one-sided model has only Left. Both requests the left outputs of a row, followed by its right outputs.
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
	// VerifyPlan returns the cost of Verify. sample is the number of rows drawn from each source, 0 for all.
	VerifyPlan(e stream.Engine, d Sources, sample int) *Plan
	// Verify measures the error of the model on the rows of d, or on a sample of each source.
	Verify(ctx context.Context, e stream.Engine, d Sources, sample int, seed uint64) (*Verification, error)
}

// Verification is the measured error of a model of a matrix A.
type Verification struct {
	SpectralError  float64 // ‖A−Â‖₂/‖A‖₂
	FrobeniusError float64 // ‖A−Â‖_F/‖A‖_F
	TraceKept      float64 // tr(Â)/tr(A), NaN unless both sides of A are the same rows
	// Residuals are, for each singular triplet with unit vectors u and v, the larger of ‖Av−σu‖ and ‖Aᵀu−σv‖ relative
	// to σ; nil for models that are no decompositions.
	Residuals     []float64
	Norm          float64 // ‖A‖₂
	Iterations    int     // of the estimates of spectral norms
	Tolerance     float64 // relative, of the norms
	Converged     bool
	Rows, Cols    int64 // size of the matrix that was measured
	KernelEntries int64
}

// Check fails if the errors are undefined: numbers of the model or of the matrix overflow, or the matrix is zero.
func (v *Verification) Check() error {
	for _, e := range []float64{v.SpectralError, v.FrobeniusError, v.Norm} {
		if !matrix.IsFinite(e) {
			return fmt.Errorf("the error of the model relative to the matrix, whose norm is %.3g, cannot be measured: it is %v. The rows are not like those of the fit, or the model is damaged", v.Norm, e)
		}
	}
	return nil
}
