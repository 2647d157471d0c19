package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// signsPerRow is ζ, the nonzeros per row of the sketches of an explicit matrix
// (Tropp et al. 2019, §3.9 recommend 8).
const signsPerRow = 8

// SSRSVDMatrix is ssrSVD of A = f∘(M) for a matrix M whose rows are the rows of
// a source. All entries are read anyway, so the sketches take every entry
// exactly once (ζ signs per row) instead of a few columns: Tropp, Yurtsever,
// Udell and Cevher (2019) with sparse signs; Xie et al. (2023), Algorithm 1.
//
// It takes one pass, O(ζ·m·n + m·c²) flops, and memory for c·n + s² numbers
// where n is the number of columns of M.
type SSRSVDMatrix struct {
	Rank   int // r = c
	Sketch int // s ≥ c; 0 means 5c
	Map    kernelgen.Map
	Seed   uint64
}

// Plan returns the cost of a fit of a matrix with s.Columns columns.
func (m SSRSVDMatrix) Plan(e stream.Engine, s model.Shape, _ kernelgen.Kernel) (*model.Plan, error) {
	rows, cols := s.Rows, int64(s.Columns)
	if most := min(rows, cols); m.Rank < 1 || int64(m.Rank) > most {
		return nil, fmt.Errorf("`rank %d`: a %d × %d matrix has rank %d at most", m.Rank, rows, cols, most)
	}
	if m.Sketch > 0 && m.Sketch < m.Rank {
		return nil, fmt.Errorf("`sketch %d` is below `rank %d`", m.Sketch, m.Rank)
	}
	c, h := int64(m.Rank), int64(max(m.Sketch, 5*m.Rank))
	p := newPlanner(e, Float64, s.Columns)
	p.pass(rows, c+h, c, c*c+c*cols+h*h+h*c)
	p.KernelEntries = 0
	p.Work(float64(rows)*float64(cols), 2*signsPerRow*4*float64(rows)*float64(cols))
	p.Rounds = []string{"fit"}
	return p.Plan, nil
}

// Fit approximates f∘(M), M the matrix with the rows of d.Left. There is no kernel: it
// is not looked at.
func (m SSRSVDMatrix) Fit(ctx context.Context, e stream.Engine, d model.Sources, _ kernelgen.Kernel) (*Fit, error) {
	src := d.Left
	info := src.Info()
	if d.Right != nil {
		return nil, fmt.Errorf("a matrix on disk is one source, and its columns are not those of %s", d.Right.Info().Name)
	}
	n := len(info.Columns)
	s := m.Sketch
	if s == 0 {
		s = 5 * m.Rank
	}
	if n == 0 || m.Rank < 1 || s < m.Rank {
		return nil, fmt.Errorf("%s: rank %d, sketch %d and %d columns: all must be at least 1, and the sketch at least the rank", info.Name, m.Rank, s, n)
	}
	if m.Rank > n || info.Rows >= 0 && int64(m.Rank) > info.Rows {
		return nil, fmt.Errorf("rank %d is more than a %d×%d matrix has", m.Rank, info.Rows, n)
	}
	with, err := m.operators(s)
	if err != nil {
		return nil, err
	}
	acc, err := stream.Fold(ctx, e, "fit", src, func() *sketch.Explicit { return sketch.NewExplicit(n, with) }, mapWorker(m.Map, info))
	if err != nil {
		return nil, err
	}
	if acc.Rows() == 0 {
		return nil, fmt.Errorf("%s has no rows", info.Name)
	}
	return m.finish(acc, with, n)
}

func (m SSRSVDMatrix) operators(s int) (with sketch.ExplicitSketch, err error) {
	draw := func(cols int, purpose string) (op *sketch.RowSign) {
		if err == nil {
			op, err = sketch.NewRowSign(cols, min(signsPerRow, cols), m.Seed, purpose)
		}
		return op
	}
	with = sketch.ExplicitSketch{C: draw(m.Rank, "C"), H: draw(m.Rank, "H"), O: draw(s, "O"), S: draw(s, "S")}
	return with, err
}

