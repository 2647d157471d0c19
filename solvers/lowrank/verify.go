package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Verification is the measured error of a model on rows.
type Verification struct {
	SpectralError  float64 // ‖A−Â‖₂/‖A‖₂
	FrobeniusError float64 // ‖A−Â‖_F/‖A‖_F
	Norm           float64 // ‖A‖₂
	Iterations     int     // Lanczos steps
	Tolerance      float64 // relative, on the norms
	Converged      bool
	Rows, Cols     int64 // size of the matrix that was looked at
	KernelEntries  int64
}

// VerifyTolerance is the relative change of the norm estimates, over the last
// five Lanczos steps, at which [Model.Verify] stops.
const VerifyTolerance = 1e-4

// VerifySteps is the most Lanczos steps that Verify takes.
const VerifySteps = 150

// Verify measures the error of the model on the rows of left, and of right for
// a model of two sources, by the Lanczos method on exact tiles (Golub and Van
// Loan 2013, §10.1; on AᵀA for two sources). With sample > 0 it looks at that
// many rows of each source, drawn at random: the errors are then those of the
// matrix between them.
//
// Cost: n²/2 kernel entries a step (2·m·n for two sources), memory for the
// rows, their embedding, and a few vectors. One pass over each source.
func (m *Model) Verify(ctx context.Context, e stream.Engine, left, right stream.Source, sample int, seed uint64) (*Verification, error) {
	t := m.tiles(m.Left)
	l, err := t.verifyRows(ctx, left, m.Left, sample, seed)
	if err != nil {
		return nil, err
	}
	r := l
	if !m.Symmetric() {
		if right == nil {
			right = left
		}
		if r, err = t.verifyRows(ctx, right, m.Right, sample, seed); err != nil {
			return nil, err
		}
	}
	v := &verifier{engine: e, tiles: t, left: l, right: r, weighted: scaleCols(l.u, m.unitValues(t)), shift: m.Shift * t.unit, symmetric: m.Symmetric(),
		diagonal: diagonalWeight(l)}
	return v.run(ctx, seed)
}

// unitValues are the values in the unit of the tiles.
func (m *Model) unitValues(t *tiles) []float64 {
	w := slices.Clone(m.Values)
	for i := range w {
		w[i] *= t.unit
	}
	return w
}

// verifySide is the rows of one source, in memory, and their embedding.
type verifySide struct {
	rows blas64.General
	src  stream.Gatherer
	of   int64 // rows of the source that they were drawn from
	u    blas64.General
}

func (t *tiles) verifyRows(ctx context.Context, src stream.Source, e *Embedding, sample int, seed uint64) (*verifySide, error) {
	n, err := knownRows(src)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	if len(info.Columns) != e.Landmarks.Cols {
		return nil, fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, len(info.Columns), e.Landmarks.Cols)
	}
	p, err := t.verifyPanel(ctx, src, n, sample, seed)
	if err != nil {
		return nil, err
	}
	u, err := t.embedRows(e, e.pack(t), p, info.Name)
	return &verifySide{p.rows, stream.FromMatrix(info.Name, p.rows), n, u}, err
}

// diagonalWeight is what the diagonal of a matrix between sampled rows counts: of
// n² entries of A n are on the diagonal, a smaller part than of the entries
// between few rows. Without it the shift, which acts there alone, would seem as
// large beside the norm of the sample as it is beside that of A.
func diagonalWeight(v *verifySide) float64 {
	if v.of < 2 {
		return 1
	}
	return float64(v.rows.Rows-1) / float64(v.of-1)
}

// verifyPanel fetches all rows, or a sample of them.
func (t *tiles) verifyPanel(ctx context.Context, src stream.Source, n int64, sample int, seed uint64) (*panel, error) {
	number := make([]int64, n)
	for i := range number {
		number[i] = int64(i)
	}
	if sample > 0 && int64(sample) < n {
		s, err := sketch.NewSample(n, sample, seed, "verify")
		if err != nil {
			return nil, err
		}
		number = s.Positions()
	}
	rows, err := stream.GatherRows(ctx, src, number)
	return &panel{rows: rows, number: number}, err
}

