package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// VerifyAll measures the errors of several models of one symmetric kernel matrix
// A, as [Model.Verify] does one by one. An exact pass computes every tile once and
// multiplies it by a block of Lanczos vectors, one for A and one for each model.
// A result does not depend on which models it was measured with, but for rounding.
// All models must have the same kernel. Those with two sides, U·diag(values)·Vᵀ,
// are taken as approximations of the matrix of the one source, and their Lanczos
// process on EᵀE takes two passes a step. Models may share an embedding.
//
// Cost for k models: n²/2 kernel entries and 2·n²·(k+1) flops a pass, n²·r flops
// once for a model of rank r (twice that with two sides), memory for the rows,
// their embeddings (n·r numbers for each model and side) and 5·n·(k+1) numbers.
// One pass over the source.
func VerifyAll(ctx context.Context, e stream.Engine, models []*Model, src stream.Source, sample int, seed uint64) ([]*model.Verification, error) {
	if len(models) == 0 {
		return nil, nil
	}
	checkVerifyAll(models)
	rows, err := gatherVerify(ctx, src, models[0].Left.Landmarks.Cols, sample, seed)
	if err != nil {
		return nil, err
	}
	v := &verifier{engine: e, rows: rows, tiles: models[0].tiles(models[0].Left), diagonal: rows.diagonalWeight(), embeddings: map[*Embedding]blas64.General{}}
	for _, m := range models { // the least unit keeps the largest entries representable
		v.tiles.unit = min(v.tiles.unit, m.Left.unit())
	}
	v.entry = newNorm(rows.rows.Rows, seed, "Lanczos A")
	for _, m := range models {
		found, err := v.newModel(ctx, m, seed)
		if err != nil {
			return nil, err
		}
		v.models = append(v.models, found)
	}
	v.embeddings = nil
	return v.run(ctx)
}

// checkVerifyAll panics unless the models may be of one symmetric matrix.
func checkVerifyAll(models []*Model) {
	for _, m := range models {
		switch kernel := models[0].Kernel.String(); {
		case m.right().Landmarks.Cols != m.Left.Landmarks.Cols || m.Rows != m.Cols:
			panic(fmt.Sprintf("lowrank: VerifyAll of a model of a %d×%d matrix, which is not symmetric", m.Rows, m.Cols))
		case m.Kernel.String() != kernel:
			panic(fmt.Sprintf("lowrank: VerifyAll of models of kernel %s and kernel %s", kernel, m.Kernel))
		case m.Left.Landmarks.Cols != models[0].Left.Landmarks.Cols:
			panic(fmt.Sprintf("lowrank: VerifyAll of models of rows with %d and with %d columns", models[0].Left.Landmarks.Cols, m.Left.Landmarks.Cols))
		}
	}
}

// verifier multiplies a symmetric A, and E = A − Â for each model, by vectors on
// exact tiles.
type verifier struct {
	engine   stream.Engine
	tiles    *tiles
	rows     *verifyRows
	diagonal float64 // weight of the diagonal, 1 if all rows are looked at
	models   []*verified

	embeddings map[*Embedding]blas64.General // until all models have theirs

	entry   *krylov.Lanczos
	settled bool      // entry has, and is carried on for the models that have not
	entries []float64 // the diagonal of A, filled in the first pass
	squares []float64 // of the entries of A, a sum for each row block: likewise
}

// verified is a model Â = u·diag(values)·vᵀ + shift·I and what is known of its
// error E. Values and shift are in the unit of the tiles.
type verified struct {
	u, v      blas64.General // the same if symmetric
	values    []float64
	shift     float64
	symmetric bool
	embedded  int64 // kernel entries that u and v took

	diff     *krylov.Lanczos // of E, or of EᵀE if E is not symmetric
	half     []float64       // E times its vector, to be multiplied by Eᵀ; nil if that is not due
	settled  bool
	diagonal []float64 // of E, filled in the first pass
	squares  []float64 // of the entries of E, a sum for each row block: likewise
	out      *model.Verification
}

