// Package transport solves entropic optimal transport between the rows of two sources,
// with a kernel matrix that is too large to form (Cuturi 2013, "Sinkhorn distances:
// lightspeed computation of optimal transport").
//
// # The problem
//
// The kernel k is the Gibbs kernel: the cost of moving a row x to a row y is
//
//	C = −log k(x, y)                rbf(gamma=g): g·‖x−y‖²
//
// and with masses a of the left rows and b of the right ones, which each add up to 1, the
// plan T ≥ 0 minimises
//
//	⟨T, C⟩ + ε·KL(T ‖ abᵀ)           over T with T1 = a, Tᵀ1 = b
//
// so that T = diag(u)·K·diag(v) with K = k^(1/ε). ε is 1 unless [Sinkhorn].Epsilon says
// otherwise: it is for steps towards the unregularised problem, and rbf(gamma=g) with ε is
// rbf(gamma=g/ε) with 1. Masses that are relaxed (Chizat, Peyré, Schmitzer & Vialard 2018,
// "Scaling algorithms for unbalanced optimal transport problems") pay ρ·KL(T1 ‖ a) + ρ·KL(Tᵀ1 ‖
// b) instead of being kept.
//
// A round of Sinkhorn's iteration makes the rows right and then the columns,
//
//	u = a ⊘ (Kv)^(ρ/(ρ+ε))      v = b ⊘ (Kᵀu)^(ρ/(ρ+ε))       the exponent is 1 where ρ = ∞
//
// (the exponent is on the sums alone since the entropy is relative to abᵀ: Séjourné, Feydy,
// Vialard, Trouvé & Peyré 2019, "Sinkhorn divergences for unbalanced optimal transport") until
// ‖T1 − a‖₁, which the row sums of the next round tell, is within a tolerance.
//
// # Engines
//
//   - [Exact] visits all m·n entries once a round, in strips of a few rows: a strip gives the
//     row sums, these give u for its rows, and the same strip its part of Kᵀu. All is in
//     the domain of logarithms, of the kernel too where it is an exponential of its base,
//     so that ε may be small. The rows are in memory.
//   - [LowRank] multiplies by a low-rank approximation of K (Altschuler, Bach, Rudi &
//     Niles-Weed 2019; Xie et al. 2023, Section IV-A), O((m+n)·r) a round. The factors are not
//     kept where they are large, but made again from the rows in each round: then u and v
//     are functions of a row, and memory does not grow with the rows.
//
// # Products that are not positive
//
// A low-rank kernel may have rows whose product with v is zero or negative, for which there is
// no u. Such rows are found in every pass, and their kernel entries are made exactly from then
// on: a row costs as much as a landmark. The iteration then begins anew. A fit that begins more
// than ten times, or has more such rows than landmarks, is refused.
//
// # Maps
//
// A model maps rows of one side to where the plan sends them on the average, the barycentric
// map: a fitted row i to Σ_j T_ij·y_j/Σ_j T_ij, and a new row x to Σ_j k(x, y_j)^(1/ε)·v_j·y_j
// over the sum of its weights, which for a fitted row is the same. [MapNearest] moves a row as
// the nearest fitted one was moved (Ferradans, Papadakis, Peyré & Aujol 2014, "Regularized
// discrete optimal transport").
package transport