// verifier multiplies A and E = A − Â by vectors on exact tiles.
type verifier struct {
	engine      stream.Engine
	tiles       *tiles
	left, right *verifySide
	weighted    blas64.General // U·diag(values)
	shift       float64
	diagonal    float64 // weight of the diagonal, 1 if all rows are looked at
	symmetric   bool
	frobenius   []frobenius // one per row block, filled on the first visit
	entries     []float64   // the diagonal of A, filled on the first visit
}

func (v *verifier) run(ctx context.Context, seed uint64) (*Verification, error) {
	n := v.right.rows.Rows
	entry := newLanczos(n, sketch.NewStream(seed, "Lanczos A"))
	diff := newLanczos(n, sketch.NewStream(seed, "Lanczos E"))
	out := &Verification{Tolerance: VerifyTolerance, Rows: int64(v.left.rows.Rows), Cols: int64(n)}
	for out.Iterations < min(VerifySteps, n) && !out.Converged {
		a, d, err := v.multiply(ctx, entry.vector(), diff.vector())
		if err != nil {
			return nil, err
		}
		doneA, errA := entry.step(a)
		doneE, errE := diff.step(d)
		if errA != nil || errE != nil {
			return nil, fmt.Errorf("lowrank: %w", firstError(errA, errE))
		}
		out.Iterations++
		out.Converged = doneA && doneE
	}
	out.Converged = out.Converged || out.Iterations == n
	v.summarise(out, entry.norm, diff.norm)
	return out, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) summarise(out *Verification, a, d float64) {
	if !v.symmetric {
		a, d = math.Sqrt(a), math.Sqrt(d)
	}
	var sum frobenius
	for _, f := range v.frobenius {
		sum.entry += f.entry
		sum.diff += f.diff
	}
	out.SpectralError, out.Norm = ratio(d, a), a/v.tiles.unit
	out.FrobeniusError = ratio(math.Sqrt(sum.diff), math.Sqrt(sum.entry))
	out.KernelEntries = v.tiles.entries.Load()
}

// ratio is d/a, and 0 when both are 0.
func ratio(d, a float64) float64 {
	if d == 0 {
		return 0
	}
	return d / a
}

// multiply gives A·x and E·y, or AᵀA·x and EᵀE·y for a rectangular matrix.
func (v *verifier) multiply(ctx context.Context, x, y []float64) (ax, ey []float64, err error) {
	if v.symmetric {
		return v.multiplySymmetric(ctx, x, y)
	}
	n, m := len(x), v.left.rows.Rows
	p, q := make([]float64, m), make([]float64, m)
	err = v.visit(ctx, stream.Full, func(i, j *stream.Block, tile blas64.General) {
		for r := range tile.Rows {
			p[int(i.Start)+r] += dot(rowOf(tile, r), x[j.Start:][:tile.Cols])
			q[int(i.Start)+r] += dot(rowOf(tile, r), y[j.Start:][:tile.Cols])
		}
	})
	if err != nil {
		return nil, nil, err
	}
	subtractProduct(q, v.weighted, v.right.u, y)
	ax, ey = make([]float64, n), make([]float64, n)
	err = v.visit(ctx, stream.Full, func(i, j *stream.Block, tile blas64.General) {
		for r := range tile.Rows {
			axpy(p[int(i.Start)+r], rowOf(tile, r), ax[j.Start:][:tile.Cols])
			axpy(q[int(i.Start)+r], rowOf(tile, r), ey[j.Start:][:tile.Cols])
		}
	})
	subtractProduct(ey, v.right.u, v.weighted, q)
	return ax, ey, err
}

