package rkhs

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
)

// Model is a decomposition of an empirical operator S, with functions that can be
// evaluated at new rows. For [SVD]
//
//	S ≈ Σ_i Values_i·(Left_i ⊗ Right_i)
//
// where Left are orthonormal functions in the range RKHS of S, and Right in its domain. For [Eigen], S·Right_i =
// λ_i·Right_i and S*·Left_i = λ̄_i·Left_i, each of norm 1, with λ_i = Values_i + √−1·Imag_i in descending magnitude.
type Model struct {
	Task        Task
	Operator    Operator
	Algorithm   Algorithm
	Centered    bool
	Inverse     bool // of the pseudo-inverse of the operator
	Seed        uint64
	Pairs       int64     // number of pairs, or of rows x if there are none
	RowsY       int64     // of [Unpaired] data, else 0
	Lag         int64     // of [Lagged] data, else 0
	Values      []float64 // singular values, descending, or real parts of eigenvalues
	Imag        []float64 // imaginary parts; nil if all are zero
	Left, Right *Functions
	// CanonicalLeft and CanonicalRight are the canonical functions (C_YY+ε)^(−1/2)·Left and (C_XX+ε)^(−1/2)·Right of
	// [CCA]; nil for other operators. The singular values are their correlations. The variance plus ε·norm² of each
	// function is 1.
	CanonicalLeft, CanonicalRight *Functions
}

// Rank returns the number of singular triplets or eigenpairs.
func (m *Model) Rank() int { return len(m.Values) }

// Eigenvalues returns λ_i.
func (m *Model) Eigenvalues() []complex128 {
	values := make([]complex128, m.Rank())
	for i, v := range m.Values {
		values[i] = complex(v, 0)
		if m.Imag != nil {
			values[i] = complex(v, m.Imag[i])
		}
	}
	return values
}

// Timescales returns the implied timescales −step/ln|λ_i| of a transfer operator for pairs at the time distance step.
// They are infinite for |λ| = 1 and negative above.
func (m *Model) Timescales(step float64) []float64 {
	t := make([]float64, m.Rank())
	for i, v := range m.Eigenvalues() {
		t[i] = -step / math.Log(cmplx.Abs(v))
	}
	return t
}

// Truncated returns the model with its first rank values. For [SVD] it is the best approximation of S by an operator of
// that rank (paper, Section 4.1).
func (m *Model) Truncated(rank int) *Model {
	if rank < 0 || rank > m.Rank() {
		panic(fmt.Sprintf("rkhs: rank %d of %d", rank, m.Rank()))
	}
	t := *m
	t.Values = m.Values[:rank]
	if m.Imag != nil {
		t.Imag = m.Imag[:rank]
	}
	for _, f := range []**Functions{&t.Left, &t.Right, &t.CanonicalLeft, &t.CanonicalRight} {
		if *f != nil {
			*f = (*f).First(rank)
		}
	}
	return &t
}

// PseudoInverse returns S⁺ = Σ σ_i⁻¹·(Right_i ⊗ Left_i) (paper, Section 4.1) from the singular values above tolerance
// times the first. The result is a model of task [SVD] with the sides exchanged and values descending. For a model of
// lower rank than S, it is the pseudo-inverse of the truncated operator.
func (m *Model) PseudoInverse(tolerance float64) (*Model, error) {
	if m.Task != SVD {
		return nil, fmt.Errorf("a pseudo-inverse comes from singular values, and the model has eigenvalues")
	}
	if !(tolerance >= 0 && tolerance < 1) {
		return nil, fmt.Errorf("tolerance %v of a pseudo-inverse must be from 0 to below 1", tolerance)
	}
	t := m.Truncated(dense.Rank(m.Values, tolerance))
	inverse := *t
	inverse.Inverse = !m.Inverse
	inverse.Values = make([]float64, t.Rank())
	for i, v := range t.Values {
		inverse.Values[t.Rank()-1-i] = 1 / v
	}
	inverse.Left, inverse.Right = t.Right.reversed(), t.Left.reversed()
	inverse.CanonicalLeft, inverse.CanonicalRight = nil, nil
	return &inverse, nil
}

// reversed returns real functions in reverse order.
func (f *Functions) reversed() *Functions {
	columns := span(0, f.Count())
	slices.Reverse(columns)
	return f.pick(columns)
}

// Fit is a model with the results of its fit. Residuals are, for each triplet or eigenpair, the larger of ‖Sv−σu‖ and
// ‖S*u−σv‖, or of ‖Sv−λv‖ and ‖S*u−λ̄u‖, relative to the first value. They measure the algebra within the span of the
// features.
type Fit struct {
	*Model
	model.Report
	// Spectrum has all singular values, or magnitudes of eigenvalues, above rounding. Values are the first of them.
	Spectrum []float64
	// TraceResiduals are the fractions of Σ w_i·k(x_i, x_i) and of Σ w_i·l(y_i, y_i) outside the span of the features,
	// on the pairs of the fit: from 0 to 1, exact up to rounding. The one for y is NaN if the operator does not use y.
	TraceResiduals [2]float64
	// Trace is tr(C_XX) = Σ w_i·k(x_i, x_i), minus the squared norm of the mean if the features were centred: the sum
	// of all eigenvalues of [Covariance].
	Trace float64
	// Features are the numbers of features of x and y, 0 for none. Landmarks are the kernel entries evaluated for a row
	// of each.
	Features, Landmarks [2]int
	// Dropped is the number of directions omitted from the inverses of an operator with ε = 0.
	Dropped int
}

// TruncationError returns ‖S − S_k‖ in the Hilbert–Schmidt norm, where S_k is the best approximation of rank k; the
// model is S_k for k = Rank (paper, Section 4.1). It requires task [SVD].
func (f *Fit) TruncationError(k int) float64 {
	return dense.Norm(f.Spectrum[min(k, len(f.Spectrum)):])
}
