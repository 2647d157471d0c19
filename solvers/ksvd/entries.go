package ksvd

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// entries makes tiles of G = κ(x_i, z_j), rows of the left side against rows of the
// right one. A kernel that is normalised by its row sums is made in two steps: a raw
// tile, from which the sums are taken, and the division. Raw tiles of exponentials
// hold exponents, so that neither sums nor entries overflow or vanish:
//
//	G_ij = weight·exp(raw_ij − logSum_i)      sne, softmax: raw = exponent·base
//	G_ij = weight·raw_ij·exp(−logSum_i)       other normalised kernels: raw = u
//	G_ij = raw_ij                             kernels without a normaliser
type entries struct {
	kernel     kernelgen.Kernel // as the user wrote it
	normalised bool
	weight     float64
	raw        kernelgen.Kernel // what raw tiles are made with, before exponent
	base       kernelgen.Base   // of raw
	exponent   float64          // 0 unless raw tiles hold exponents
	exp        kernelgen.Map
	count      atomic.Int64 // entries evaluated
	words      bool         // of a plan: the kernel had parameters that were words
}

// newEntries prepares a resolved kernel. sparse says that rows are sparse.
func newEntries(k kernelgen.Kernel, sparse bool) (*entries, error) {
	if !k.Resolved() {
		return nil, fmt.Errorf("kernel %s has parameters that are words: give numbers, or resolve it on a sample of the rows", k)
	}
	u, normalised := k.Normaliser()
	if err := u.CheckPlain(); err != nil {
		return nil, err
	}
	e := &entries{kernel: k, normalised: normalised, weight: 1, raw: u}
	base, one := u.OneBase()
	e.base = base
	if normalised {
		e.weight = k.Weight()
		if p, ok := u.ProductExponential(); ok && one {
			e.exponent = p.Scale
			if p.Damped {
				e.exponent = -p.Scale / 2
			}
			e.raw = base.Kernel()
		}
	}
	if sparse && (!one || !base.OfProducts()) {
		return nil, fmt.Errorf("kernel %s cannot be computed between sparse rows: those of a single squared distance, inner product or cosine can", k)
	}
	var err error
	if e.exp, err = kernelgen.ParseMap("exp"); err != nil {
		panic("ksvd: " + err.Error())
	}
	return e, nil
}

// scratch is what one goroutine needs to fill tiles.
type scratch struct {
	work kernelgen.Workspace
	norm []float64
	exps []float64
}

// fill puts the raw tile between left and right points into dst.
func (e *entries) fill(dst blas64.General, left, right *points, w *scratch) {
	e.count.Add(int64(dst.Rows) * int64(dst.Cols))
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	if left.sparse != nil {
		e.sparseBase(dst, left, right, w)
		return
	}
	e.raw.Fill(dst, left.dense, right.panel(e.raw), &w.work)
	for i := range dst.Rows {
		e.scale(dense.Row(dst, i))
	}
}

// between returns the raw entries between left and right points, made by the workers of an
// engine.
func (e *entries) between(ctx context.Context, engine stream.Engine, left, right *points) (blas64.General, error) {
	block := stream.NewMatrix(left.count(), right.count())
	if left.sparse != nil {
		right.columns()
	}
	parts := left.chunks(stream.PairRows)
	rooms := sync.Pool{New: func() any { return new(scratch) }}
	return block, stream.Each(ctx, engine.Threads, len(parts), func(i int) error {
		w := rooms.Get().(*scratch)
		defer rooms.Put(w)
		e.fill(stream.RowSlice(block, i*stream.PairRows, parts[i].count()), parts[i], right, w)
		return nil
	})
}

// scale turns bases into exponents, for kernels whose raw tiles hold them.
func (e *entries) scale(v []float64) {
	if e.exponent == 0 {
		return
	}
	for j := range v {
		v[j] *= e.exponent
	}
}

// divide turns a raw tile into one of G, given the logarithms of the sums of its
// rows. No entry of a normalised kernel is larger than its weight: that holds of a sum
// over all columns, and is enforced where the sum is an estimate that has missed a
// column which outweighs it.
func (e *entries) divide(tile blas64.General, logSums []float64) {
	if !e.normalised {
		return
	}
	for i := range tile.Rows {
		row := dense.Row(tile, i)
		if e.exponent == 0 {
			factor := e.weight * math.Exp(-logSums[i])
			for j, v := range row {
				row[j] = min(v*factor, e.weight)
			}
			continue
		}
		most := math.Log(e.weight)
		shift := logSums[i] - most
		for j, v := range row {
			row[j] = min(v-shift, most)
		}
		e.exp.Apply(row, row)
	}
}

// rowMean returns the mean of a row of G over all right rows when it is known without
// looking: that of a normalised kernel.
func (e *entries) rowMean(cols int64) (float64, bool) {
	return e.weight / float64(cols), e.normalised
}
