// Package ism implements interpretable dimension reduction. It finds a subspace W of the columns for which a kernel of
// the projected rows XW depends most on labels, targets or clusters (Wu, Miller, Chang, Sznajder & Dy 2019, "Solving
// Interpretable Kernel Dimension Reduction", called the paper here; ISM is its iterative spectral method):
//
//	maximise J(W) = Tr(Γ·K_XW) = Σ_ij Γ_ij·f(β_ij)    subject to WᵀW = I    eq. 1
//
// with β_ij = x_iᵀWWᵀx_j or ‖Wᵀ(x_i−x_j)‖², see [kernelgen.Kernel.Terms], and a matrix Γ of the similarity wanted
// between rows, see [Paradigm]. Neither K nor Γ is formed.
//
// # The iteration
//
// With Ψ = Γ ⊙ f'(β) and L_Ψ = diag(Ψ1) − Ψ,
//
//	Φ = XᵀΨX      for inner products      Φ = 2·XᵀL_ΨX      for distances      eq. 6
//
// and ∇J = 2ΦW. Φ is d×d. The next W consists of the q leading eigenvectors of Φ(W) (Algorithm 1); the first uses f' at
// β = 0 in Ψ (Table 1). The iteration ends when the eigenvalues change by less than δ relative to their size, and the
// subspace by less than an angle (Appendix Q). The paper prints the loop condition of Algorithm 1 the wrong way round.
//
// Φ keeps the sign and the scale of f', so that the sum of all Φ belongs to the sum of all kernels (Corollary 1).
// "squared" and "multiquadratic" are distances, which decrease as rows become similar, so dependence is maximised with
// f = −β and f = −√(β+c²). Tables 1 and 2 of the paper have the other sign, which selects the worst directions for a
// centred Γ.
//
// A step that would lower J is damped: the next W consists of the leading eigenvectors of Φ + τ·WWᵀ, with τ doubled
// until J does not decrease. (For large τ, W makes an arbitrarily small step along the gradient ΦW.)
//
// # Kernels
//
// Supported are the kernels of package kernelgen with a derivative by an inner product or a squared distance (see
// [kernelgen.Kernel.Terms]), and weighted sums of them. Words such as sigma=median are resolved on at most 500 rows
// before projection. For relative, σ_i is the distance of row i from its nearest neighbour of the given number in a
// sample of at most 1000 rows, not counting rows equal to it. Only the exact engine supports relative.
//
// # Engines
//
//	         time of an iteration             memory            Φ and J are
//	exact    n²·(q + d + c) on tiles          rows twice, n·c   exact
//	linear   n·(d·r·c + d²), 1 or 2 passes    c·d·r             those of K ≈ C·(K_JJ)⁻¹·Cᵀ
//
// for r landmarks and c columns of Γ's factors: see [AlgorithmExact] and [AlgorithmLinear].
//
// # Numbers
//
// Results have the same bits for any number of threads. Matrix products use blas64; install solvers/nyblas to make them
// fast. Rows are not scaled: use [prepare.New] with ScaleStandard for the paper's data, of mean 0 and standard
// deviation 1. Constant columns are ignored; W is 0 there.
package ism
