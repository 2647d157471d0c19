// Package transport solves entropic optimal transport between the rows of two sources, with a kernel matrix that is too
// large to form (Cuturi 2013, "Sinkhorn distances: lightspeed computation of optimal transport").
//
// # The problem
//
// The kernel k is the Gibbs kernel. The cost of moving a row x to a row y is
//
//	C = −log k(x, y)                rbf(gamma=g): g·‖x−y‖²
//
// The left rows have masses a and the right rows masses b, each of which sums to 1. The plan T ≥ 0 minimises
//
//	⟨T, C⟩ + ε·KL(T ‖ abᵀ)           over T with T1 = a, Tᵀ1 = b
//
// so that T = diag(u)·K·diag(v) with K = k^(1/ε). [Sinkhorn].Epsilon is ε, 1 by default. rbf(gamma=g) with ε is
// rbf(gamma=g/ε) with 1. With a marginal penalty ρ, T pays ρ·KL(T1 ‖ a) + ρ·KL(Tᵀ1 ‖ b) instead of keeping the masses
// (Chizat, Peyré, Schmitzer & Vialard 2018, "Scaling algorithms for unbalanced optimal transport problems").
//
// An iteration scales the rows and then the columns,
//
//	u = a ⊘ (Kv)^(ρ/(ρ+ε))      v = b ⊘ (Kᵀu)^(ρ/(ρ+ε))       the exponent is 1 where ρ = ∞
//
// until ‖T1 − a‖₁, computed from the row sums of the next iteration, is within a tolerance. The exponent applies to the
// sums alone, because the entropy is relative to abᵀ (Séjourné, Feydy, Vialard, Trouvé & Peyré 2019, "Sinkhorn
// divergences for unbalanced optimal transport").
//
// # Engines
//
//   - [Exact] computes all m·n entries once an iteration, in strips of a few rows. From a strip it computes the row
//     sums, then u, then the strip's contribution to Kᵀu. It works in the log domain, and reaches a small ε in stages
//     (Schmitzer 2019, "Stabilized sparse scaling algorithms for entropy regularized transport problems"). The rows
//     are in memory.
//   - [LowRank] multiplies by a low-rank approximation of K (Altschuler, Bach, Rudi & Niles-Weed 2019; Xie et al.
//     2023, Section IV-A), with O((m+n)·r) flops an iteration. Large factors are not kept but computed from the rows
//     in each pass. Then u and v are functions of a row, and memory does not grow with the rows.
//
// # Repairs
//
// The product of a low-rank kernel with v may be zero or negative in some rows, for which there is no u. Every pass
// finds and repairs such rows: from then on their kernel entries are exact, at the cost of one landmark each. The
// iteration then restarts. A fit fails after ten restarts, or if it has more such rows than landmarks.
//
// # Maps
//
// A model maps the rows of one side by the barycentric projection: a fitted row i to Σ_j T_ij·y_j/Σ_j T_ij, and a new
// row x to Σ_j k(x, y_j)^(1/ε)·v_j·y_j over the sum of the weights. The two agree for a fitted row.
package transport
