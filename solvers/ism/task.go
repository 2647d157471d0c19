package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/stream"
)

// Paradigm says what is known and what is looked for.
type Paradigm uint8

const (
	// Supervised: W depends on what is known, Γ = H·K_Y·H.
	Supervised Paradigm = iota
	// Unsupervised: clusters Y and W are found together, Γ = H·Y·Yᵀ·H, where Y are
	// the leading eigenvectors of H·K_XW·H. Both steps raise the same J. See also
	// [Task.Laplacian].
	Unsupervised
	// SemiSupervised: clusters that agree with scores Ŷ, eq. 2: Γ = Ω + μ·H·K_Ŷ·H with
	// Ω = D^(−½)·Y·Yᵀ·D^(−½), D the degrees of K_XW and Y the leading eigenvectors of
	// D^(−½)·K_XW·D^(−½). D is held while W is sought.
	SemiSupervised
	// Alternative: clusters that differ from those given, eq. 4: as SemiSupervised
	// with −μ. The first Y is of the rows without the means of the clusters given.
	Alternative
)

// String is the word for the paradigm: supervised, unsupervised, semisupervised or
// alternative.
func (p Paradigm) String() string { return words.Of(paradigmWords, p) }

// ParseParadigm reads the word for a paradigm.
func ParseParadigm(word string) (Paradigm, error) {
	return words.Parse[Paradigm]("paradigm", paradigmWords, word)
}

// Response is what is known of each row, as factors of K_Y ≈ G·Gᵀ that Γ is made of:
// class numbers, or a matrix. It is read only once made.
type Response struct {
	codes   []int32        // the class of each row, or
	factors blas64.General // n×k
	classes int
}

// Classes is the response of class labels 0..classes−1: K_Y = Y·Yᵀ with Y one-hot. It
// takes 4 bytes a row. It is an error if a label is none of them.
func Classes(labels []int, classes int) (*Response, error) { return newClasses(labels, classes) }

// Factors is the response Y (n×k) with K_Y = Y·Yᵀ: 0 or 1 for several labels a row,
// scores, or targets with the linear kernel. It is an error if a number is not finite;
// the matrix is kept, not copied.
func Factors(y blas64.General) (*Response, error) { return newFactors(y) }

// KernelTargets is the response of real targets y (n×k) through a kernel of them, by
// features of at most rank columns: K_Y ≈ C·(K_JJ)⁺·Cᵀ on landmarks J that pivoted
// Cholesky picks from a sample of at most 2000 rows. The kernel is resolved on the
// sample; it must be positive semi-definite. Cost: n·rank kernel entries, 8·n·rank
// bytes.
func KernelTargets(ctx context.Context, e stream.Engine, y blas64.General, k kernelgen.Kernel, rank int, seed uint64) (*Response, error) {
	return newKernelTargets(ctx, e, y, k, rank, seed)
}

// Rows is the number of rows that the response speaks of.
func (r *Response) Rows() int {
	if r.codes != nil {
		return len(r.codes)
	}
	return r.factors.Rows
}

// Columns is the number of classes, or of columns of G.
func (r *Response) Columns() int { return r.classes }

// Task says what W is for.
type Task struct {
	Paradigm Paradigm
	// Known are the labels or targets, the scores, or the given clusters; nil for
	// Unsupervised.
	Known *Response
	// Clusters are how many to find, at least 2; 0 for Supervised.
	Clusters int
	// Mu is μ > 0, the weight of Known for SemiSupervised and Alternative. 0 means 1.
	// It multiplies HK_ŶH as it is, whose trace is of the order of n where that of
	// D^(−½)YYᵀD^(−½) is of the order of clusters/n; [Task.Relative] is for weights that
	// do not depend on n.
	Mu float64
	// Laplacian takes, for Unsupervised, the leading eigenvectors of D^(−½)·K_XW·D^(−½) for
	// Y, those of spectral clustering, as the other paradigms do. The steps then do not
	// raise the same objective, and kernels must be positive in sum over each row.
	Laplacian bool
	// Relative divides both terms of Γ by their Frobenius norm at the first round, so
	// that μ = 1 weighs them alike. The paper does not.
	Relative bool
}

// degrees says whether Y comes from the kernel divided by its degrees.
func (t Task) degrees() bool { return t.Paradigm != Unsupervised || t.Laplacian }
