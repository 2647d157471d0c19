package ksvd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

const (
	// normTolerance is the residual of the triplet of a spectral norm, relative to the norm.
	normTolerance = 3e-3
	normPasses    = 100
	// roundingError is the relative Frobenius error below which the remainder of G is rounding. No iteration finds its
	// spectral norm quickly, so its Frobenius norm is reported instead.
	roundingError = 1e-11
)

// VerifyPlan returns the cost of Verify.
func (m *Model) VerifyPlan(e stream.Engine, d model.Sources, sample int) *model.Plan {
	if d.Right == nil {
		return model.NewPlan(e, -1, 0) // Verify reports the error
	}
	p := m.TransformPlan(e, d.Left, model.Request{Side: model.Left})
	p.Include(m.TransformPlan(e, d.Right, model.Request{Side: model.Right}))
	n, c, knob := d.Left.Info().Rows, d.Right.Info().Rows, "the number of rows with `Verify sampled`"
	if sample > 0 {
		n, c, knob = min(n, int64(sample)), min(c, int64(sample)), "`Verify.sample`"
	}
	k := int64(m.Rank())
	for i, src := range []stream.Source{d.Left, d.Right} {
		rows := []int64{n, c}[i]
		if s := sourceOf(src); s.sparse != nil {
			p.Add("rows in memory", 3*s.sparse.Matrix.NNZ()+2*int64(s.sparse.Matrix.Rows+s.sparse.Matrix.Cols), knob)
		} else {
			p.Add("rows in memory", 3*rows*int64(s.dimension()), knob) // raw, mapped and packed
		}
	}
	p.Add("singular vectors, and their products", 8*(n+c)*k, knob)
	p.Add("entries of G", int64(min(float64(n)*float64(c), MaxFormed)), knob)
	p.Add("Krylov spaces", (n+c)*(1+tiles.Oversampling)*(2*tiles.MaxBlocks+6), knob)
	p.Add("tiles of an exact pass", 3*int64(e.Workers())*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
	return p
}

// Verify measures G − U·diag(values)·Vᵀ on the rows of the left and right sources, and the residuals of all triplets. G
// is centred if the model is. If sample > 0, it draws that many rows of each source: norms are then those of the matrix
// between them, and residuals are estimates.
//
// Row sums and means are over all measured rows; for a sample, those of the model are used if they are exact.
//
// Cost: one pass over each source; exact passes for row sums, for means and for the residuals; and one for each of ten
// to forty iterations, unless G has at most [MaxFormed] entries, which are held in memory.
func (m *Model) Verify(ctx context.Context, e stream.Engine, d model.Sources, sample int, seed uint64) (*model.Verification, error) {
	v, err := m.verifier(ctx, e, d, sample, seed)
	if err != nil {
		return nil, err
	}
	return v.run(ctx, seed)
}

// verifier fetches and embeds the rows.
func (m *Model) verifier(ctx context.Context, e stream.Engine, d model.Sources, sample int, seed uint64) (v *verifier, err error) {
	if d.Right == nil {
		return nil, errors.New("the model is of a matrix between two sides, and the rows of one are given")
	}
	v = &verifier{Model: m, engine: e}
	if v.embeds, err = m.tiles(); err != nil {
		return nil, err
	}
	if v.tiles, err = m.tiles(); err != nil {
		return nil, err
	}
	if m.Rank() > 0 {
		v.tiles.SetScale(tiles.ScaleFor(m.Values[0]))
	}
	if v.left, err = v.side(ctx, d.Left, m.Left, sample, seed, "verify left"); err != nil {
		return nil, err
	}
	if v.right, err = v.side(ctx, d.Right, m.Right, sample, seed, "verify right"); err != nil {
		return nil, err
	}
	v.grid = v.tiles.NewGrid(e, [2]string{v.left.name, v.right.name}, v.left.rows, v.right.rows)
	v.sums, err = v.newSums(ctx)
	return v, err
}

// verifier measures a model on the rows of two sides.
type verifier struct {
	*Model
	engine      stream.Engine
	embeds      *tiles.Tiles // of the model
	tiles       *tiles.Tiles // of G, scaled by a unit
	grid        *tiles.Grid
	sums        *tiles.Sums // for the rows of both sides
	left, right *verifiedSide
	held        blas64.General // G; empty if it is too large
}

// verifiedSide holds the rows of one side in a measurement.
type verifiedSide struct {
	name    string
	rows    *tiles.Rows
	strata  // without landmarks
	vectors blas64.General
	part    *embedding
}

// sampled reports whether the rows are a sample of their source.
func (s *verifiedSide) sampled() bool { return s.notDrawn > 0 }

// side fetches all rows of a source, or a sample, and embeds them.
func (v *verifier) side(ctx context.Context, src stream.Source, of *Factor, sample int, seed uint64, purpose string) (*verifiedSide, error) {
	from, n := sourceOf(src), src.Info().Rows
	if from.sparse != nil && n == 0 {
		return nil, fmt.Errorf("%s has no nodes", from.name())
	}
	if _, err := input.KnownRows(src); err != nil && from.sparse == nil {
		return nil, err
	}
	if err := of.accepts(from); err != nil {
		return nil, err
	}
	out, err := &verifiedSide{name: from.name()}, error(nil)
	if sample > 0 && int64(sample) < n {
		out.sample = uniformSample(n, sample, seed, purpose)
		out.notDrawn = 1 - float64(sample)/float64(n)
		out.rows, err = from.gather(ctx, out.numbers)
	} else {
		out.sample = sampleAll(int(n))
		out.rows, err = from.load(ctx)
	}
	if err != nil {
		return nil, err
	}
	for i, number := range out.numbers[:out.rows.Dense.Rows] { // no iterations for sparse rows
		if err := checkValues(from.Info(), matrix.Rows(out.rows.Dense, i, 1), number); err != nil {
			return nil, err
		}
	}
	if of.Map.Rows > 0 {
		out.rows = &tiles.Rows{Dense: dense.Mul(blas.NoTrans, out.rows.Dense, blas.NoTrans, of.Map)}
	} else if err := checkRows(v.embeds, from.Info(), out.rows, out.numbers); err != nil {
		return nil, err
	}
	mapped := *of
	mapped.Map = blas64.General{}
	out.part = v.embedding(v.embeds, &mapped, nil, from.of(out.rows))
	out.vectors, err = out.each(ctx, v.engine, v.Rank(), func(w *embedder, dst blas64.General, rows *tiles.Rows, start int64) error {
		return w.embed(dst, rows, start)
	})
	return out, err
}

// each returns a matrix with the given number of columns. f stores its entries in dst for a range of rows at a time.
func (s *verifiedSide) each(ctx context.Context, e stream.Engine, columns int,
	f func(w *embedder, dst blas64.General, rows *tiles.Rows, start int64) error) (blas64.General, error) {
	if columns == 0 {
		return matrix.New(s.rows.Count(), 0), nil
	}
	return stream.MapRows(ctx, e, "verify", s.part.source, columns, func() func(blas64.General, *stream.Block) error {
		w := s.part.worker()
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(w.panelRows()) {
				rows := s.part.source.panel(b, first, x)
				if err := f(w, matrix.Rows(dst, first, x.Rows), rows, b.Start+int64(first)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// newSums returns the row sums and means of G. For a sample it uses those of the model if they are exact.
func (v *verifier) newSums(ctx context.Context) (*tiles.Sums, error) {
	sampled := v.left.sampled() || v.right.sampled()
	if sampled && v.Sums == SumsExact && (v.normalised() || v.Centered) {
		return v.modelSums(ctx)
	}
	s, err := v.grid.Sums(ctx, v.Centered)
	if err != nil || s.LogSums == nil {
		return s, err
	}
	weight := v.right.weights[0] // each summed row represents the same number
	for i := range s.LogSums {
		s.LogSums[i] += math.Log(weight)
	}
	scaleMeans(s, 1/weight)
	return s, nil
}

// modelSums returns the sums and means that the model uses for new rows.
func (v *verifier) modelSums(ctx context.Context) (*tiles.Sums, error) {
	left, err := v.left.each(ctx, v.engine, 2, func(w *embedder, dst blas64.General, rows *tiles.Rows, start int64) error {
		raw := matrix.Reuse(&w.tile, rows.Count(), w.landmarks.Count())
		w.tiles.Fill(raw, rows, w.landmarks, &w.work)
		sums, err := w.rowSums(raw, rows, start)
		for i := range rows.Count() {
			row := matrix.Row(dst, i)
			row[0], row[1] = 0, 0
			if sums != nil && sums.LogSums != nil {
				row[0] = sums.LogSums[i]
			}
			if sums != nil && sums.RowMeans != nil {
				row[1] = sums.RowMeans[i]
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &tiles.Sums{}
	if v.normalised() {
		s.LogSums = columnOf(left, 0)
	}
	if !v.Centered {
		return s, nil
	}
	right, err := v.right.each(ctx, v.engine, 1, func(w *embedder, dst blas64.General, rows *tiles.Rows, start int64) error {
		g := matrix.Reuse(&w.tile, w.landmarks.Count(), rows.Count())
		w.tiles.Fill(g, w.landmarks, rows, &w.work)
		w.tiles.Divide(g, w.LogSums)
		for j, mean := range w.colMeans(g, rows, start) {
			matrix.Row(dst, j)[0] = mean
		}
		return nil
	})
	s.RowMeans, s.ColMeans, s.GrandMean = columnOf(left, 1), columnOf(right, 0), v.Left.GrandMean
	scaleMeans(s, v.tiles.Scale())
	return s, err
}

// scaleMeans multiplies means.
func scaleMeans(s *tiles.Sums, by float64) {
	for _, means := range [][]float64{s.RowMeans, s.ColMeans} {
		for i := range means {
			means[i] *= by
		}
	}
	s.GrandMean *= by
}

// columnOf returns a column of a matrix.
func columnOf(m blas64.General, j int) []float64 {
	x := make([]float64, m.Rows)
	for i := range x {
		x[i] = matrix.Row(m, i)[j]
	}
	return x
}

// run makes the passes.
func (v *verifier) run(ctx context.Context, seed uint64) (*model.Verification, error) {
	n, c := v.left.rows.Count(), v.right.rows.Count()
	out := &model.Verification{Rows: int64(n), Cols: int64(c), TraceKept: math.NaN(), Tolerance: normTolerance, Converged: true}
	values := slices.Clone(v.Values)
	for k := range values {
		values[k] *= v.tiles.Scale()
	}
	weighted := matrix.Clone(v.left.vectors)
	dense.ScaleColumns(weighted, values)
	all, rest, residuals, err := v.measure(ctx, weighted, values)
	if err != nil {
		return nil, err
	}
	out.FrobeniusError, out.Residuals = quotient(math.Sqrt(rest), math.Sqrt(all)), residuals
	norm := func(left blas64.General) (float64, error) {
		svd := tiles.SVD{Rank: 1, Tolerance: normTolerance, Passes: normPasses, Seed: seed}
		r, err := decompose(ctx, svd, &deflated{verifier: v, left: left}, n, c)
		if err != nil || len(r.Values) == 0 {
			return 0, err
		}
		out.Converged = out.Converged && krylov.Largest(r.Residuals()) <= normTolerance
		out.Iterations += r.Passes
		return r.Values[0], nil
	}
	of, err := norm(blas64.General{})
	if err != nil {
		return nil, err
	}
	missed := math.Sqrt(rest)
	if out.FrobeniusError > roundingError {
		if missed, err = norm(weighted); err != nil {
			return nil, err
		}
	}
	out.SpectralError, out.Norm = quotient(missed, of), of/v.tiles.Scale()
	out.KernelEntries = v.tiles.Entries.Load() + v.embeds.Entries.Load()
	return out, nil
}

// quotient returns d/a, or 0 if both are 0.
func quotient(d, a float64) float64 {
	if d == 0 {
		return 0
	}
	return d / a
}

// finish turns a raw tile into entries of G. i and j are the numbers of its first row and column.
func (v *verifier) finish(tile blas64.General, i, j int) {
	v.tiles.Divide(tile, v.sums.LogSumRange(i, tile.Rows))
	if v.Centered {
		part := &tiles.Sums{RowMeans: v.sums.RowMeans[i:], ColMeans: v.sums.ColMeans[j:], GrandMean: v.sums.GrandMean}
		part.Center(tile)
	}
}

// measure makes the pass that computes the squared Frobenius norms of G and of G − weighted·Vᵀ, and the residuals. It
// keeps the entries of a small G.
func (v *verifier) measure(ctx context.Context, weighted blas64.General, values []float64) (all, rest float64, _ []float64, err error) {
	n, c := v.left.rows.Count(), v.right.rows.Count()
	if float64(n)*float64(c) <= MaxFormed {
		v.held = matrix.New(n, c)
	}
	u, w := matrix.Clone(v.left.vectors), matrix.Clone(v.right.vectors)
	unitLength(u, v.left.weights)
	unitLength(w, v.right.weights)
	products, noise := newProducts(u, w), newProducts(squares(u), squares(w))
	blocks := (n + tilesize.PairRows - 1) / tilesize.PairRows
	entries, errs := make([]float64, blocks), make([]float64, blocks)
	err = v.grid.Pairs(ctx, "verify", false, func() tiles.Visitor {
		buf := make([]float64, tilesize.PairRows*tilesize.PairRows)
		return func(tile blas64.General, i, j int) error {
			v.finish(tile, i, j)
			if v.held.Rows > 0 {
				for k := range tile.Rows {
					copy(matrix.Row(v.held, i+k)[j:], matrix.Row(tile, k))
				}
			}
			diff := blas64.General{Rows: tile.Rows, Cols: tile.Cols, Stride: tile.Cols, Data: buf[:tile.Rows*tile.Cols]}
			copy(diff.Data, tile.Data)
			entries[i/tilesize.PairRows] += dense.Dot(tile.Data, tile.Data)
			if weighted.Cols > 0 {
				dense.Gemm(blas.NoTrans, blas.Trans, -1, matrix.Rows(weighted, i, tile.Rows), matrix.Rows(v.right.vectors, j, tile.Cols), 1, diff)
			}
			errs[i/tilesize.PairRows] += dense.Dot(diff.Data, diff.Data)
			if err := products.Add(tile, i, j); err != nil || !(v.left.sampled() || v.right.sampled()) {
				return err
			}
			return noise.Add(squares(tile), i, j)
		}
	})
	if err != nil {
		return 0, 0, nil, err
	}
	return dense.Sum(entries), dense.Sum(errs), v.residuals(products, noise, values), nil
}

// newProducts returns empty products of G with w, and of Gᵀ with u.
func newProducts(u, w blas64.General) *tiles.Product {
	return &tiles.Product{Q: w, AQ: matrix.New(u.Rows, w.Cols), P: u, ATP: matrix.New(w.Rows, u.Cols)}
}

// residuals returns the larger of ‖Gv−σu‖/σ and ‖Gᵀu−σv‖/σ for each triplet. The vectors have norm 1 over all rows that
// the measured ones represent.
func (v *verifier) residuals(products, noise *tiles.Product, values []float64) []float64 {
	left := residualsOf(products.AQ, noise.AQ, products.P, values, &v.left.strata, &v.right.strata)
	right := residualsOf(products.ATP, noise.ATP, products.Q, values, &v.right.strata, &v.left.strata)
	for k, r := range right {
		left[k] = math.Max(left[k], r)
	}
	return left
}

// residualsOf returns the residuals of products of G with v over some columns. seconds has the sums of the squared
// terms.
func residualsOf(products, seconds, u blas64.General, values []float64, rows, cols *strata) []float64 {
	w, m := cols.weights[0], float64(len(cols.weights))
	variance := matrix.New(products.Rows, products.Cols)
	for i := range products.Rows {
		sums, second, of := matrix.Row(products, i), matrix.Row(seconds, i), matrix.Row(variance, i)
		for k, sum := range sums {
			if m > 1 && cols.notDrawn > 0 {
				of[k] = w * w * math.Max(0, second[k]-sum*sum/m) * m / (m - 1) * cols.notDrawn
			}
			sums[k] *= w
		}
	}
	return residualNorms(products, variance, u, values, rows)
}

// deflated is G − left·Vᵀ as a [krylov.Operator], or G if left is empty.
type deflated struct {
	*verifier
	left blas64.General
}

// Multiply implements [krylov.Operator].
func (d *deflated) Multiply(ctx context.Context, q, gq, p, gtp blas64.General) error {
	if err := d.multiply(ctx, q, gq, p, gtp); err != nil || d.left.Cols == 0 {
		return err
	}
	right := d.right.vectors
	if q.Cols > 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, -1, d.left, dense.Mul(blas.Trans, right, blas.NoTrans, q), 1, gq)
	}
	if p.Cols > 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, -1, right, dense.Mul(blas.Trans, d.left, blas.NoTrans, p), 1, gtp)
	}
	return nil
}

// multiply multiplies by G.
func (v *verifier) multiply(ctx context.Context, q, gq, p, gtp blas64.General) error {
	if v.held.Rows > 0 {
		return krylov.Matrix{General: v.held}.Multiply(ctx, q, gq, p, gtp)
	}
	matrix.Clear(gq)
	matrix.Clear(gtp)
	product := &tiles.Product{Q: q, AQ: gq, P: p, ATP: gtp}
	return v.grid.Pairs(ctx, "verify", false, func() tiles.Visitor {
		return func(tile blas64.General, i, j int) error {
			v.finish(tile, i, j)
			return product.Add(tile, i, j)
		}
	})
}