func (v *verifier) multiplySymmetric(ctx context.Context, x, y []float64) (ax, ey []float64, err error) {
	n := len(x)
	// One sum for tiles taken by rows and one for tiles taken by columns, each
	// in a fixed order: see stream.Pairs.
	ax, ey = make([]float64, n), make([]float64, n)
	bx, by := make([]float64, n), make([]float64, n)
	err = v.visit(ctx, stream.Upper, func(i, j *stream.Block, tile blas64.General) {
		for r := range tile.Rows {
			k := int(i.Start) + r
			ax[k] += dot(rowOf(tile, r), x[j.Start:][:tile.Cols])
			ey[k] += dot(rowOf(tile, r), y[j.Start:][:tile.Cols])
			if i.Index != j.Index {
				axpy(x[k], rowOf(tile, r), bx[j.Start:][:tile.Cols])
				axpy(y[k], rowOf(tile, r), by[j.Start:][:tile.Cols])
			}
		}
	})
	for k := range n {
		ax[k] += bx[k]
		ey[k] += by[k] - v.shift*y[k]
	}
	subtractProduct(ey, v.weighted, v.right.u, y)
	for k, a := range v.entries {
		approx := dot(rowOf(v.weighted, k), rowOf(v.right.u, k)) + v.shift
		ax[k] -= (1 - v.diagonal) * a * x[k]
		ey[k] -= (1 - v.diagonal) * (a - approx) * y[k]
	}
	return ax, ey, err
}

// visit computes the tiles and hands them on. The first time round it also sums
// the squares of the entries of A and E.
func (v *verifier) visit(ctx context.Context, shape stream.Shape, f func(i, j *stream.Block, tile blas64.General)) error {
	first := v.frobenius == nil
	if first {
		v.entries = make([]float64, v.left.rows.Rows)
		v.frobenius = make([]frobenius, (v.left.rows.Rows+stream.PairRows-1)/stream.PairRows)
	}
	return stream.Pairs(ctx, v.engine, "verify", v.left.src, v.right.src, shape, func() func(i, j *stream.Block) error {
		var w kernelgen.Workspace
		tileBuf := stream.NewMatrix(stream.PairRows, stream.PairRows)
		approx := stream.NewMatrix(stream.PairRows, stream.PairRows)
		return func(i, j *stream.Block) error {
			tile := blas64.General{Rows: i.X.Rows, Cols: j.X.Rows, Stride: j.X.Rows, Data: tileBuf.Data[:i.X.Rows*j.X.Rows]}
			v.tiles.fill(tile, i.X, v.tiles.pack(j.X, nil, nil), &w)
			if first {
				v.addSquares(i, j, tile, approx)
			}
			f(i, j, tile)
			return nil
		}
	})
}

// addSquares adds the squares of the entries of a tile of A and of A − Â.
func (v *verifier) addSquares(i, j *stream.Block, tile, buf blas64.General) {
	approx := blas64.General{Rows: tile.Rows, Cols: tile.Cols, Stride: tile.Cols, Data: buf.Data[:tile.Rows*tile.Cols]}
	gemm(blas.NoTrans, blas.Trans, stream.RowSlice(v.weighted, int(i.Start), tile.Rows), stream.RowSlice(v.right.u, int(j.Start), tile.Cols), approx)
	var sum frobenius
	for r := range tile.Rows {
		for c, a := range rowOf(tile, r) {
			b := approx.Data[r*approx.Stride+c]
			if v.symmetric && i.Index == j.Index && r == c {
				v.entries[int(i.Start)+r] = a
				b += v.shift
				root := math.Sqrt(v.diagonal)
				a, b = root*a, root*b
			}
			sum.add(a, a-b)
		}
	}
	weight := 1.0
	if v.symmetric && i.Index != j.Index {
		weight = 2
	}
	v.frobenius[i.Index].entry += weight * sum.entry
	v.frobenius[i.Index].diff += weight * sum.diff
}

// subtractProduct is y −= a·(bᵀ·x).
func subtractProduct(y []float64, a, b blas64.General, x []float64) {
	inner := make([]float64, b.Cols)
	for i := range b.Rows {
		axpy(x[i], rowOf(b, i), inner)
	}
	for i := range a.Rows {
		y[i] -= dot(rowOf(a, i), inner)
	}
}

func dot(x, y []float64) float64 {
	return blas64.Dot(vector(x), vector(y))
}

func axpy(a float64, x, y []float64) {
	blas64.Axpy(a, vector(x), vector(y))
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
