// Package ism reduces dimensions so that the new ones can be read: it finds a
// subspace W of the columns for which a kernel of the projected rows XW depends most
// on labels, targets or clusters (Wu, Miller, Chang, Sznajder & Dy 2019, "Solving
// Interpretable Kernel Dimension Reduction", called the paper here; ISM is its
// iterative spectral method):
//
//	maximise J(W) = Tr(Γ·K_XW) = Σ_ij Γ_ij·f(β_ij)    subject to WᵀW = I    eq. 1
//
// with β_ij = x_iᵀWWᵀx_j or ‖Wᵀ(x_i−x_j)‖², see [kernelgen.Kernel.Terms], and a matrix
// Γ that says which rows belong together, see [Paradigm]. Neither K nor Γ is formed.
//
// # The iteration
//
// With Ψ = Γ ⊙ f'(β) and L_Ψ = diag(Ψ1) − Ψ,
//
//	Φ = XᵀΨX      for inner products      Φ = 2·XᵀL_ΨX      for distances      eq. 6
//
// and ∇J = 2ΦW. Φ is d×d. The next W are the q eigenvectors of Φ(W) with the largest
// eigenvalues (Algorithm 1), from a start that takes f' at β = 0 for Ψ (Table 1), until
// the eigenvalues change by less than δ relative to their size and the subspaces by
// less than an angle (Appendix Q). The loop condition of Algorithm 1 is printed the
// other way round.
//
// Signs are those of f' and the sum of kernels keeps true scales, so that the sum of
// all Φ belongs to the sum of all kernels (Corollary 1). "squared" and "multiquadratic"
// are distances, which shrink as rows come together, so that dependence is maximised
// with f = −β and f = −√(β+c²). Tables 1 and 2 of the paper have the other sign, which
// with centred Γ picks the worst directions.
//
// A step that would lower J is damped: W are then the leading eigenvectors of
// Φ + τ·WWᵀ, with τ doubled until J does not fall. So J never falls. (For τ large
// enough W moves along ΦW, the gradient, as little as one likes.)
//
// # Kernels
//
// They are those of package kernelgen that have a derivative by an inner product or a
// squared distance ([kernelgen.Kernel.Terms] says which), and sums of them, with weights
// that are given. Words such as sigma=median are
// worked out from at most 500 rows, not projected; σ_i of relative is the distance of row
// i from its neighbour with that number in a sample of at most 1000, rows equal to it not
// counted. Only the exact engine takes relative.
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
// Results are the same bits for any number of threads. Products of matrices go through
// blas64: a program that wants them fast installs solvers/nyblas. The rows are used as
// they are: [prepare.New] with ScaleStandard gives the paper's data, of mean 0 and
// standard deviation 1. Columns that are constant are left out; W is 0 there.
package ism
