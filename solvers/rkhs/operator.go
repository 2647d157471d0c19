package rkhs

import (
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/stream"
)

// Operator is an empirical operator S = Ψ·B·Φᵀ between RKHSs (paper, Section 3.2): a small value that determines B. The
// weights w_i of the n pairs sum to 1 (1/n each unless [Data.Weighted]). Below, Φ holds √w_i·φ(x_i) and Ψ holds
// √w_i·ψ(y_i), so that C_XX = ΦΦᵀ, C_YX = ΨΦᵀ and G = ΦᵀΦ. Without weights, ε here corresponds to n·ε with the Gram
// matrices of the paper.
//
// The operators of this package are [Covariance], [CrossCovariance], [MeanEmbedding], [PerronFrobenius], [Koopman] and
// [CCA], which [ParseOperator] parses, and [Explicit], where B is a given matrix and Φ and Ψ are unweighted. A custom
// operator is a type with these methods; a saved model stores its word and its ε.
type Operator interface {
	// String returns the word for the operator.
	String() string
	// Traits returns the properties of the operator.
	Traits() Traits
	// Matrix returns S in the orthonormal bases of f.
	Matrix(ctx context.Context, e stream.Engine, f *Factors) (Matrix, error)
}

// Traits are the properties of an operator besides its matrix.
type Traits struct {
	Range, Domain PairSide // the sides whose features span them
	OneSpace      bool     // both are in one RKHS by definition
	Symmetric     bool     // self-adjoint and positive semi-definite
	Single        bool     // y is not used
	// Inverts reports that Matrix inverts a covariance operator plus Ridge, ε.
	Inverts bool
	Ridge   float64
	// AllPairs reports that Matrix needs factors with a row for each x and each y: another pass, and memory for n·(p+q)
	// numbers.
	AllPairs bool
}

// PairSide is one side of a pair.
type PairSide uint8

// The sides.
const (
	SideX PairSide = iota
	SideY
)

// Covariance is C_XX = Σ w_i·φ(x_i)⊗φ(x_i), B = I (paper, Section 4.2). Its eigenfunctions are the principal functions
// of kernel PCA, and the Mercer features of the kernel. It does not use y.
type Covariance struct{}

// CrossCovariance is C_YX = Σ w_i·ψ(y_i)⊗φ(x_i), B = I (paper, Section 4.2).
type CrossCovariance struct{}

// MeanEmbedding is the conditional mean embedding of P(Y | X) (paper, Section 4.3),
// C_YX·(C_XX+ε)⁻¹ = Ψ·(G_Φ+ε)⁻¹·Φᵀ.
type MeanEmbedding struct{ Ridge float64 }

// Koopman is the kernel Koopman operator (paper, Section 4.4), (C_XX+ε)⁻¹·C_XY = Φ·(G_Φ+ε)⁻¹·Ψᵀ. It maps functions of a
// state to their expected values one step later. The two expressions are the same operator for ε > 0.
type Koopman struct{ Ridge float64 }

// PerronFrobenius is the kernel Perron–Frobenius operator (paper, Section 4.4), which propagates densities in time.
// There are two empirical forms:
//
//	(C_XX+ε)⁻¹·C_YX                            from the definition
//	Ψ·G_ΦΨ⁺·(G_Φ+ε)⁻¹·G_ΦΨ·Φᵀ                  Sampled: the paper's
//
// Both have the eigenvalues of (G_Φ+ε)⁻¹·G_ΦΨ, which are those of [Koopman]. They are the same operator if the features
// of the x_i and of the y_i span the same space, as landmark features do. Otherwise the second keeps its functions in
// the span of the ψ(y_i), at the cost of the pseudo-inverse of G_ΦΨ. The first divides components outside the span of
// the φ(x_i) by ε.
type PerronFrobenius struct {
	Ridge   float64
	Sampled bool
}

// CCA is the operator of kernel canonical correlation analysis (paper, Section 4.4 and Appendix A.2),
// (C_YY+ε)^(−1/2)·C_YX·(C_XX+ε)^(−1/2) = Ψ·(G_Ψ+ε)^(−1/2)·(G_Φ+ε)^(−1/2)·Φᵀ. Its singular values are regularised
// correlations. Between two times of a process, the singular functions describe coherent sets: S*S propagates functions
// forward and back, and its eigenvalues are the squared singular values. [Model] has the canonical functions.
type CCA struct{ Ridge float64 }

func (Covariance) String() string      { return "covariance" }
func (CrossCovariance) String() string { return "cross-covariance" }
func (MeanEmbedding) String() string   { return "cme" }
func (Koopman) String() string         { return "koopman" }
func (CCA) String() string             { return "cca" }
func (o PerronFrobenius) String() string {
	if o.Sampled {
		return "perron-frobenius-sampled"
	}
	return "perron-frobenius"
}

// OperatorNames returns the words accepted by ParseOperator.
func OperatorNames() []string {
	return []string{"covariance", "cross-covariance", "cme", "koopman", "perron-frobenius", "perron-frobenius-sampled", "cca"}
}

// ParseOperator returns the operator named by a word, with ε if the operator has one.
func ParseOperator(word string, ridge float64) (Operator, error) {
	var op Operator
	switch word {
	case "covariance":
		op = Covariance{}
	case "cross-covariance":
		op = CrossCovariance{}
	case "cme":
		op = MeanEmbedding{ridge}
	case "koopman":
		op = Koopman{ridge}
	case "perron-frobenius":
		op = PerronFrobenius{Ridge: ridge}
	case "perron-frobenius-sampled":
		op = PerronFrobenius{ridge, true}
	case "cca":
		op = CCA{ridge}
	default:
		return nil, fmt.Errorf("kind %q is none of %q", word, OperatorNames())
	}
	return op, checkOperator(op)
}

// checkOperator fails for an invalid ε.
func checkOperator(op Operator) error {
	if t := op.Traits(); t.Inverts && !(t.Ridge >= 0 && t.Ridge <= math.MaxFloat64) {
		return fmt.Errorf("operator %s: `Ridge` is %v; it must be finite and not negative", op, t.Ridge)
	}
	return nil
}

func (Covariance) Traits() Traits {
	return Traits{Range: SideX, Domain: SideX, OneSpace: true, Symmetric: true, Single: true}
}
func (CrossCovariance) Traits() Traits { return Traits{Range: SideY, Domain: SideX} }
func (o MeanEmbedding) Traits() Traits {
	return Traits{Range: SideY, Domain: SideX, Inverts: true, Ridge: o.Ridge}
}
func (o Koopman) Traits() Traits {
	return Traits{Range: SideX, Domain: SideY, OneSpace: true, Inverts: true, Ridge: o.Ridge}
}
func (o PerronFrobenius) Traits() Traits {
	return Traits{Range: SideY, Domain: SideX, OneSpace: true, Inverts: true, Ridge: o.Ridge}
}
func (o CCA) Traits() Traits {
	return Traits{Range: SideY, Domain: SideX, Inverts: true, Ridge: o.Ridge}
}
