package lowrank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// verifyTolerance is the relative change of the norm estimates, over the last
// five Lanczos steps, at which [Model.Verify] stops.
const verifyTolerance = 1e-4

// verifySteps is the most Lanczos steps that Verify takes.
const verifySteps = 150

// VerifyPlan returns what Verify will hold.
func (m *Model) VerifyPlan(e stream.Engine, d model.Sources, sample int) *model.Plan {
	if m.Explicit != nil {
		return m.embeddingPlan(e, d.Shape().Rows, m.Left)
	}
	sides := []*Embedding{m.Left}
	if !m.Symmetric() {
		sides = append(sides, m.Right)
	}
	s, knob := d.Shape(), "the number of rows with `error sampled`"
	looked := s.Longest()
	p := m.embeddingPlan(e, looked, sides...)
	if sample > 0 {
		looked, knob = min(looked, int64(sample)), "`sample`"
	}
	if !s.OneSource() {
		looked *= 2
	}
	norms := model.NewPlan(e, s.Longest(), m.Dimension(model.Left))
	norms.Add("Lanczos vectors", int64(2*verifySteps+8)*looked, knob)
	norms.Add("tiles of an exact pass", 2*int64(e.Workers())*stream.PairRows*stream.PairRows, "`threads`")
	p.Stage(norms)
	p.Add("rows in memory", int64(m.Dimension(model.Left)+2*m.Left.Rank()+1)*looked, knob)
	return p
}

// Verify measures the error of the model on the rows of the left source, and of the
// right for a model of two sources, by the Lanczos method on exact tiles (Golub and Van
// Loan 2013, §10.1; on AᵀA for two sources). With sample > 0 it looks at that
// many rows of each source, drawn at random: the errors are then those of the
// matrix between them.
//
// Cost: n²/2 kernel entries a step (2·m·n for two sources), memory for the
// rows, their embedding, and a few vectors. One pass over each source. Several
// models of one symmetric matrix are measured faster by [VerifyAll]. A model of an
// explicit matrix takes one pass over all of it a step, and no sample.
func (m *Model) Verify(ctx context.Context, e stream.Engine, d model.Sources, sample int, seed uint64) (*model.Verification, error) {
	switch {
	case m.Explicit != nil && sample > 0:
		return nil, errors.New("a model of a matrix on disk is measured on all of it")
	case m.Explicit != nil:
		return m.verifyExplicit(ctx, e, d.Left, seed)
	case m.Symmetric():
		all, err := VerifyAll(ctx, e, []*Model{m}, d.Left, sample, seed)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	left, right := d.Left, d.Right
	if right == nil {
		right = left
	}
	v := &rectVerifier{engine: e, tiles: m.tiles(m.Left)}
	for _, side := range []struct {
		rows *verifySide
		src  stream.Source
		e    *Embedding
	}{{&v.left, left, m.Left}, {&v.right, right, m.Right}} {
		rows, err := gatherVerify(ctx, side.src, side.e.Landmarks.Cols, sample, seed)
		if err != nil {
			return nil, err
		}
		if side.rows.u, err = rows.embed(ctx, e, m, side.e); err != nil {
			return nil, err
		}
		side.rows.verifyRows = rows
		v.tiles.entries.Add(rows.embedded(side.e))
	}
	v.weighted = scaledColumns(v.left.u, m.unitValues(v.tiles.unit))
	return v.run(ctx, seed)
}

// unitValues returns the values in a unit of tiles.
func (m *Model) unitValues(unit float64) []float64 {
	w := slices.Clone(m.Values)
	for i := range w {
		w[i] *= unit
	}
	return w
}

// verifyRows are the rows of one source that errors are measured on, in memory.
type verifyRows struct {
	panel
	src stream.Gatherer // of the rows
	of  int64           // rows of the source that they were drawn from
}

// gatherVerify fetches all rows, or a sample of them. Models know d columns.
func gatherVerify(ctx context.Context, src stream.Source, d, sample int, seed uint64) (*verifyRows, error) {
	n, err := model.KnownRows(src)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	if len(info.Columns) != d {
		return nil, fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, len(info.Columns), d)
	}
	number := stream.Numbers(int(n))
	if sample > 0 && int64(sample) < n {
		s, err := sketch.NewSample(n, sample, seed, "verify")
		if err != nil {
			return nil, err
		}
		number = s.Positions()
	}
	rows, err := stream.GatherRows(ctx, src, number)
	return &verifyRows{panel: panel{rows: rows, number: number}, src: stream.FromMatrix(info.Name, rows), of: n}, err
}

