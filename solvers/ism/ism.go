package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/model"
)

// Algorithm says how Φ and J are worked out.
type Algorithm uint8

const (
	// AlgorithmAuto is exact where n²·(d+q+16) ≤ 2·10¹⁰ or the kernel has no landmarks, and linear
	// otherwise.
	AlgorithmAuto Algorithm = iota
	// AlgorithmExact visits the upper half of all pairs of rows, in tiles, for each W.
	// Cost: n²·(q+d) flops and n²/2 kernel entries for each term, an iteration. It
	// loads the rows: 16·n·(d + k) bytes for k columns of Γ's factors.
	AlgorithmExact
	// AlgorithmLinear makes one pass over the rows for each W, or two, with the kernel replaced
	// by its features on r landmarks, which pivoted Cholesky picks anew for each W from
	// a sample that is drawn once: C·(K_JJ)⁻¹·Cᵀ. It takes no more landmarks than leave 10⁻⁴ of the
	// kernel's diagonal. The kernels f and f' must be known to be positive semi-definite, up to
	// their signs, so relative is for the exact engine.
	//
	//	XᵀΨX = Σ_a M_a·M_aᵀ       M_a = Xᵀ·diag(g_a)·F
	//
	// The degrees Ψ1 of distances need sums over all rows first: a light pass, without
	// products of rows, finds them.
	//
	// Cost: n·r kernel entries and n·(2·d·r·c + d²) flops a pass, c = 1 for classes
	// and the number of columns of the factors otherwise; memory for sums of k·d·r
	// numbers, the sample, and what Γ takes (4 bytes a row for classes, 8·k otherwise).
	AlgorithmLinear
)

// String returns the word for the engine: auto, exact or linear.
func (g Algorithm) String() string { return words.Of(engineWords, g) }

// ParseAlgorithm returns the engine that a word stands for.
func ParseAlgorithm(word string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, word)
}

// Method finds W for data and a kernel. [Solver] is one.
type Method = model.Method[*Data, Fit]

// Solver finds W (paper, Algorithm 1, with damped steps). The zero value of a field but
// Dim means its default.
type Solver struct {
	Dim       int // q, columns of W; the paper takes the number of classes
	Algorithm Algorithm

	Paradigm Paradigm
	// Clusters are how many to find, at least 2; Supervised finds none.
	Clusters int
	// Mu is μ > 0, the weight of what is known for SemiSupervised and Alternative. 0 means
	// 1. Both terms of Γ are divided by their Frobenius norms at the first round, so that 1 weighs
	// them alike for any number of rows. The paper does not divide.
	Mu float64

	// Iterations is how many W are tried at most for one Γ, damped ones counted. 0
	// means 50.
	Iterations int
	// ChangeTol is δ: the iteration ends when the q leading eigenvalues change by less,
	// ‖Λ−Λ'‖ < δ·‖Λ‖, and so does the largest principal angle, in radians, between the subspaces of
	// two steps (Appendix Q). Directions whose eigenvalue is below δ of the largest are not
	// determined, and do not count. 0 means 0.01.
	ChangeTol float64
	// Rounds is how often clusters and W take turns at most, in the paradigms that look
	// for clusters. 0 means 20.
	Rounds int

	// Landmarks are how many the linear engine uses at most. 0 means 300.
	Landmarks int

	Seed uint64
}

// Fit is what a solver returns: the model, and what is known about it. Choice is the
// engine, and ExactPasses are those over all pairs of rows. Residuals are ‖Φw − λw‖ of the
// columns w of W, relative to the largest λ: the gradient condition (Lemma 1).
type Fit struct {
	*Model
	model.Report
	// History are the J of all W that were accepted, in order. Within a round they rise.
	History []float64
	// Objective is J(W) = Tr(Γ·K_XW), of the approximate kernel with the linear engine.
	// The HSIC of the paper is J/(n−1)².
	Objective float64
	// Iterations are the W that were tried, and Damped how many of them by damped steps.
	Iterations, Damped int
	// Rounds are the turns of clusters and W; 1 for Supervised.
	Rounds int
	// Landmarks is how many the linear engine used last, for the first kernel of a sum; 0 for exact.
	Landmarks int
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
