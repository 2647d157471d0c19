package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/model"
)

// Algorithm selects how Φ and J are computed.
type Algorithm uint8

const (
	// AlgorithmAuto is exact if n²·(d+q+16) ≤ 2·10¹⁰ or the kernel has no landmarks, and linear otherwise.
	AlgorithmAuto Algorithm = iota
	// AlgorithmExact visits the upper half of all pairs of rows, in tiles, for each W. Cost of an iteration: n²·(q+d)
	// flops and n²/2 kernel entries for each term. It loads the rows: 16·n·(d + k) bytes for k columns of Γ's factors.
	AlgorithmExact
	// AlgorithmLinear makes one or two passes over the rows for each W. It replaces the kernel by its features on r
	// landmarks, C·(K_JJ)⁻¹·Cᵀ, chosen for each W by pivoted Cholesky from a fixed sample. It stops adding landmarks
	// once the mean residual is 10⁻⁴ of the diagonal. The kernels f and f' must be positive semi-definite, up to their
	// signs, so relative is not supported.
	//
	//	XᵀΨX = Σ_a M_a·M_aᵀ       M_a = Xᵀ·diag(g_a)·F
	//
	// The degrees Ψ1 of distances need sums over all rows first; a light pass, without products of rows, computes them.
	//
	// Cost: n·r kernel entries and n·(2·d·r·c + d²) flops a pass, with c = 1 for classes and the number of columns of
	// the factors otherwise. Memory: sums of k·d·r numbers, the sample, and Γ (4 bytes a row for classes, 8·k
	// otherwise).
	AlgorithmLinear
)

// String returns the word for the engine: auto, exact or linear.
func (g Algorithm) String() string { return words.Of(engineWords, g) }

// ParseAlgorithm is the inverse of String. It fails for unknown words.
func ParseAlgorithm(word string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, word)
}

// Method is any method that finds W for data and a kernel, such as [Solver].
type Method = model.Method[*Data, Fit]

// Solver finds W (paper, Algorithm 1, with damped steps). Dim must be set; other fields may be zero, for their
// defaults.
type Solver struct {
	Dim       int // q, columns of W; the paper takes the number of classes
	Algorithm Algorithm

	Paradigm Paradigm
	// Clusters is the number of clusters, at least 2; not used by Supervised.
	Clusters int
	// Mu is μ > 0, the weight of the response for SemiSupervised and Alternative. 0 means 1. Both terms of Γ are
	// divided by their Frobenius norms in the first round, so 1 weighs them equally for any number of rows. The paper
	// does not divide.
	Mu float64

	// Iterations limits the number of W tried for one Γ, including damped ones. 0 means 50.
	Iterations int
	// ChangeTol is δ. The iteration ends when the q leading eigenvalues change little, ‖Λ−Λ'‖ < δ·‖Λ‖, and the largest
	// principal angle between successive subspaces is below δ radians (Appendix Q). Directions with an eigenvalue below
	// δ of the largest are undetermined and ignored. 0 means 0.01.
	ChangeTol float64
	// Rounds limits the alternations between clusters and W, in paradigms with clusters. 0 means 20.
	Rounds int

	// Landmarks limits the number of landmarks of the linear engine. 0 means 300.
	Landmarks int

	Seed uint64
}

// Fit is a model with the results of its fit. Choice is the engine, and ExactPasses counts passes over all pairs of
// rows. Residuals are ‖Φw − λw‖ of the columns w of W, relative to the largest λ: the gradient condition (Lemma 1).
type Fit struct {
	*Model
	model.Report
	// History has J of all accepted W, in order. It increases within a round.
	History []float64
	// Objective is J(W) = Tr(Γ·K_XW); with the linear engine, of the approximate kernel. The HSIC of the paper is
	// J/(n−1)².
	Objective float64
	// Iterations is the number of W tried, and Damped the number of those from damped steps.
	Iterations, Damped int
	// Rounds is the number of alternations between clusters and W; 1 for Supervised.
	Rounds int
	// Landmarks is the number of landmarks in the last pass of the linear engine, for the first kernel of a sum; 0 for
	// the exact engine.
	Landmarks int
	// FeatureError is the fraction of K_ii or f'(β_ii) missing from the final features, averaged over a part of the
	// sample; NaN for the exact engine.
	FeatureError float64
	// Embedding is Y (n×clusters), the spectral embedding from which clusters are found; empty for Supervised.
	Embedding blas64.General
	// Labels are the clusters of the rows, by k-means of the normalised rows of Y; nil for Supervised.
	Labels []int
}