// embed returns the embedding of the rows.
func (v *verifyRows) embed(ctx context.Context, e stream.Engine, m *Model, side *Embedding) (blas64.General, error) {
	if int64(len(v.number)) < v.of { // landmarks among them are known by their numbers
		t := m.tiles(side)
		return t.embedRows(ctx, e, side, side.pack(t), &v.panel, v.src.Info().Name)
	}
	u := stream.NewMatrix(v.rows.Rows, side.Rank())
	e.Progress = nil
	err := m.embed(ctx, e, v.src, false, func(b *stream.Block, part blas64.General) error {
		for i := range part.Rows {
			copy(dense.Row(u, int(b.Start)+i), dense.Row(part, i))
		}
		return nil
	}, side)
	return u, err
}

// embedded returns how many kernel entries embed evaluates.
func (v *verifyRows) embedded(side *Embedding) int64 {
	return int64(v.rows.Rows) * int64(side.Landmarks.Rows)
}

// diagonalWeight returns what the diagonal of a matrix between sampled rows counts: of
// n² entries of A n are on the diagonal, a smaller part than of the entries
// between few rows. Without it the shift, which acts there alone, would seem as
// large beside the norm of the sample as it is beside that of A.
func (v *verifyRows) diagonalWeight() float64 {
	if v.of < 2 {
		return 1
	}
	return float64(v.rows.Rows-1) / float64(v.of-1)
}

// verifySide is the rows of one of two sources, and their embedding.
type verifySide struct {
	*verifyRows
	u blas64.General
}

// rectVerifier multiplies AᵀA and EᵀE, E = A − Â, by vectors on exact tiles of a
// matrix between two sources.
type rectVerifier struct {
	engine      stream.Engine
	tiles       *tiles
	left, right verifySide
	weighted    blas64.General // U·diag(values)
	frobenius   []frobenius    // one per row block, filled on the first visit
}

func (v *rectVerifier) run(ctx context.Context, seed uint64) (*model.Verification, error) {
	n := v.right.rows.Rows
	entry := newNorm(n, seed, "Lanczos A")
	diff := newNorm(n, seed, "Lanczos E")
	out := &model.Verification{Tolerance: verifyTolerance, Rows: int64(v.left.rows.Rows), Cols: int64(n), TraceKept: math.NaN()}
	for out.Iterations < min(verifySteps, n) && !out.Converged {
		a, d, err := v.multiply(ctx, entry.Vector(), diff.Vector())
		if err != nil {
			return nil, err
		}
		doneA, errA := entry.Step(a)
		doneE, errE := diff.Step(d)
		if errA != nil || errE != nil {
			return nil, fmt.Errorf("lowrank: %w", cmp.Or(errA, errE))
		}
		out.Iterations++
		out.Converged = doneA && doneE
	}
	out.Converged = out.Converged || out.Iterations == n
	summarise(out, math.Sqrt(entry.Norm()), math.Sqrt(diff.Norm()), v.frobenius, v.tiles.unit)
	out.KernelEntries = v.tiles.entries.Load()
	return out, nil
}

// newNorm estimates the norm of an n×n matrix, from a random vector.
func newNorm(n int, seed uint64, purpose string) *krylov.Lanczos {
	return krylov.NewLanczos(n, sketch.NewRandom(seed, purpose), 5, verifyTolerance)
}

// summarise fills in the errors, given the norms of A and E and the sums of
// squares of their entries, all in the unit of the tiles.
func summarise(out *model.Verification, a, e float64, squares []frobenius, unit float64) {
	var sum frobenius
	for _, f := range squares {
		sum.entry += f.entry
		sum.diff += f.diff
	}
	out.SpectralError, out.Norm = ratio(e, a), a/unit
	out.FrobeniusError = ratio(math.Sqrt(sum.diff), math.Sqrt(sum.entry))
}

// ratio returns d/a, and 0 when both are 0.
func ratio(d, a float64) float64 {
	if d == 0 {
		return 0
	}
	return d / a
}

