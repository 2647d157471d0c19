package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method approximates the kernel matrix between the rows of the left and the right source, or of the left with itself
// if there is one source. Methods for symmetric matrices refuse two sources and asymmetric kernels, for which entry (i,
// j) is k(x_i, z_j). [Landmark], [SSRSVD] and [Auto] accept them, including kernels normalised by row sums.
type Method interface {
	// Plan returns the cost of a fit.
	Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error)
	// Fit approximates the matrix. The kernel may have parameters that are words.
	Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error)
}

// Fit is the result of every method: the model, estimates of its error, and a report.
//
// Errors estimate ‖A−Â‖₂/‖A‖₂ and ‖A−Â‖_F/‖A‖_F, usually from the entries between landmarks and rows that no sketch has
// used. Methods that visit all entries are more accurate. In at least 95 % of 200 random cases they are within a factor
// of 2 of the true error, which never exceeds 3 times the estimate (TestEstimateCalibration). They are missing if there
// are too few rows. [Fit.EstimateIn] returns them.
type Fit struct {
	*Model
	model.Report
	// TraceResidual is the fraction of tr(A) outside the directions of U, 1 − Σ(Values + Shift)/tr(A). It is one minus
	// the explained variance of kernel PCA. Without a shift, if A−Â is positive semi-definite, it is the relative error
	// in the nuclear norm. It is exact up to rounding, and NaN if tr(A) is unknown or not positive.
	TraceResidual float64
	// TraceKept is tr(Â)/tr(A), near 1 with [ShiftFitted]. NaN as TraceResidual.
	TraceKept float64
	// Condition is the condition number of the sketch after the cutoff, restricted to the directions in U and V if the
	// method knows them.
	Condition float64
	// Pivots are the numbers of the landmarks in the order of their draw by [RPCholesky].
	Pivots []int64
}

// OrthogonalityBound bounds max|UᵀU−I| on the fitted rows, up to a modest factor: ε times Condition, or a small
// multiple of ε after Refine.
func (f *Fit) OrthogonalityBound() float64 {
	const eps = 0x1p-52
	if f.Refined() {
		return 64 * eps
	}
	return math.Min(1, eps*f.Condition)
}

// check returns an error unless there is a matrix of the kernel between the rows.
func check(d model.Sources, k kernelgen.Kernel) error {
	if err := d.Check(); err != nil {
		return err
	}
	return checkKernel(k)
}

// checkKernel returns an error unless k is a function of two rows, but for row sums that divide it.
func checkKernel(k kernelgen.Kernel) error {
	k, _ = k.Normaliser()
	return k.CheckPlain()
}

// checkSymmetric returns an error unless the matrix is symmetric.
func checkSymmetric(s model.Size, k kernelgen.Kernel) error {
	switch err := checkKernel(k); {
	case err != nil:
		return err
	case !k.Symmetric():
		return fmt.Errorf("kernel %s is not symmetric, which this method asks for: use landmark, ssrsvd or auto, or ksvd", k)
	case !s.OneSource():
		return errors.New("this method is for the symmetric matrix of one source: use landmark, ssrsvd or auto for two, or ksvd for exact passes")
	}
	return nil
}

// resolveSymmetric checks the data and the kernel of a method for symmetric matrices,
// and returns the kernel with its words as numbers, and the number of rows.
func resolveSymmetric(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel, seed uint64) (kernelgen.Kernel, int64, error) {
	if err := check(d, k); err != nil {
		return k, 0, err
	}
	s := d.Size()
	if err := checkSymmetric(s, k); err != nil {
		return k, 0, err
	}
	k, err := family.Resolve(ctx, e, d, k, seed)
	return k, s.Rows, err
}

// finishFit undoes the scale of the tiles and adds the error estimates, from the held-back rows of
// the left and the right source, and tr(A), NaN if nobody knows.
func finishFit(ctx context.Context, e stream.Engine, t *tiles.Tiles, m *Model, notes []string,
	condition float64, left, right heldRows, trace float64) (*Fit, error) {
	s, err := newErrorSample(ctx, e, t, m, left, right)
	if err != nil {
		return nil, err
	}
	return finishSampled(ctx, t, m, notes, condition, s, trace)
}

// finishSampled is finishFit with the sample, which it uses up.
func finishSampled(ctx context.Context, t *tiles.Tiles, m *Model, notes []string,
	condition float64, s *errorSample, trace float64) (*Fit, error) {
	estimate, err := s.estimateErrors(ctx, m, trace)
	if err != nil {
		return nil, err
	}
	f := &Fit{Model: m, Condition: condition,
		Report: model.Report{Notes: notes, Warnings: estimate.doubts, SourcePasses: 1, KernelEntries: t.Entries.Load()}}
	f.setTrace(trace)
	f.Warn(basis.SpreadWarning(m.Kernel, s.spread)...)
	f.addErrorEstimates(estimate.spectral, estimate.frobenius, "held-back rows")
	finishUnits(t, m)
	return f, checkModel(m)
}

// setTrace works out the shares of the trace of A, which is in the unit of the values.
func (f *Fit) setTrace(trace float64) {
	f.TraceResidual, f.TraceKept = math.NaN(), math.NaN()
	if trace > 0 && f.Symmetric() {
		sum := dense.Sum(f.Values)
		f.TraceResidual = (trace - sum - f.Shift*float64(len(f.Values))) / trace
		f.TraceKept = (sum + f.Shift*float64(f.Rows)) / trace
		f.warnFlat(trace)
	}
}

// flat is the mean size of the eigenvalues of a model over the mean eigenvalue of A, up to which they do not stand out.
const flat = 1.5

// warnFlat warns if A is nearly a multiple of the identity. The error with a shift is then small, and the factors tell
// nothing.
func (f *Fit) warnFlat(trace float64) {
	sum, rank, rows := 0.0, float64(len(f.Values)), float64(f.Rows)
	for _, v := range f.Values {
		sum += math.Abs(v + f.Shift)
	}
	if times := sum / rank / (trace / rows); 2*rank <= rows && times <= flat {
		f.Warn(fmt.Sprintf("the eigenvalues of the model are on average %.2g times those of the matrix: rows resemble only "+
			"themselves, and no model of low rank exists; take a wider kernel", times))
	}
}

// finishUnits divides the unit of the tiles out of a model: the embedding is
// per unit of the kernel, the values are multiples of it.
func finishUnits(t *tiles.Tiles, m *Model) {
	if t.Scale() == 1 {
		return
	}
	for i := range m.Values {
		m.Values[i] /= t.Scale()
	}
	m.Shift /= t.Scale()
	for _, e := range []*Embedding{m.Left, m.Right} {
		if e == nil {
			continue
		}
		e.Unit = t.Scale()
	}
}

// checkModel refuses a model that cannot be represented.
func checkModel(m *Model) error {
	for i, v := range m.Values {
		if !matrix.IsFinite(v) {
			return fmt.Errorf("value %d of the approximation is %v: the kernel matrix overflows; scale the columns (`Treatment.Scale standard`)", i, v)
		}
	}
	return nil
}