// mapWorker adds blocks of f∘(M) to a sketch.
func mapWorker(f kernelgen.Map, info stream.Info) func() func(*sketch.Explicit, *stream.Block) error {
	return func() func(*sketch.Explicit, *stream.Block) error {
		return func(acc *sketch.Explicit, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				start := b.Start + int64(first)
				if err := applyMap(f, x, start, info); err != nil {
					return err
				}
				if err := acc.Add(start, x); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// applyMap replaces x by f∘(x), and refuses a result that is not finite.
func applyMap(f kernelgen.Map, x blas64.General, start int64, info stream.Info) error {
	for i := range x.Rows {
		r := dense.Row(x, i)
		f.Apply(r, r)
		for j, v := range r {
			if v-v != 0 {
				return &stream.BadValueError{Source: info.Name, Row: start + int64(i), Column: info.Columns[j], Reason: mapFeatures{f, len(r)}.reason(v)}
			}
		}
	}
	return nil
}

// finish makes the model: Algorithm 1, lines 3–6.
func (m SSRSVDMatrix) finish(acc *sketch.Explicit, with sketch.ExplicitSketch, n int) (*Fit, error) {
	y, err := newSVD("the range sketch", acc.R())
	if err != nil {
		return nil, err
	}
	r := dense.Rank(y.S, RankTolerance)
	toQ := y.whitener(r)
	p, err := orthonormalColumns(acc.XT())
	if err != nil {
		return nil, err
	}
	sp := stream.NewMatrix(with.S.Cols, p.Cols)
	with.S.MulLeft(sp, 0, p)
	w, err := solveCore(dense.Mul(blas.NoTrans, acc.OY(), blas.NoTrans, toQ), acc.Z(), sp)
	if err != nil {
		return nil, err
	}
	left := &Embedding{Landmarks: noLandmarks(n), Features: mapFeatures{m.Map, n},
		Projection: denseRows(with.C, n, dense.Mul(blas.NoTrans, toQ, blas.NoTrans, w.U))}
	return &Fit{Model: &Model{Method: "ssrsvd", Seed: m.Seed, Rows: acc.Rows(), Cols: int64(n), Left: left, Values: w.S,
		Explicit: &Explicit{Map: m.Map, V: dense.Mul(blas.NoTrans, p, blas.NoTrans, w.V)}},
		Report:    model.Report{Notes: rankNote(len(w.S), m.Rank, RankTolerance), SourcePasses: 1, KernelEntries: acc.Rows() * int64(n)},
		Condition: condition(y, r), TraceResidual: math.NaN(), TraceKept: math.NaN()}, nil
}

// orthonormalColumns returns an orthonormal basis of the columns of X, given Xᵀ, by
// two rounds of SVD-QR.
func orthonormalColumns(xt blas64.General) (blas64.General, error) {
	x := matDense(xt).T()
	n, c := x.Dims()
	basis := stream.NewMatrix(n, c)
	matDense(basis).Copy(x)
	for range 2 {
		qr := sketch.NewQR(basis.Cols)
		if err := qr.Add(basis); err != nil {
			return basis, err
		}
		s, err := newSVD("the co-range sketch", qr.R())
		if err != nil {
			return basis, err
		}
		basis = dense.Mul(blas.NoTrans, basis, blas.NoTrans, s.whitener(dense.Rank(s.S, RankTolerance)))
	}
	return basis, nil
}

// denseRows returns C·b for a sketch C with n rows.
func denseRows(c *sketch.RowSign, n int, b blas64.General) blas64.General {
	out := stream.NewMatrix(n, b.Cols)
	cols, vals := make([]int, c.NNZ), make([]float64, c.NNZ)
	for i := range n {
		c.Row(int64(i), cols, vals)
		for k, j := range cols {
			dense.Axpy(vals[k], dense.Row(b, j), dense.Row(out, i))
		}
	}
	return out
}
