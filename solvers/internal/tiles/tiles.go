// Package tiles evaluates tiles of kernel matrices, the blocks of K between rows x_i on the left and z_j on the right,
// for all families of solvers:
//
//   - [Tiles] fills tiles between [Rows], dense or sparse, and counts the entries.
//   - [Logs] and [ForCurve] are tiles of logarithms, and of functions of one base.
//   - [Grid] visits all tiles between two sides in one exact pass.
//   - [Sums] holds the row sums of normalised kernels, and the means of rows and columns.
//   - [Operator] multiplies with K by exact passes; [SVD] decomposes it by block Krylov iteration.
//
// Results have the same bits for any number of threads and any shape of the tiles.
package tiles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/stream"
)

// Tiles evaluates the entries of one kernel. A kernel normalised by its row sums takes two steps: [Tiles.Fill] makes a
// raw tile, from which row sums are computed, and [Tiles.Divide] turns it into entries. Raw entries of exponentials are
// exponents, so that neither sums nor entries overflow or vanish:
//
//	K_ij = weight·exp(raw_ij − logSum_i)      sne, softmax: raw = factor·base
//	K_ij = weight·raw_ij·exp(−logSum_i)       other normalised kernels
//	K_ij = raw_ij                             kernels without a normaliser
//
// After [Tiles.SetNormaliser], Fill performs both steps.
type Tiles struct {
	Kernel  kernelgen.Kernel
	Entries atomic.Int64 // number evaluated so far

	raw            kernelgen.Kernel // of raw tiles, before factor
	base           kernelgen.Base   // of raw, for sparse rows
	factor         float64          // of raw entries
	normalised     bool
	exponential    bool // raw entries are exponents
	weight         float64
	logarithm      bool    // tiles are of the logarithm of raw
	unit           float64 // see [Tiles.SetScale]; without a normaliser it is factor
	post           function
	origin         []float64 // see [Tiles.SetOrigin]
	normaliserRows []*Rows   // rows of the row sums, see [Tiles.SetNormaliser]; nil for raw tiles
	normaliserLog  float64   // logarithm of the number of right rows for each of normaliserRows
	matrixPool     sync.Pool // of *blas64.General, for shifted rows
	tiles          sync.Pool // of *[]float64
}

// Plain returns the tiles of a kernel without a normaliser, between dense rows.
func Plain(k kernelgen.Kernel) *Tiles {
	return &Tiles{Kernel: k, raw: k, factor: 1, weight: 1, unit: 1}
}

// New returns the tiles of a kernel whose parameters are numbers. It fails for a kernel of sparse
// rows that is not a function of one squared distance, inner product or cosine.
func New(k kernelgen.Kernel, sparse bool) (*Tiles, error) {
	if !k.Resolved() {
		return nil, fmt.Errorf("kernel %s has parameters that are words: "+
			"give numbers, or resolve it on a sample of the rows", k)
	}
	u, normalised := k.Normaliser()
	if err := u.CheckPlain(); err != nil {
		return nil, err
	}
	t := Plain(k)
	t.raw, t.normalised = u, normalised
	base, one := u.OneBase()
	t.base = base
	if normalised {
		t.weight = k.Weight()
		if p, ok := u.ProductExponential(); ok && one {
			t.exponential, t.factor = true, p.Scale
			if p.Damped {
				t.factor = -p.Scale / 2
			}
			t.raw = base.Kernel()
		}
	}
	if sparse && (!one || !base.OfProducts()) {
		return nil, fmt.Errorf("kernel %s cannot be computed between sparse rows: "+
			"those of a single squared distance, inner product or cosine can", k)
	}
	return t, nil
}

// Normalised reports whether the kernel is normalised by its row sums.
func (t *Tiles) Normalised() bool { return t.normalised }

// Exponent returns the factor of the base in raw entries that are exponents, 0 for other kernels.
func (t *Tiles) Exponent() float64 {
	if t.exponential {
		return t.factor
	}
	return 0
}

// IsRadial reports whether the kernel is a function of the squared distance alone.
func (t *Tiles) IsRadial() bool { return t.base == kernelgen.SquaredDistance }

// Bounded reports whether all entries between finite rows are known to be finite.
func (t *Tiles) Bounded() bool {
	return t.raw.Bounded() && t.factor == 1 && t.post == (function{}) &&
		!t.normalised && !t.logarithm && t.origin == nil
}

// CountPass returns a function to call after a pass that evaluates the given number of entries. The entries then count
// once, even if a checkpointed state replaced the pass.
func (t *Tiles) CountPass(entries int64) func() {
	after := t.Entries.Load() + entries
	return func() { t.Entries.Store(after) }
}

// CheckRows returns a [stream.DataError] for the first dense row of the named source on which the kernel is undefined.
// start is the number of the first row of x.
func (t *Tiles) CheckRows(name string, x blas64.General, start int64) error {
	return InSource(name, t.raw.CheckRows(x, start))
}

// InSource returns err. It turns a [*kernelgen.RowError] into an error that names the row of the source.
func InSource(name string, err error) error {
	if err == nil {
		return nil // avoids the allocation of errors.As
	}
	var bad *kernelgen.RowError
	if !errors.As(err, &bad) {
		return err
	}
	return stream.NewValueError(name, bad.Row, "", "%w", bad.Err)
}

// Work is the workspace of one goroutine.
type Work struct {
	kernel kernelgen.Workspace
	norms  []float64
	exps   []float64
}

