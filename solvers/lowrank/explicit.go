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
	Seed   uint64
}

// MatrixModel is an approximation Â = U·diag(Values)·Vᵀ of A = f∘(M). The rows
// of U are functions of the rows of M: u(x) = f(x)·Projection·Refinement.
type MatrixModel struct {
	Map        kernelgen.Map
	Seed       uint64
	Rows, Cols int64
	Projection blas64.General // n×r
	Refinement blas64.General // r×r, or empty before Refine
	V          blas64.General // n×r, orthonormal columns
	Values     []float64      // descending
}

// MatrixFit is what SSRSVDMatrix returns.
type MatrixFit struct {
	*MatrixModel
	Notes     []string
	Entries   int64 // entries of A evaluated
	Condition float64
}

// OrthogonalityBound bounds max|UᵀU−I|, as [Fit.OrthogonalityBound] does.
func (f *MatrixFit) OrthogonalityBound() float64 {
	return orthogonalityBound(f.Condition, f.Refinement.Rows > 0)
}

// Fit approximates f∘(M), M the matrix with the rows of src.
func (m SSRSVDMatrix) Fit(ctx context.Context, e stream.Engine, src stream.Source, f kernelgen.Map) (*MatrixFit, error) {
	info := src.Info()
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
	acc, err := stream.Fold(ctx, e, "fit", src, func() *sketch.Explicit { return sketch.NewExplicit(n, with) }, mapWorker(f, info))
	if err != nil {
		return nil, err
	}
	if acc.Rows() == 0 {
		return nil, fmt.Errorf("%s has no rows", info.Name)
	}
	return m.finish(acc, with, f, n)
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
				return &stream.BadValueError{Source: info.Name, Row: start + int64(i), Column: info.Columns[j],
					Reason: fmt.Sprintf("map %s gives %v", f, v)}
			}
		}
	}
	return nil
}

// finish is Algorithm 1, lines 3–6.
func (m SSRSVDMatrix) finish(acc *sketch.Explicit, with sketch.ExplicitSketch, f kernelgen.Map, n int) (*MatrixFit, error) {
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
	model := &MatrixModel{Map: f, Seed: m.Seed, Rows: acc.Rows(), Cols: int64(n), Values: w.S,
		Projection: denseRows(with.C, n, dense.Mul(blas.NoTrans, toQ, blas.NoTrans, w.U)), V: dense.Mul(blas.NoTrans, p, blas.NoTrans, w.V)}
	return &MatrixFit{MatrixModel: model, Notes: rankNote(len(w.S), m.Rank, RankTolerance), Entries: acc.Rows() * int64(n), Condition: condition(y, r)}, nil
}

// orthonormalColumns is an orthonormal basis of the columns of X, given Xᵀ, by
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

// denseRows is C·b for a sketch C with n rows.
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

// Rank is the number of columns of U.
func (m *MatrixModel) Rank() int { return len(m.Values) }

// embed puts the rows of U for the mapped rows x into dst.
func (m *MatrixModel) embed(dst, x blas64.General) {
	if m.Refinement.Rows == 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m.Projection, 0, dst)
		return
	}
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, dense.Mul(blas.NoTrans, x, blas.NoTrans, m.Projection), m.Refinement, 0, dst)
}

// Embed puts the rows of U for the rows of src to emit, in row order. Cost: one
// pass, 2·n·r flops a row.
func (m *MatrixModel) Embed(ctx context.Context, e stream.Engine, src stream.Source, kept bool, emit func(b *stream.Block, u blas64.General) error) error {
	info := src.Info()
	if int64(len(info.Columns)) != m.Cols {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, len(info.Columns), m.Cols)
	}
	return stream.Map(ctx, e, "transform", src, m.Rank(), kept, func() func(blas64.General, *stream.Block) error {
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				if err := applyMap(m.Map, x, b.Start+int64(first), info); err != nil {
					return err
				}
				m.embed(stream.RowSlice(dst, first, x.Rows), x)
			}
			return nil
		}
	}, emit)
}

