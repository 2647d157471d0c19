package lowrank

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// verifyTolerance is the relative change of the norm estimates, over the last
// five Lanczos steps, at which [Model.Verify] stops.
const verifyTolerance = 1e-4

// verifySteps limits the Lanczos steps of Verify.
const verifySteps = 150

// VerifyPlan returns the cost of Verify.
func (m *Model) VerifyPlan(e stream.Engine, d model.Sources, sample int) *model.Plan {
	if m.Explicit != nil {
		return m.embeddingPlan(e, d.Size().Rows, m.Left)
	}
	sides := []*Embedding{m.Left}
	if !m.Symmetric() {
		sides = append(sides, m.Right)
	}
	s, knob := d.Size(), "the number of rows with `Verify sampled`"
	looked := s.Longest()
	dimension := int64(m.Dimension(model.Left))
	p := model.NewPlan(e, looked, 0) // without a pass: rows are gathered
	p.Add("rows that are read", stream.Engine{}.FetchedRows(looked, int(dimension))*dimension, "")
	m.addEmbedding(p, e, looked, (*Embedding).panelNumbers, sides...)
	if sample > 0 {
		looked, knob = min(looked, int64(sample)), "`Verify.sample`"
	}
	if !s.OneSource() {
		looked *= 2
	}
	norms := model.NewPlan(e, s.Longest(), 0)
	norms.Add("Lanczos vectors", 16*looked, knob)
	norms.Add("tiles of an exact pass", 2*int64(e.Workers())*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
	p.Stage(norms)
	p.Add("rows in memory", int64(2*m.Dimension(model.Left)+2*m.Left.Rank()+1)*looked, knob) // including packed rows
	return p
}

// Verify measures the error of the model on the rows of the left source, and of the right for a model of two sources,
// by the Lanczos method on exact tiles (Golub and Van Loan 2013, §10.1): on A − Â if the model is symmetric, on
// (A−Â)ᵀ(A−Â) otherwise. If sample > 0, it draws that many rows of each source: the errors are then those of the matrix
// between them.
//
// Cost: an exact pass a step, two if the model is not symmetric. A pass takes n²/2 kernel entries, or m·n if A is not
// symmetric. Memory holds the rows, their embedding, and a few vectors. Verify makes one pass over each source. For a
// model of an explicit matrix, each step takes one pass over all rows; it cannot be sampled.
func (m *Model) Verify(ctx context.Context, e stream.Engine, d model.Sources, sample int, seed uint64) (*model.Verification, error) {
	switch {
	case m.Explicit != nil && sample > 0:
		return nil, errors.New("a model of a matrix on disk is measured on all of it")
	case m.Explicit != nil:
		return m.verifyExplicit(ctx, e, d.Left, seed)
	}
	right := d.Right
	if right == nil {
		right = d.Left
	}
	sums, err := m.measuredSums(ctx, right, sample, seed)
	if err != nil {
		return nil, err
	}
	v := &verifier{engine: e, embeds: m.tiles(m.Left), tiles: m.tilesOver(m.Left, sums), symmetric: m.Symmetric(), oneSource: d.Right == nil}
	v.half = v.oneSource && m.Kernel.Symmetric()
	if v.left, err = v.side(ctx, d.Left, m.Left, sample, seed); err != nil {
		return nil, err
	}
	v.right = v.left
	if v.oneSource {
		d.Right = d.Left
	}
	if !v.symmetric {
		if v.right, err = v.side(ctx, d.Right, m.Right, sample, seed); err != nil {
			return nil, err
		}
	}
	v.grid = v.tiles.NewGrid(e, [2]string{d.Left.Info().Name, d.Right.Info().Name}, v.left.Cols, v.right.Cols)
	v.weighted = scaledColumns(v.left.u, m.unitValues(v.tiles.Scale()))
	if v.centring, err = newCentring(ctx, e, v.tiles, m, v.left.Panel); err != nil {
		return nil, err
	}
	if v.oneSource {
		v.measureDiagonal(m.Shift * v.tiles.Scale())
	}
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

// verifySide holds the rows of one source in a measurement.
type verifySide struct {
	*basis.Panel
	totalRows int64          // number of rows they were drawn from
	u         blas64.General // their embedding
}

// side fetches all rows of a source, or a sample, and embeds them. It recognises landmarks by their numbers.
func (v *verifier) side(ctx context.Context, src stream.Source, side *Embedding, sample int, seed uint64) (*verifySide, error) {
	n, err := input.KnownRows(src)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	if err := input.CheckColumns(info, side.Landmarks.Cols); err != nil {
		return nil, err
	}
	number := matrix.Numbers(int(n))
	if sample > 0 && int64(sample) < n {
		s, err := sketch.NewSample(n, sample, seed, "verify")
		if err != nil {
			return nil, err
		}
		number = s.Positions()
	}
	rows, err := stream.GatherRows(ctx, src, number)
	if err != nil {
		return nil, err
	}
	out := &verifySide{Panel: basis.NewPanel(rows, number, nil), totalRows: n}
	out.u, err = embedRows(ctx, v.engine, v.embeds, side, side.pack(), out.Panel, info.Name)
	return out, err
}

// diagonalWeight returns the weight of the diagonal of a matrix between sampled rows. The diagonal has n of the n²
// entries of A, a smaller fraction than between few rows. The weight preserves the contribution of the shift, which
// acts on the diagonal alone, to the error.
func (v *verifySide) diagonalWeight() float64 {
	if v.totalRows < 2 {
		return 1
	}
	return float64(v.Count()-1) / float64(v.totalRows-1)
}

// verifier multiplies A and E = A − Â by vectors on exact tiles.
type verifier struct {
	engine      stream.Engine
	tiles       *tiles.Tiles
	embeds      *tiles.Tiles // those of the model
	grid        *tiles.Grid  // of the sides
	left, right *verifySide
	oneSource   bool           // both sides have the same rows
	half        bool           // A is symmetric, so passes visit half of its tiles
	symmetric   bool           // E is symmetric as well
	weighted    blas64.General // U·diag(values)
	centring    *centring      // nil unless A is centred

	// With one source: the diagonals of A and of E, and their weight.
	diagonal, diagonalError []float64
	weight                  float64
	shift                   float64
	squares, squaresError   []float64 // of the entries of A and E, by row block; set in the first pass
}

// measureDiagonal computes the diagonals.
func (v *verifier) measureDiagonal(shift float64) {
	v.weight, v.shift = v.left.diagonalWeight(), shift
	v.diagonal = make([]float64, v.left.Rows.Rows)
	v.tiles.Diagonal(v.diagonal, v.left.Rows)
	v.centring.centreDiagonal(v.diagonal)
	v.diagonalError = slices.Clone(v.diagonal)
	for i := range v.diagonalError {
		v.diagonalError[i] -= dense.Dot(matrix.Row(v.weighted, i), matrix.Row(v.right.u, i)) + shift
	}
}

func (v *verifier) run(ctx context.Context, seed uint64) (*model.Verification, error) {
	n := v.right.Rows.Rows
	out := &model.Verification{Rows: int64(v.left.Rows.Rows), Cols: int64(n), TraceKept: math.NaN()}
	step := func(x, y []float64) (ax, ey []float64, err error) { return v.multiply(ctx, x, y, false) }
	if !v.symmetric {
		step = func(x, y []float64) (ax, ey []float64, err error) {
			if ax, ey, err = v.multiply(ctx, x, y, false); err != nil {
				return nil, nil, err
			}
			return v.multiply(ctx, ax, ey, true)
		}
	}
	a, e, err := lanczos(out, n, seed, step)
	if err != nil {
		return nil, err
	}
	if !v.symmetric {
		a, e = math.Sqrt(a), math.Sqrt(e)
	}
	out.SpectralError, out.Norm = ratio(e, a), a/v.tiles.Scale()
	out.FrobeniusError = ratio(math.Sqrt(dense.Sum(v.squaresError)), math.Sqrt(dense.Sum(v.squares)))
	if v.oneSource {
		out.TraceKept = 1 - ratio(dense.Sum(v.diagonalError), dense.Sum(v.diagonal))
	}
	out.KernelEntries = v.tiles.Entries.Load() + v.embeds.Entries.Load()
	return out, nil
}

// lanczos estimates the norms of two symmetric n×n matrices. step multiplies the first by x and the second by y.
func lanczos(out *model.Verification, n int, seed uint64, step func(x, y []float64) (ax, ey []float64, err error)) (a, e float64, err error) {
	entry := krylov.NewLanczos(n, sketch.NewRandom(seed, "Lanczos A"), 5, verifyTolerance)
	diff := krylov.NewLanczos(n, sketch.NewRandom(seed, "Lanczos E"), 5, verifyTolerance)
	out.Tolerance = verifyTolerance
	for out.Iterations < min(verifySteps, n) && !out.Converged {
		ax, ey, err := step(entry.Vector(), diff.Vector())
		if err != nil {
			return 0, 0, err
		}
		doneA, errA := entry.Step(ax)
		doneE, errE := diff.Step(ey)
		if err := cmp.Or(errA, errE); err != nil {
			return 0, 0, err
		}
		out.Iterations++
		out.Converged = doneA && doneE
	}
	out.Converged = out.Converged || out.Iterations == n
	return entry.Norm(), diff.Norm(), nil
}

// ratio returns d/a, or 0 if both are 0.
func ratio(d, a float64) float64 {
	if d == 0 {
		return 0
	}
	return d / a
}

// multiply makes an exact pass: it returns A·x and E·y, or Aᵀ·x and Eᵀ·y. The first pass measures
// the Frobenius norms as well.
func (v *verifier) multiply(ctx context.Context, x, y []float64, transposed bool) (ax, ey []float64, err error) {
	both, left, right := columnsOf(x, y), v.weighted, v.right.u
	rows, cols := matrix.New(left.Rows, 2), matrix.New(right.Rows, 2)
	p, out := &tiles.Product{Q: both, AQ: rows}, rows
	switch {
	case v.half:
		p.P, p.ATP, p.Half = both, cols, true
	case transposed:
		p, out = &tiles.Product{P: both, ATP: cols}, cols
	}
	var also func() tiles.Visitor
	if v.squares == nil {
		blocks := (v.left.Count() + tilesize.PairRows - 1) / tilesize.PairRows
		v.squares, v.squaresError, also = make([]float64, blocks), make([]float64, blocks), v.measurer
	}
	if err = v.grid.Multiply(ctx, "verify", p, also); err != nil {
		return nil, nil, err
	}
	if v.half {
		dense.Add(1, cols, rows)
	}
	if transposed {
		left, right = right, left
	}
	ax, ey = column(out, 0), column(out, 1)
	subtractProduct(ey, left, right, y)
	v.centring.multiply(ax, x)
	v.centring.multiply(ey, y)
	for i, d := range v.diagonal {
		ax[i] -= (1 - v.weight) * d * x[i]
		ey[i] -= (v.shift + (1-v.weight)*v.diagonalError[i]) * y[i]
	}
	return ax, ey, nil
}

// columnsOf returns the matrix [x y].
func columnsOf(x, y []float64) blas64.General {
	m := matrix.New(len(x), 2)
	for i := range x {
		m.Data[2*i], m.Data[2*i+1] = x[i], y[i]
	}
	return m
}

func column(m blas64.General, j int) []float64 {
	x := make([]float64, m.Rows)
	for i := range x {
		x[i] = m.Data[i*m.Stride+j]
	}
	return x
}

// measurer returns a visitor that sums the squares of the entries of A and of E.
func (v *verifier) measurer() tiles.Visitor {
	buf := make([]float64, tilesize.PairRows*tilesize.PairRows)
	return func(tile blas64.General, i, j int) error {
		v.measure(i, j, tile, matrix.Of(buf, tile.Rows, tile.Cols))
		return nil
	}
}

// measure adds the squares of the entries of a tile of A, which it overwrites, and of E, which it stores in diff.
func (v *verifier) measure(i, j int, tile, diff blas64.General) {
	rows := func(m blas64.General) blas64.General { return matrix.Rows(m, i, tile.Rows) }
	cols := func(m blas64.General) blas64.General { return matrix.Rows(m, j, tile.Cols) }
	v.centring.centre(tile, i, j)
	subtract(diff, tile, rows(v.weighted), cols(v.right.u))
	if v.oneSource && i == j {
		root := math.Sqrt(v.weight)
		for r := range tile.Rows {
			tile.Data[r*tile.Stride+r] = root * v.diagonal[i+r]
			diff.Data[r*diff.Stride+r] = root * v.diagonalError[i+r]
		}
	}
	entries, errors := squares(tile), squares(diff)
	if v.half && i != j {
		entries *= 2
		if v.symmetric {
			errors *= 2
		} else {
			subtract(diff, tile, rows(v.right.u), cols(v.weighted))
			errors += squares(diff)
		}
	}
	v.squares[i/tilesize.PairRows] += entries
	v.squaresError[i/tilesize.PairRows] += errors
}

// subtract computes diff = tile − w·uᵀ.
func subtract(diff, tile, w, u blas64.General) {
	copy(diff.Data, tile.Data)
	if w.Cols > 0 {
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, w, u, 1, diff)
	}
}

// squares returns the sum of the squares of the entries of a contiguous matrix.
func squares(m blas64.General) float64 {
	all := m.Data[:m.Rows*m.Cols]
	return dense.Dot(all, all)
}

// subtractProduct computes y −= a·(bᵀ·x).
func subtractProduct(y []float64, a, b blas64.General, x []float64) {
	inner := make([]float64, b.Cols)
	for i := range b.Rows {
		matrix.Axpy(x[i], matrix.Row(b, i), inner)
	}
	for i := range a.Rows {
		y[i] -= dense.Dot(matrix.Row(a, i), inner)
	}
}