// Fill stores the raw tile between left and right rows in dst. With a normaliser it stores the entries.
func (t *Tiles) Fill(dst blas64.General, left, right *Rows, w *Work) {
	if left.Sparse == nil {
		t.fillRaw(dst, left.Dense, right, &w.kernel)
		if t.normaliserRows != nil {
			t.Divide(dst, left.logSums(t))
		}
		return
	}
	t.Entries.Add(int64(dst.Rows) * int64(dst.Cols))
	if dst.Rows > 0 && dst.Cols > 0 {
		t.fillSparse(dst, left, right, w)
	}
}

// FillDense is Fill for dense rows.
func (t *Tiles) FillDense(dst, left blas64.General, right *Rows, w *kernelgen.Workspace) {
	t.fillRaw(dst, left, right, w)
	if t.normaliserRows != nil {
		t.Divide(dst, t.logSums(left, w))
	}
}

// fillRaw stores the raw tile between dense rows in dst.
func (t *Tiles) fillRaw(dst, left blas64.General, right *Rows, w *kernelgen.Workspace) {
	t.Entries.Add(int64(dst.Rows) * int64(dst.Cols))
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	t.eachShifted(left, func(first int, part blas64.General) {
		t.fillShifted(matrix.Rows(dst, first, part.Rows), part, right, w)
	})
	if !t.logarithm {
		t.post.apply(dst, left, right, w)
	}
}

func (t *Tiles) scale(v []float64) {
	if t.factor == 1 {
		return
	}
	for j := range v {
		v[j] *= t.factor
	}
}

// Each evaluates the raw entries between left and right rows in tiles of at most size rows, on the workers of an
// engine. visit receives the number of the first row of its tile, and must not retain the tile. It is called
// concurrently.
func (t *Tiles) Each(ctx context.Context, e stream.Engine, left, right *Rows, size int,
	visit func(first int, tile blas64.General) error) error {
	type room struct {
		work Work
		tile blas64.General
	}
	rooms := sync.Pool{New: func() any { return &room{tile: matrix.New(min(size, left.Count()), right.Count())} }}
	right.Prepare() // before workers share it
	blocks := left.Blocks(size)
	return stream.Each(ctx, e.Threads, len(blocks), func(i int) error {
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		tile := matrix.Rows(r.tile, 0, blocks[i].Count())
		t.Fill(tile, blocks[i], right, &r.work)
		return visit(i*size, tile)
	})
}

// RawEntries returns the raw entries between left and right rows, with the same bits as Each.
func (t *Tiles) RawEntries(ctx context.Context, e stream.Engine, left, right *Rows, size int) (blas64.General, error) {
	out := matrix.New(left.Count(), right.Count())
	return out, t.Each(ctx, e, left, right, size, func(first int, tile blas64.General) error {
		for i := range tile.Rows {
			copy(matrix.Row(out, first+i), matrix.Row(tile, i))
		}
		return nil
	})
}

// Divide turns a raw tile into entries, given the logarithms of its row sums. Entries never exceed the weight. Exact
// sums imply this; Divide enforces it for estimated sums that missed a dominant column.
func (t *Tiles) Divide(tile blas64.General, logSums []float64) {
	if !t.normalised {
		return
	}
	for i := range tile.Rows {
		row := matrix.Row(tile, i)
		if !t.exponential {
			factor := t.weight * math.Exp(-logSums[i])
			for j, v := range row {
				row[j] = min(v*factor, t.weight)
			}
			continue
		}
		most := math.Log(t.weight)
		shift := logSums[i] - most
		for j, v := range row {
			row[j] = min(v-shift, most)
		}
		logsum.Exponentials(row)
	}
}

// AddSum adds a weighted row of a raw tile to a sum; nil means weights of 1.
func (t *Tiles) AddSum(s *logsum.Sum, raw, weights []float64, w *Work) {
	switch {
	case len(raw) == 0:
	case t.exponential:
		w.exps = append(w.exps[:0], raw...)
		s.AddWeighted(w.exps, weights)
	case weights == nil:
		s.Scaled += dense.Sum(raw)
	default:
		sum := 0.0
		for j, v := range raw {
			sum += v * weights[j]
		}
		s.Scaled += sum
	}
}

// LogSum returns the logarithm of the sum of a raw row. It fails, naming the source and the row, if the result is not
// finite.
func (t *Tiles) LogSum(s logsum.Sum, name string, row int64) (float64, error) {
	log := math.Log(s.Scaled)
	if t.exponential {
		log = s.Log()
	}
	if !matrix.IsFinite(log) {
		return 0, BadRow(name, row, fmt.Sprintf("the logarithm of the row sum of kernel %s is %v", t.Kernel, log))
	}
	return log, nil
}

// Mean returns a sum of raw entries, times the weight of the kernel, divided by n. It is the mean of a row of a kernel
// without a normaliser, or of a column divided by row sums.
func (t *Tiles) Mean(s logsum.Sum, n float64) float64 {
	if t.exponential {
		return t.weight * s.Value() / n
	}
	return t.weight * s.Scaled / n
}

// RowMean returns the mean of each row of a normalised kernel over n columns: weight/n.
func (t *Tiles) RowMean(n float64) float64 { return t.weight / n }

// BadRow returns the error for a row with unusable kernel entries.
func BadRow(name string, row int64, what string) error {
	return stream.NewValueError(name, row, "", "%s", what).
		WithRemedy("scale the columns (`Treatment.Scale standard`) or drop the row")
}
