package lowrank

import (
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Model is an approximation of a kernel matrix: Â = U·diag(Values)·Uᵀ + Shift·I
// for one source, Â = U·diag(Values)·Vᵀ for two, with U and V as functions of
// rows.
type Model struct {
	Method string
	Kernel kernelgen.Kernel
	Seed   uint64
	Rows   int64 // rows of A: rows of the left source
	Cols   int64 // columns of A: rows of the right source
	Left   *Embedding
	Right  *Embedding // nil when A is symmetric and V is U, and with Explicit
	Values []float64  // descending eigenvalues, or singular values
	Shift  float64
	// Explicit is of a model of a matrix that is read instead of a kernel.
	Explicit *Explicit
	// Precision is that of the tiles that U and V are made of, in the fit and
	// since: with another they would not be orthonormal on the fitted rows.
	Precision Precision
}

// Describe returns what the model says about itself.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: m.Method, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols,
		Rank: len(m.Values), Values: m.Values, Seed: m.Seed, Columns: m.Dimension(model.Left), TwoSided: !m.Symmetric()}
	if m.Explicit != nil {
		d.Subject, d.Kernel = m.Explicit.Map.String()+" of a matrix", ""
	}
	if m.Symmetric() {
		d.Facts = append(d.Facts, model.Fact{Name: "shift", Value: fmt.Sprintf("%.4g", m.Shift)})
	}
	if m.Precision != Float64 {
		d.Facts = append(d.Facts, model.Fact{Name: "precision", Value: m.Precision.String()})
	}
	return d
}

// Symmetric reports whether the model is of a symmetric matrix.
func (m *Model) Symmetric() bool { return m.Right == nil && m.Explicit == nil }

// Refined reports whether the factors of the fitted rows are orthonormal to rounding.
func (m *Model) Refined() bool { return m.Left.Refinement.Rows > 0 }

// right is the embedding of the right rows.
func (m *Model) right() *Embedding {
	if m.Right == nil {
		return m.Left
	}
	return m.Right
}

// Fit is what a method returns: the model, and what is known about it.
type Fit struct {
	*Model
	// Notes are sentences for the user: what was adjusted, and why.
	Notes []string
	// KernelEntries is how many entries of A were evaluated.
	KernelEntries int64
	// ErrorEstimate and SpectralEstimate estimate ‖A−Â‖_F/‖A‖_F and ‖A−Â‖₂/‖A‖₂,
	// as a rule from the entries between landmarks and rows that no sketch has
	// seen; methods that visit all entries know better. Of 200 random cases at
	// least 95 % are within a factor of 2 of the truth, and in none is it more
	// than 3 times the estimate (TestEstimateCalibration). NaN if there are too
	// few rows.
	ErrorEstimate, SpectralEstimate float64
	// TraceResidual is the part of tr(A) that the directions of U leave,
	// 1 − Σ(Values + Shift)/tr(A): one minus the explained variance of kernel PCA,
	// and without a shift, where A−Â is positive semi-definite, the relative error
	// in the nuclear norm. Exact up to rounding; NaN if tr(A) is not known or not
	// positive.
	TraceResidual float64
	// Condition is the condition number of the sketch after the cut-off.
	Condition float64
	// PrecisionBound bounds the error of tiles in float32, relative to the
	// largest kernel entry (see [Precision]); 0 in float64.
	PrecisionBound float64
}

// OrthogonalityBound bounds max|UᵀU−I| on the fitted rows, up to a modest
// factor: ε times the condition of the sketch before Refine.
func (f *Fit) OrthogonalityBound() float64 { return orthogonalityBound(f.Condition, f.Refined()) }

// knownRows is the number of rows of a source, or an error when nobody knows.
func knownRows(src stream.Source) (int64, error) {
	info := src.Info()
	switch {
	case info.Once:
		return 0, stream.OnceError(info.Name)
	case info.Rows < 0:
		return 0, fmt.Errorf("%s: the number of rows is not known; store the source first (--spool)", info.Name)
	case info.Rows == 0:
		return 0, fmt.Errorf("%s has no rows", info.Name)
	case len(info.Columns) == 0:
		return 0, fmt.Errorf("%s has no numeric columns", info.Name)
	}
	return info.Rows, nil
}

// finishFit undoes the unit of the tiles and adds the error estimates, from the
// held-back rows of the left and the right source, and tr(A), NaN if nobody knows.
func finishFit(t *tiles, m *Model, notes []string, condition float64, left, right *panel, trace float64) (*Fit, error) {
	m.Precision = t.precision
	estimate, err := t.estimate(m, left, right, trace)
	if err != nil {
		return nil, err
	}
	if err := t.comparePrecision(estimate.frobenius); err != nil {
		return nil, err
	}
	f := &Fit{Model: m, Notes: append(notes, estimate.notes...), Condition: condition, PrecisionBound: t.bound,
		ErrorEstimate: estimate.frobenius, SpectralEstimate: estimate.spectral, TraceResidual: estimate.trace}
	f.KernelEntries = t.entries.Load()
	t.finishUnits(m)
	return f, checkModel(m)
}

// finishUnits divides the unit of the tiles out of a model: the embedding is
// per unit of the kernel, the values are multiples of it.
func (t *tiles) finishUnits(m *Model) {
	if t.unit == 1 {
		return
	}
	for i := range m.Values {
		m.Values[i] /= t.unit
	}
	m.Shift /= t.unit
	for _, e := range []*Embedding{m.Left, m.Right} {
		if e == nil {
			continue
		}
		e.Unit = t.unit
	}
}

// checkModel refuses a model that cannot be represented.
func checkModel(m *Model) error {
	for i, v := range m.Values {
		if v-v != 0 {
			return fmt.Errorf("value %d of the approximation is %v: the kernel matrix overflows; scale the columns (--scale standard)", i, v)
		}
	}
	return nil
}