func (v *verifier) newModel(ctx context.Context, of *Model, seed uint64) (*verified, error) {
	n := v.rows.rows.Rows
	m := &verified{values: of.unitValues(v.tiles.unit), shift: of.Shift * v.tiles.unit, symmetric: of.Symmetric(), embedded: v.rows.embedded(of.Left),
		diff: newNorm(n, seed, "Lanczos E"), diagonal: make([]float64, n), squares: make([]float64, rowBlocks(n)),
		out: &model.Verification{Tolerance: verifyTolerance, Rows: int64(n), Cols: int64(n)}}
	var err error
	if m.u, err = v.embed(ctx, of, of.Left); err != nil {
		return nil, err
	}
	m.v = m.u
	if !m.symmetric {
		// A step on EᵀE goes as far as two on a symmetric E, and estimates ‖E‖².
		m.diff.Lag, m.diff.Tolerance = 3, 2*verifyTolerance
		m.v, err = v.embed(ctx, of, of.Right)
		m.embedded += v.rows.embedded(of.Right)
	}
	return m, err
}

// embed returns the embedding of the rows by a side of a model, computed once if models
// share it.
func (v *verifier) embed(ctx context.Context, m *Model, side *Embedding) (blas64.General, error) {
	if u, known := v.embeddings[side]; known {
		return u, nil
	}
	u, err := v.rows.embed(ctx, v.engine, m, side)
	v.embeddings[side] = u
	return u, err
}

// vector returns what E, or Eᵀ, is to be multiplied with next.
func (m *verified) vector() []float64 {
	if m.half != nil {
		return m.half
	}
	return m.diff.Vector()
}

// sides returns the factors of Â, or of its transpose if that is to be multiplied next.
func (m *verified) sides() (left, right blas64.General) {
	if m.half != nil {
		return m.v, m.u
	}
	return m.u, m.v
}

// take takes in the product of E with vector().
func (m *verified) take(product []float64) (err error) {
	if !m.symmetric && m.half == nil {
		m.half = product
		return nil
	}
	m.half = nil
	m.out.Iterations++
	m.settled, err = m.diff.Step(product)
	return err
}

// norm returns the estimate of ‖E‖₂.
func (m *verified) norm() float64 {
	if m.symmetric {
		return m.diff.Norm()
	}
	return math.Sqrt(m.diff.Norm())
}

// run makes passes until all models are done. One is done when its own estimate
// and that of ‖A‖ have settled; both are taken from that pass, so that the other
// models have no part in the result.
func (v *verifier) run(ctx context.Context) ([]*model.Verification, error) {
	n := v.rows.rows.Rows
	active := v.models
	for len(active) > 0 {
		if err := v.step(ctx, active); err != nil {
			return nil, err
		}
		var rest []*verified
		for _, m := range active {
			m.out.Converged = m.half == nil && (v.settled && m.settled || m.out.Iterations == n)
			if !m.out.Converged && (m.half != nil || m.out.Iterations < verifySteps) {
				rest = append(rest, m)
				continue
			}
			m.out.KernelEntries = v.tiles.entries.Load() + m.embedded
			summarise(m.out, v.entry.Norm(), m.norm(), v.frobenius(m), v.tiles.unit)
			m.out.TraceKept = 1 - ratio(dense.Sum(m.diagonal), dense.Sum(v.entries))
			m.u, m.v = blas64.General{}, blas64.General{} // so that their memory can be used again
		}
		active = rest
	}
	out := make([]*model.Verification, len(v.models))
	for i, m := range v.models {
		out[i] = m.out
	}
	return out, nil
}

func (v *verifier) frobenius(m *verified) []frobenius {
	all := make([]frobenius, len(v.squares))
	for i := range all {
		all[i] = frobenius{entry: v.squares[i], diff: m.squares[i]}
	}
	return all
}