// Refine makes U orthonormal to rounding on the fitted rows, as [Model.Refine]
// does. Cost: one pass.
func (m *MatrixModel) Refine(ctx context.Context, e stream.Engine, src stream.Source) error {
	r := m.Rank()
	info := src.Info()
	qr, err := stream.Fold(ctx, e, "orthonormalise", src, func() *sketch.QR { return sketch.NewQR(r) }, func() func(*sketch.QR, *stream.Block) error {
		u := stream.NewMatrix(stream.PanelRows, r)
		return func(acc *sketch.QR, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				if err := applyMap(m.Map, x, b.Start+int64(first), info); err != nil {
					return err
				}
				part := stream.RowSlice(u, 0, x.Rows)
				m.embed(part, x)
				if err := acc.Add(part); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	return m.absorb(qr.R())
}

func (m *MatrixModel) absorb(ru blas64.General) error {
	side := &Embedding{}
	if err := side.absorbable(ru); err != nil {
		return err
	}
	core, err := newSVD("the refined core", scaledColumns(ru, m.Values))
	if err != nil {
		return err
	}
	side.absorb(ru, core.U)
	m.Refinement, m.Values = side.Refinement, core.S
	m.V = dense.Mul(blas.NoTrans, m.V, blas.NoTrans, core.V)
	return nil
}

// Verify measures the error of the model on the rows of src by the Lanczos
// method on AᵀA and EᵀE, one pass a step.
func (m *MatrixModel) Verify(ctx context.Context, e stream.Engine, src stream.Source, seed uint64) (*Verification, error) {
	n := int(m.Cols)
	if d := len(src.Info().Columns); d != n {
		return nil, fmt.Errorf("%s has %d columns, and the model was fitted on %d", src.Info().Name, d, n)
	}
	entry := newLanczos(n, sketch.NewStream(seed, "Lanczos A"))
	diff := newLanczos(n, sketch.NewStream(seed, "Lanczos E"))
	out := &Verification{Tolerance: VerifyTolerance, Cols: m.Cols}
	for out.Iterations < min(VerifySteps, n) && !out.Converged {
		sum, err := m.products(ctx, e, src, entry.vector(), diff.vector())
		if err != nil {
			return nil, err
		}
		out.Rows = sum.Count
		doneA, errA := entry.step(dense.Row(sum.General, 0)[:n])
		doneE, errE := diff.step(dense.Row(sum.General, 1)[:n])
		if err := firstError(errA, errE); err != nil {
			return nil, err
		}
		out.Iterations++
		out.Converged = doneA && doneE
		out.KernelEntries += out.Rows * m.Cols
		squares := dense.Row(sum.General, 2)
		out.FrobeniusError = ratio(math.Sqrt(squares[1]), math.Sqrt(squares[0]))
	}
	out.Converged = out.Converged || out.Iterations == n
	out.Norm = math.Sqrt(entry.norm)
	out.SpectralError = ratio(math.Sqrt(diff.norm), out.Norm)
	return out, nil
}

// products is one pass: rows 0 and 1 are AᵀA·x and EᵀE·y, and row 2 begins with
// the sums of squares of A and of E.
func (m *MatrixModel) products(ctx context.Context, e stream.Engine, src stream.Source, x, y []float64) (*sketch.Sum, error) {
	n, info := len(x), src.Info()
	return stream.Fold(ctx, e, "verify", src, func() *sketch.Sum { return sketch.NewSum(3, max(2, n)) }, func() func(*sketch.Sum, *stream.Block) error {
		u, approx := stream.NewMatrix(stream.PanelRows, m.Rank()), stream.NewMatrix(stream.PanelRows, n)
		return func(acc *sketch.Sum, b *stream.Block) error {
			for first, a := range b.Panels(stream.PanelRows) {
				if err := applyMap(m.Map, a, b.Start+int64(first), info); err != nil {
					return err
				}
				part, diff := stream.RowSlice(u, 0, a.Rows), stream.RowSlice(approx, 0, a.Rows)
				m.embed(part, a)
				dense.Gemm(blas.NoTrans, blas.Trans, 1, scaledColumns(part, m.Values), m.V, 0, diff)
				addProducts(acc, a, diff, x, y)
			}
			return nil
		}
	})
}

// addProducts adds what the rows of A, with their approximation, contribute.
func addProducts(acc *sketch.Sum, a, approx blas64.General, x, y []float64) {
	squares := dense.Row(acc.General, 2)
	for i := range a.Rows {
		r, d := dense.Row(a, i), dense.Row(approx, i)
		for j, v := range r {
			d[j] = v - d[j]
		}
		dense.Axpy(dense.Dot(r, x), r, dense.Row(acc.General, 0)[:len(x)])
		dense.Axpy(dense.Dot(d, y), d, dense.Row(acc.General, 1)[:len(x)])
		acc.Count++
		squares[0] += dense.Dot(r, r)
		squares[1] += dense.Dot(d, d)
	}
}
