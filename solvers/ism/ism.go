package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Engine says how Φ and J are worked out.
type Engine uint8

const (
	// EngineAuto is exact where n²·(d+q+16) ≤ 2·10¹⁰, and linear otherwise.
	EngineAuto Engine = iota
	// EngineExact visits the upper half of all pairs of rows, in tiles, for each W.
	// Cost: n²·(q+d) flops and n²/2 kernel entries for each term, an iteration. It
	// loads the rows: 16·n·d bytes.
	EngineExact
	// EngineLinear makes one pass over the rows for each W, with the kernel replaced
	// by its features on r landmarks, which pivoted Cholesky picks anew for each W from
	// a sample that is drawn once: C·(K_JJ)⁺·Cᵀ, r as small as the tolerance allows.
	//
	//	XᵀΨX = Σ_a M_a·M_aᵀ       M_a = Xᵀ·diag(g_a)·F
	//
	// The degrees Ψ1 of distances need sums over all rows that are known after the pass
	// only. They are predicted: by the sample, corrected by how far off it was for
	// the W before. At a fixed point the prediction is exact. When clusters have changed
	// Γ, a light pass works them out before the next W.
	//
	// Cost: n·r kernel entries and n·(2·d·r·c + d²) flops a pass, c = 1 for classes
	// and the number of columns of the factors otherwise; memory for sums of k·d·r
	// numbers, the sample, and what Γ takes (4 bytes a row for classes, 8·k otherwise).
	EngineLinear
)

// String returns the word for the engine: auto, exact or linear.
func (g Engine) String() string { return words.Of(engineWords, g) }

// ParseEngine returns the engine that a word stands for.
func ParseEngine(word string) (Engine, error) {
	return words.Parse[Engine]("engine", engineWords, word)
}

// Method finds W for data and a kernel.
type Method interface {
	Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error)
	Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error)
}

// Solver finds W (paper, Algorithm 1, with damped steps). The zero value of a field but
// Dim means its default.
type Solver struct {
	Dim    int // q, columns of W; the paper takes the number of classes
	Engine Engine

	Paradigm Paradigm
	// Clusters are how many to find, at least 2; Supervised finds none.
	Clusters int
	// Mu is μ > 0, the weight of what is known for SemiSupervised and Alternative. 0 means
	// 1. It multiplies HK_ŶH as it is, whose trace is of the order of n where that of
	// D^(−½)YYᵀD^(−½) is of the order of clusters/n; Relative is for weights that do not
	// depend on n.
	Mu float64
	// Relative divides both terms of Γ by their Frobenius norm at the first round, so
	// that μ = 1 weighs them alike. The paper does not.
	Relative bool
	// Laplacian takes, for Unsupervised, the leading eigenvectors of D^(−½)·K_XW·D^(−½) for
	// Y, those of spectral clustering, as the other paradigms do. The steps then do not
	// raise the same objective, and kernels must be positive in sum over each row.
	Laplacian bool

	// Iterations is how many W are tried at most for one Γ, damped ones counted. 0
	// means 50.
	Iterations int
	// Tolerance is δ: the iteration ends when the q leading eigenvalues change by less,
	// ‖Λ−Λ'‖ < δ·‖Λ‖, and the subspace by less than Angle. 0 means 0.01.
	Tolerance float64
	// Angle is the largest principal angle, in radians, between the subspaces of two
	// steps at the end (Appendix Q), of directions whose eigenvalue is beyond Tolerance
	// of the largest: the others are not determined. 0 means 0.01.
	Angle float64
	// Rounds is how often clusters and W take turns at most, in the paradigms that look
	// for clusters. 0 means 20.
	Rounds int

	// Landmarks are how many features the linear engine uses at most. 0 means 300.
	Landmarks int
	// FeatureTolerance is the part of K_ii, in the mean over rows, that features may leave:
	// no more landmarks are used than that takes. Φ and J are off by some ten times as
	// much, relative. 0 means 1e-4.
	FeatureTolerance float64
	// Sample is how many rows the linear engine holds to pick landmarks from and to
	// predict sums. 0 means 2000; at least Landmarks.
	Sample int

	Seed uint64
}

// Step is one W that was tried.
type Step struct {
	Round     int     // of clusters and W in turn, from 1; 1 for Supervised
	Objective float64 // J(W), see [Fit]
	// Eigenvalues are the q largest of Φ(W), descending.
	Eigenvalues []float64
	Change      float64 // ‖Λ−Λ'‖/‖Λ‖ from the W before; NaN for the first of a round
	Angle       float64 // to the W before, see [Solver.Angle]; NaN for the first of a round
	Damping     float64 // τ of the step that led here, in units of ‖Φ‖; 0 for a full one
	Accepted    bool    // false if J had fallen, and the step was taken again, damped
}

// Fit is what a solver returns: the model, and what is known about it. Chosen is the
// engine, and ExactPasses are those over all pairs of rows.
type Fit struct {
	*Model
	model.Report
	// History are all W that were tried, in order.
	History []Step
	// Objective is J(W) = Tr(Γ·K_XW), of the approximate kernel with the linear engine.
	// The HSIC of the paper is J/(n−1)².
	Objective float64
	// Gradient is ‖ΦW − WΛ‖_F/‖Φ‖_F at the end, Λ = WᵀΦW: how well the gradient
	// condition (Lemma 1) holds. Residuals tell it of each column of W.
	Gradient float64
	// Iterations are the W that were tried from there, and Damped how many of them by damped steps.
	Iterations, Damped int
	// Rounds are the turns of clusters and W; 1 for Supervised.
	Rounds int
	// Features is how many landmarks the linear engine used last, for the first kernel
	// of a sum; 0 for exact.
	Features int
	// FeatureError is the part of K_ii or f'(β_ii) that the features leave, in the mean
	// over a part of the sample, at the end; NaN for exact.
	FeatureError float64
	// Embedding is Y (n×clusters), the spectral embedding the clusters come from; empty
	// for Supervised.
	Embedding blas64.General
	// Labels are the clusters of the rows: k-means of the rows of Y, each divided by its
	// norm. nil for Supervised.
	Labels []int
}