// multiply returns AᵀA·x and EᵀE·y.
func (v *rectVerifier) multiply(ctx context.Context, x, y []float64) (ax, ey []float64, err error) {
	n, m := len(x), v.left.rows.Rows
	p, q := make([]float64, m), make([]float64, m)
	err = v.visit(ctx, func(i, j *stream.Block, tile blas64.General) {
		for r := range tile.Rows {
			p[int(i.Start)+r] += dense.Dot(dense.Row(tile, r), x[j.Start:][:tile.Cols])
			q[int(i.Start)+r] += dense.Dot(dense.Row(tile, r), y[j.Start:][:tile.Cols])
		}
	})
	if err != nil {
		return nil, nil, err
	}
	subtractProduct(q, v.weighted, v.right.u, y)
	ax, ey = make([]float64, n), make([]float64, n)
	err = v.visit(ctx, func(i, j *stream.Block, tile blas64.General) {
		for r := range tile.Rows {
			dense.Axpy(p[int(i.Start)+r], dense.Row(tile, r), ax[j.Start:][:tile.Cols])
			dense.Axpy(q[int(i.Start)+r], dense.Row(tile, r), ey[j.Start:][:tile.Cols])
		}
	})
	subtractProduct(ey, v.right.u, v.weighted, q)
	return ax, ey, err
}

// visit computes the tiles and hands them on. The first time round it also sums
// the squares of the entries of A and E.
func (v *rectVerifier) visit(ctx context.Context, f tileVisitor) error {
	first := v.frobenius == nil
	if first {
		v.frobenius = make([]frobenius, rowBlocks(v.left.rows.Rows))
	}
	return v.tiles.eachPair(ctx, v.engine, "verify", v.left.src, v.right.src, stream.Full, func() tileVisitor {
		buf := newTile(v.left.src, v.right.src)
		return func(i, j *stream.Block, tile blas64.General) {
			if first {
				diff := differenceTile(tile, blockRows(v.weighted, i), blockRows(v.right.u, j), buf)
				v.frobenius[i.Index].entry += squares(tile)
				v.frobenius[i.Index].diff += squares(diff)
			}
			f(i, j, tile)
		}
	})
}

// rowBlocks returns how many row blocks n rows have in an exact pass.
func rowBlocks(n int) int { return (n + stream.PairRows - 1) / stream.PairRows }

// tileVisitor is what is done with a tile between two blocks of rows.
type tileVisitor = func(i, j *stream.Block, tile blas64.General)

// eachPair makes an exact pass that hands on the tiles of A.
func (t *tiles) eachPair(ctx context.Context, e stream.Engine, pass string, rows, cols stream.Gatherer, shape stream.Shape, visit func() tileVisitor) error {
	return stream.Pairs(ctx, e, pass, rows, cols, shape, func() func(i, j *stream.Block) error {
		var w kernelgen.Workspace
		buf := newTile(rows, cols)
		do := visit()
		var packed *panel // of the column block that was visited last
		at := int64(-1)
		return func(i, j *stream.Block) error {
			if j.Index != at {
				packed, at = t.pack(j.X, nil, nil), j.Index
			}
			tile := tileOf(buf, i.X.Rows, j.X.Rows)
			t.fill(tile, i.X, packed, &w)
			do(i, j, tile)
			return nil
		}
	})
}

// newTile returns memory for any tile between two sources.
func newTile(rows, cols stream.Source) blas64.General {
	return stream.NewMatrix(int(min(stream.PairRows, rows.Info().Rows)), int(min(stream.PairRows, cols.Info().Rows)))
}

// tileOf returns a matrix without gaps in the memory of buf.
func tileOf(buf blas64.General, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: buf.Data[:rows*cols]}
}

// differenceTile returns tile − w·uᵀ, in the memory of buf.
func differenceTile(tile, w, u, buf blas64.General) blas64.General {
	diff := tileOf(buf, tile.Rows, tile.Cols)
	copy(diff.Data, tile.Data)
	if w.Cols > 0 {
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, w, u, 1, diff)
	}
	return diff
}

// squares returns the sum of the squares of the entries of a matrix without gaps.
func squares(m blas64.General) float64 {
	all := m.Data[:m.Rows*m.Cols]
	return dense.Dot(all, all)
}

// subtractProduct is y −= a·(bᵀ·x).
func subtractProduct(y []float64, a, b blas64.General, x []float64) {
	inner := make([]float64, b.Cols)
	for i := range b.Rows {
		dense.Axpy(x[i], dense.Row(b, i), inner)
	}
	for i := range a.Rows {
		y[i] -= dense.Dot(dense.Row(a, i), inner)
	}
}

// frobenius sums squares of entries and of errors.
type frobenius struct {
	n           int
	entry, diff float64
}

func (f *frobenius) add(entry, diff float64) {
	f.n++
	f.entry += entry * entry
	f.diff += diff * diff
}

// merge adds the entries of another sum.
func (f *frobenius) merge(other frobenius) {
	f.n += other.n
	f.entry += other.entry
	f.diff += other.diff
}