// step makes one pass, for A as long as its Lanczos process can go on, and for
// each of the models.
func (v *verifier) step(ctx context.Context, models []*verified) (err error) {
	y, err := v.multiply(ctx, models)
	if err != nil {
		return err
	}
	if v.entry.Steps() < len(y[0]) {
		if v.settled, err = v.entry.Step(y[0]); err != nil {
			return fmt.Errorf("lowrank: %w", err)
		}
	}
	for k, m := range models {
		if err := m.take(y[k+1]); err != nil {
			return fmt.Errorf("lowrank: %w", err)
		}
	}
	return nil
}

// multiply makes an exact pass: A times the vector of A's Lanczos process, and
// for each model E, or Eᵀ, times that of its own.
func (v *verifier) multiply(ctx context.Context, models []*verified) ([][]float64, error) {
	x := stream.NewMatrix(v.rows.rows.Rows, len(models)+1)
	setColumn(x, 0, v.entry.Vector())
	for k, m := range models {
		setColumn(x, k+1, m.vector())
	}
	ax, err := v.multiplyTiles(ctx, x, models)
	if err != nil {
		return nil, err
	}
	products := make([][]float64, x.Cols)
	for k := range products {
		products[k] = column(ax, k)
	}
	v.weighDiagonal(products[0], v.entries, v.entry.Vector())
	for k, m := range models {
		dense.Axpy(-m.shift, m.vector(), products[k+1])
		v.weighDiagonal(products[k+1], m.diagonal, m.vector())
	}
	return products, v.subtractModels(ctx, models, products[1:])
}

func setColumn(m blas64.General, j int, x []float64) {
	for i, v := range x {
		m.Data[i*m.Stride+j] = v
	}
}

func column(m blas64.General, j int) []float64 {
	x := make([]float64, m.Rows)
	for i := range x {
		x[i] = m.Data[i*m.Stride+j]
	}
	return x
}

// weighDiagonal gives the diagonal its weight in y, a product with x.
func (v *verifier) weighDiagonal(y, diagonal, x []float64) {
	if v.diagonal == 1 {
		return
	}
	for i, d := range diagonal {
		y[i] -= (1 - v.diagonal) * d * x[i]
	}
}

// multiplyTiles returns A·x. Each row block has one sum for the tiles in which its
// rows are rows and one for those in which they are columns, both in a fixed
// order: see stream.Pairs. The first pass also measures the entries of A and E.
func (v *verifier) multiplyTiles(ctx context.Context, x blas64.General, models []*verified) (blas64.General, error) {
	y, mirror := stream.NewMatrix(x.Rows, x.Cols), stream.NewMatrix(x.Rows, x.Cols)
	first := v.entries == nil
	if first {
		v.entries, v.squares = make([]float64, x.Rows), make([]float64, rowBlocks(x.Rows))
	}
	err := v.tiles.eachPair(ctx, v.engine, "verify", v.rows.src, v.rows.src, stream.Upper, func() tileVisitor {
		measure := func(i, j *stream.Block, tile blas64.General) {}
		if first {
			measure = v.measurer(models)
		}
		return func(i, j *stream.Block, tile blas64.General) {
			addProduct(blas.NoTrans, tile, blockRows(x, j), blockRows(y, i))
			if i.Index != j.Index {
				addProduct(blas.Trans, tile, blockRows(x, i), blockRows(mirror, j))
			}
			measure(i, j, tile)
		}
	})
	dense.Add(1, mirror, y)
	return y, err
}

