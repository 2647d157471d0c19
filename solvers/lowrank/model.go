package lowrank

import (
	"fmt"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// Model is an approximation of a kernel matrix, centred for [PCA]: Â = U·diag(Values)·Uᵀ + Shift·I for one source, Â =
// U·diag(Values)·Vᵀ for two. U and V are functions of rows. It is a [model.Transformer] and a [model.Verifier].
type Model struct {
	Method string
	Kernel kernelgen.Kernel
	Seed   uint64
	Rows   int64 // of A: rows of the left source
	Cols   int64 // of A: rows of the right source
	Left   *Embedding
	Right  *Embedding // nil if A is symmetric and V is U, and with Explicit
	Values []float64  // descending eigenvalues, or singular values
	Shift  float64
	// Trace is the trace of the centred kernel matrix of a [PCA] model; 0 for others.
	Trace float64
	// Sums are the row sums of a normalised kernel; nil for others.
	Sums *RowSums
	// Explicit is set for a model of an explicit matrix instead of a kernel.
	Explicit *Explicit
	// Clusters and Novelty are set by [Sampled]; nil otherwise.
	Clusters *Clusters
	Novelty  *Novelty
}

// Describe returns a summary of the model.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: m.Method, Subject: m.Kernel.String(), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: m.Cols,
		Rank: len(m.Values), Values: m.Values, Seed: m.Seed, Columns: m.Dimension(model.Left), TwoSided: !m.Symmetric()}
	if m.Explicit != nil {
		d.Subject, d.Kernel = m.Explicit.Map.String()+" of a matrix", ""
	}
	if shares := m.Explained(); shares != nil {
		d.Facts = append(d.Facts, model.Fact{Name: "explained",
			Value: fmt.Sprintf("%.4g of the variance", dense.Sum(shares))})
	} else if m.Symmetric() {
		d.Facts = append(d.Facts, model.Fact{Name: "shift", Value: fmt.Sprintf("%.4g", m.Shift)})
	}
	return d
}

// Symmetric reports whether the model is of a symmetric matrix.
func (m *Model) Symmetric() bool { return m.Right == nil && m.Explicit == nil }

// Refined reports whether the factors of the fitted rows are orthonormal up to rounding.
func (m *Model) Refined() bool { return m.Left.Refinement.Rows > 0 }

// right returns the embedding of the right rows.
func (m *Model) right() *Embedding {
	if m.Right == nil {
		return m.Left
	}
	return m.Right
}
