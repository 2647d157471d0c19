package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Response holds class numbers or a matrix for each row: factors G of K_Y ≈ G·Gᵀ, which determine Γ. It is immutable.
type Response struct {
	codes   []int32        // the class of each row; nil for factors
	factors blas64.General // n×k
	classes int
}

// Classes returns the response of class labels 0..classes−1: K_Y = Y·Yᵀ with one-hot Y. It takes 4 bytes a row. It
// fails for other labels.
func Classes(labels []int, classes int) (*Response, error) {
	if classes < 1 || classes > math.MaxInt32 {
		panic(fmt.Sprintf("ism: %d classes", classes))
	}
	r := &Response{codes: make([]int32, len(labels)), classes: classes}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("row %d has label %d, which is none of the classes 0 to %d", i, l, classes-1)
		}
		r.codes[i] = int32(l)
	}
	return r, nil
}

// Factors returns the response Y (n×k) with K_Y = Y·Yᵀ: 0 or 1 for several labels a row, scores, or targets with the
// linear kernel. It fails if a number is not finite. The matrix is retained, not copied.
func Factors(y blas64.General) (*Response, error) {
	if y.Cols < 1 {
		return nil, errors.New("a response without columns has nothing to depend on")
	}
	if err := sketch.CheckFinite(y); err != nil {
		return nil, fmt.Errorf("the response: %w", err)
	}
	return &Response{factors: y, classes: y.Cols}, nil
}

// KernelTargets returns the response of real targets y (n×k) under a kernel, by features of at most rank columns: K_Y ≈
// C·(K_JJ)⁺·Cᵀ. Pivoted Cholesky selects the landmarks J from a sample of at most 2000 rows, on which the kernel is
// also resolved. The kernel must be positive semi-definite. Cost: n·rank kernel entries and 8·n·rank bytes.
func KernelTargets(ctx context.Context, e stream.Engine, y blas64.General, k kernelgen.Kernel, rank int, seed uint64) (*Response, error) {
	if rank < 1 {
		panic(fmt.Sprintf("ism: rank %d of the kernel of targets", rank))
	}
	r, err := Factors(y)
	if err != nil {
		return nil, err
	}
	if err := k.CheckPlain(); err != nil {
		return nil, err
	}
	rows, err := sampleRows(ctx, stream.FromMatrix("targets", y), y.Rows, min(targetSample, y.Rows), seed, "targets of the response")
	if err != nil {
		return nil, err
	}
	if k, err = k.Resolve(rows.x); err != nil {
		return nil, err
	}
	if !k.PositiveSemiDefinite() {
		return nil, fmt.Errorf("%v is not known to be positive semi-definite; take another kernel for the targets", k)
	}
	marks, err := newLandmarks(ctx, tiles.Plain(k), rows.x, rank, targetTolerance)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%v of the targets is zero or overflows; scale them", k)
	}
	c, err := marks.between(ctx, e, y)
	if err != nil {
		return nil, err
	}
	r.factors = dense.Mul(noTrans, c, noTrans, marks.project)
	r.classes = r.factors.Cols
	return r, nil
}

// Rows returns the number of rows of the response.
func (r *Response) Rows() int {
	if r.codes != nil {
		return len(r.codes)
	}
	return r.factors.Rows
}

// Columns returns the number of classes, or of columns of G.
func (r *Response) Columns() int { return r.classes }

// targetSample is the largest sample of targets from which landmarks are selected.
const targetSample = 2000