// measurer sums, for one worker, the squares of the entries of tiles of A, and
// of E for each model, and notes the diagonals.
func (v *verifier) measurer(models []*verified) tileVisitor {
	buf := newTile(v.rows.src, v.rows.src)
	weighted := make([]float64, stream.PairRows*widest(models))
	return func(i, j *stream.Block, tile blas64.General) {
		for _, m := range models {
			w := weighRows(weighted, blockRows(m.u, i), m.values)
			sum := v.tileSquares(i, j, differenceTile(tile, w, blockRows(m.v, j), buf), m.diagonal, m.shift)
			if i.Index != j.Index && m.symmetric {
				sum *= 2
			} else if i.Index != j.Index { // the mirror image, transposed
				w = weighRows(weighted, blockRows(m.v, i), m.values)
				sum += squares(differenceTile(tile, w, blockRows(m.u, j), buf))
			}
			m.squares[i.Index] += sum
		}
		sum := v.tileSquares(i, j, tile, v.entries, 0)
		if i.Index != j.Index {
			sum *= 2
		}
		v.squares[i.Index] += sum
	}
}

// widest returns the largest rank.
func widest(models []*verified) int {
	most := 0
	for _, m := range models {
		most = max(most, m.u.Cols)
	}
	return most
}

// weighRows returns u·diag(w), in the memory of buf.
func weighRows(buf []float64, u blas64.General, w []float64) blas64.General {
	out := blas64.General{Rows: u.Rows, Cols: u.Cols, Stride: max(1, u.Cols), Data: buf[:u.Rows*u.Cols]}
	for i := range u.Rows {
		row := dense.Row(out, i)
		for j, x := range dense.Row(u, i) {
			row[j] = x * w[j]
		}
	}
	return out
}

// tileSquares returns the sum of the squares of a tile's entries. It subtracts the
// shift from the diagonal, which it notes, and overwrites unless it counts in full.
func (v *verifier) tileSquares(i, j *stream.Block, tile blas64.General, diagonal []float64, shift float64) float64 {
	if i.Index != j.Index {
		return squares(tile)
	}
	root := math.Sqrt(v.diagonal)
	for r := range tile.Rows {
		at := &tile.Data[r*tile.Stride+r]
		*at -= shift
		diagonal[int(i.Start)+r] = *at
		*at *= root
	}
	return squares(tile)
}

// subtractModels is y_k −= U·diag(values)·Vᵀ·x_k for each model k, in two folds
// over blocks of rows, since all the embeddings together are much to read.
func (v *verifier) subtractModels(ctx context.Context, models []*verified, y [][]float64) error {
	inner, err := v.foldModels(ctx, len(models), widest(models), func(sum blas64.General, b *stream.Block) {
		for k, m := range models {
			x := m.vector()[b.Start:]
			_, right := m.sides()
			for i := range b.X.Rows {
				dense.Axpy(x[i], dense.Row(right, int(b.Start)+i), dense.Row(sum, k)[:right.Cols])
			}
		}
	})
	if err != nil {
		return err
	}
	for k, m := range models {
		for j, w := range m.values {
			dense.Row(inner, k)[j] *= w
		}
	}
	_, err = v.foldModels(ctx, 0, 0, func(_ blas64.General, b *stream.Block) {
		for k, m := range models {
			left, _ := m.sides()
			for i := range b.X.Rows {
				y[k][int(b.Start)+i] -= dense.Dot(dense.Row(left, int(b.Start)+i), dense.Row(inner, k)[:left.Cols])
			}
		}
	})
	return err
}

// foldModels sums a matrix over blocks of rows.
func (v *verifier) foldModels(ctx context.Context, r, c int, add func(sum blas64.General, b *stream.Block)) (blas64.General, error) {
	e := v.engine
	e.BlockRows, e.Progress = stream.PanelRows, nil
	sum, err := stream.Fold(ctx, e, "verify", v.rows.src, func() *sketch.Sum { return sketch.NewSum(r, c) }, func() func(*sketch.Sum, *stream.Block) error {
		return func(acc *sketch.Sum, b *stream.Block) error {
			add(acc.General, b)
			return nil
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	return sum.General, nil
}
