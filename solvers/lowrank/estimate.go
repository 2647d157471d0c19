package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// The errors of a fit are estimated from the entries between sampled rows. A method may be more or less accurate at
// landmarks than elsewhere, so the rows of a source form two strata: all of its landmarks, and a sample of the others
// that no sketch has used. The sample needs no pass, unlike an independent test sketch of A (Tropp, Yurtsever, Udell &
// Cevher 2019, §6).
//
// Frobenius norm: mean squares over the entries of each pair of strata, weighted by their numbers in A. The diagonal,
// on which the shift acts, is separate.
//
// Spectral norm: let row i represent w_i rows. The matrix between sampled rows, with entries off the diagonal
// multiplied by √(w_i·w_j), has the eigenvalues of the whole in the limit (Koltchinskii & Giné 2000). Sampling noise is
// removed by shrinking them, see [shrink].

// sampleSide holds sampled rows of one side, which represent all rows of a source.
type sampleSide struct {
	rows        *basis.Panel
	landmarks   int            // number of landmarks, which come first and have weight 1
	represented float64        // number of rows represented by the others
	u           blas64.General // the embedding of all sampled rows
}

// weight returns the number of rows of the source that row i represents.
func (s *sampleSide) weight(i int) float64 {
	if i < s.landmarks {
		return 1
	}
	return s.represented / float64(s.held())
}

// roots returns the square roots of the weights of all rows.
func (s *sampleSide) roots() []float64 {
	w := make([]float64, len(s.rows.Number))
	for i := range w {
		w[i] = math.Sqrt(s.weight(i))
	}
	return w
}

// held returns the number of rows that are not landmarks.
func (s *sampleSide) held() int { return len(s.rows.Number) - s.landmarks }

// stratum returns 0 for landmarks and 1 for other rows.
func (s *sampleSide) stratum(i int) int {
	if i < s.landmarks {
		return 0
	}
	return 1
}

// rowsOf returns the number of rows of the source in a stratum.
func (s *sampleSide) rowsOf(stratum int) float64 {
	if stratum == 0 {
		return float64(s.landmarks)
	}
	return s.represented
}

// unseen returns the fraction of the represented rows that were not drawn.
func (s *sampleSide) unseen() float64 {
	if s.represented == 0 {
		return 0
	}
	return math.Max(0, 1-float64(s.held())/s.represented)
}

// heldRows holds the rows of a source that are held back for the error estimate.
type heldRows struct {
	*basis.Panel
	extra *basis.Panel // further rows of weight 1; may be nil
	sums  *RowSums     // row sums of left rows in A; nil for those of the model
}

// newSampleSide joins the landmarks, further rows of weight 1, and the held-back rows of a source of n rows.
func newSampleSide(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	side *Embedding, known blas64.General, number []int64, held heldRows, n int64) (*sampleSide, error) {
	if held.extra != nil {
		all := (&basis.Panel{Rows: known, Number: number}).Join(held.extra)
		known, number = all.Rows, all.Number
	}
	s := &sampleSide{landmarks: len(number), represented: float64(n - int64(len(number)))}
	rows := matrix.New(len(number)+held.Rows.Rows, held.Rows.Cols)
	for i := range rows.Rows {
		if i < s.landmarks {
			copy(matrix.Row(rows, i), matrix.Row(known, i))
		} else {
			copy(matrix.Row(rows, i), matrix.Row(held.Rows, i-s.landmarks))
		}
	}
	s.rows = basis.NewPanel(rows, slices.Concat(number, held.Number), nil)
	var err error
	s.u, err = embedRows(ctx, e, t, side, side.pack(), s.rows, "rows of the error estimate")
	return s, err
}

// errorEstimate is a sample's estimate of the error of a model. NaN means unknown.
type errorEstimate struct {
	frobenius float64  // ‖A−Â‖_F/‖A‖_F
	spectral  float64  // ‖A−Â‖₂/‖A‖₂
	doubts    []string // about the estimates
}

// in returns the estimate in a norm.
func (e *errorEstimate) in(n Norm) float64 {
	if n == NormFrobenius {
		return e.frobenius
	}
	return e.spectral
}

// errorSample is A between sampled rows, before a model is subtracted.
type errorSample struct {
	block                        *sampledBlock // nil if there are too few rows
	norm, squares, effectiveSize float64
	spread                       float64 // of A: see [basis.Spread]; NaN if it is unknown, or A is centred
}

// newErrorSample evaluates A between the landmarks of a model and held-back rows, and embeds them. Landmarks of left
// rows belong to the right embedding and vice versa, since u(x) compares a left row with landmarks among the right
// rows.
func newErrorSample(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	m *Model, heldLeft, heldRight heldRows) (*errorSample, error) {
	if tooFew(m.Rows, m.right().Rows, heldLeft) || tooFew(m.Cols, m.Left.Rows, heldRight) {
		return &errorSample{spread: math.NaN()}, nil
	}
	left, err := newSampleSide(ctx, e, t, m.Left, m.right().Landmarks, m.right().Rows, heldLeft, m.Rows)
	if err != nil {
		return nil, err
	}
	right := left
	if !m.Symmetric() {
		if right, err = newSampleSide(ctx, e, t, m.Right, m.Left.Landmarks, m.Left.Rows, heldRight, m.Cols); err != nil {
			return nil, err
		}
	}
	of, count, err := otherSums(t, heldLeft.sums)
	if err != nil {
		return nil, err
	}
	b, err := newSampledBlock(ctx, e, of, m, left, right, m.Symmetric() || heldLeft == heldRight)
	if err != nil {
		return nil, err
	}
	count()
	spread := math.NaN()
	if m.Left.Center == nil {
		spread = b.spread()
	}
	norm, err := b.norm(ctx)
	return &errorSample{b, norm, b.squares(), b.effectiveSize(), spread}, err
}

// columns returns a copy of the sample for a symmetric model with some of the columns.
func (s *errorSample) columns(kept []int) *errorSample {
	if s.block == nil {
		return s
	}
	side, copied, block := *s.block.left, *s, *s.block
	side.u = dense.PickColumns(side.u, kept)
	block.left, block.right = &side, &side
	block.m, block.diagonal = matrix.Clone(block.m), slices.Clone(block.diagonal)
	copied.block = &block
	return &copied
}

// estimateErrors estimates the errors of a model whose embedding the sample has, with warnings if they may be too low.
// It invalidates the sample.
func (s *errorSample) estimateErrors(ctx context.Context, m *Model, wholeTrace float64) (*errorEstimate, error) {
	out, rest, err := s.errors(ctx, m, wholeTrace)
	if b := s.block; b != nil && err == nil {
		out.doubts = append(b.warnings(m, s.effectiveSize, b.effectiveSize(), rest), out.doubts...)
	}
	return out, err
}

// errors is estimateErrors without warnings. rest is the spectral norm of the sampled A − Â.
func (s *errorSample) errors(ctx context.Context, m *Model, wholeTrace float64) (out *errorEstimate, rest float64, err error) {
	out = &errorEstimate{math.NaN(), math.NaN(), nil}
	b := s.block
	if b == nil {
		return out, 0, nil
	}
	b.subtract(m)
	squares := b.squares()
	if rest, err = b.norm(ctx); err != nil {
		return nil, 0, err
	}
	norm := rest
	if missed := b.missed(m, wholeTrace); missed > 0 {
		squares += missed * b.largest
		norm = math.Max(rest, math.Min(b.largest, missed))
		out.doubts = append(out.doubts, fmt.Sprintf("rows that no sample has met hold %.2g of the trace of A − Â: the error estimate allows for them, but verify measures it", missed/wholeTrace))
	}
	out.frobenius = ratio(math.Sqrt(squares), math.Sqrt(s.squares))
	out.spectral = ratio(norm, s.norm)
	return out, rest, nil
}

// tooFew reports whether rows that are neither landmarks nor held back have no representative.
func tooFew(n int64, landmarks []int64, held heldRows) bool {
	looked := len(landmarks) + len(held.Number)
	if held.extra != nil {
		looked += len(held.extra.Number)
	}
	return len(held.Number) < 2 && int64(looked) < n
}

// sampledBlock is a weighted matrix between sampled rows: first A, then A − Â.
type sampledBlock struct {
	left, right *sampleSide
	symmetric   bool
	m           blas64.General
	diagonal    []diagonalEntry
	largest     float64 // diagonal entry of A
}

// diagonalEntry is an unweighted diagonal entry of A.
type diagonalEntry struct {
	i, j  int
	value float64
}

// newSampledBlock evaluates A. one reports that left and right rows are from one source.
func newSampledBlock(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	m *Model, left, right *sampleSide, one bool) (*sampledBlock, error) {
	b := &sampledBlock{left: left, right: right, symmetric: m.Symmetric(), m: matrix.New(len(left.rows.Number), len(right.rows.Number))}
	rows, cols := left.roots(), right.roots()
	onDiagonal := make([][]diagonalEntry, len(rows))
	c, err := newCentring(ctx, e, t, m, left.rows)
	if err != nil {
		return nil, err
	}
	err = t.Each(ctx, e, &tiles.Rows{Dense: left.rows.Rows}, right.rows.Cols, basis.PanelRows,
		func(first int, tile blas64.General) error {
			c.centre(tile, first, 0)
			for i := range tile.Rows {
				row, w := matrix.Row(b.m, first+i), rows[first+i]
				for j, v := range matrix.Row(tile, i) {
					row[j] = v * w * cols[j]
				}
				if one {
					onDiagonal[first+i] = b.diagonalOf(first+i, matrix.Row(tile, i))
				}
			}
			return nil
		})
	b.diagonal = slices.Concat(onDiagonal...)
	for _, d := range b.diagonal {
		b.largest = math.Max(b.largest, math.Abs(d.value))
	}
	b.placeDiagonal()
	return b, err
}

// diagonalOf returns the entries of row i on the diagonal of A, if any.
func (b *sampledBlock) diagonalOf(i int, entries []float64) (found []diagonalEntry) {
	for _, part := range [][2]int{{0, b.right.landmarks}, {b.right.landmarks, len(entries)}} { // each part is ascending
		if j, is := slices.BinarySearch(b.right.rows.Number[part[0]:part[1]], b.left.rows.Number[i]); is {
			j += part[0]
			found = append(found, diagonalEntry{i, j, entries[j]})
		}
	}
	return found
}

// drawn reports whether a diagonal entry represents others.
func (b *sampledBlock) drawn(d diagonalEntry) bool {
	return d.i >= b.left.landmarks && d.j >= b.right.landmarks
}

// meanDiagonal returns the mean of the diagonal entries that represent others, and its standard error.
func (b *sampledBlock) meanDiagonal() (mean, deviation float64) {
	var n, s, squares float64
	for _, d := range b.diagonal {
		if b.drawn(d) {
			n, s, squares = n+1, s+d.value, squares+d.value*d.value
		}
	}
	if n < 2 {
		return 0, math.Inf(1)
	}
	mean = s / n
	return mean, math.Sqrt(math.Max(0, squares/n-mean*mean) / n)
}

// placeDiagonal sets the diagonal of the weighted matrix. Every row has one diagonal entry, so it is not weighted; for
// drawn rows it is the mean.
func (b *sampledBlock) placeDiagonal() {
	mean, _ := b.meanDiagonal()
	for _, d := range b.diagonal {
		v := d.value
		if b.drawn(d) {
			v = mean
		}
		b.m.Data[d.i*b.m.Stride+d.j] = v
	}
}

// subtract turns A into A − Â.
func (b *sampledBlock) subtract(m *Model) {
	u, v := scaledColumns(b.left.u, m.Values), b.right.u
	for k, d := range b.diagonal {
		b.diagonal[k].value = d.value - dense.Dot(matrix.Row(u, d.i), matrix.Row(v, d.j)) - m.Shift
	}
	u, v = scaledRows(u, b.left.roots()), scaledRows(v, b.right.roots())
	if u.Rows > 0 && v.Rows > 0 && u.Cols > 0 {
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, u, v, 1, b.m)
	}
	b.placeDiagonal()
}

// squares returns the sum of the squares of all entries that the block represents.
func (b *sampledBlock) squares() float64 {
	var sums, counts, on, places [2][2]float64 // by stratum
	for _, d := range b.diagonal {
		i, j := b.left.stratum(d.i), b.right.stratum(d.j)
		on[i][j] += d.value * d.value
		places[i][j]++
		b.m.Data[d.i*b.m.Stride+d.j] = 0
	}
	for i := range b.m.Rows {
		row, of := matrix.Row(b.m, i), b.left.stratum(i)
		known, held := row[:b.right.landmarks], row[b.right.landmarks:]
		sums[of][0] += dense.Dot(known, known)
		sums[of][1] += dense.Dot(held, held)
		counts[of][0] += float64(len(known))
		counts[of][1] += float64(len(held))
	}
	b.placeDiagonal()
	all := 0.0
	for i := range 2 {
		for j := range 2 {
			sampled, whole, diagonal := counts[i][j]-places[i][j], b.left.rowsOf(i)*b.right.rowsOf(j), 0.0
			if i == j && places[i][j] > 0 {
				diagonal = b.left.rowsOf(i)
				all += on[i][j] / places[i][j] * diagonal
			}
			if sampled > 0 { // sums are already weighted by whole/counts
				all += sums[i][j] * counts[i][j] / sampled * (whole - diagonal) / whole
			}
		}
	}
	return all
}

// missed returns the fraction of the trace of A − Â that the sample does not explain; 0 if it may be chance or the
// trace is unknown.
func (b *sampledBlock) missed(m *Model, wholeTrace float64) float64 {
	if !b.symmetric || !(wholeTrace > 0) || b.left.represented == 0 { // all rows may be landmarks
		return 0
	}
	mean, deviation := b.meanDiagonal()
	explained := mean * b.left.represented
	for _, d := range b.diagonal {
		if !b.drawn(d) {
			explained += d.value
		}
	}
	missed := wholeTrace - dense.Sum(m.Values) - m.Shift*float64(m.Rows) - explained
	if missed <= 4*deviation*b.left.represented+1e-9*wholeTrace {
		return 0
	}
	return missed
}

// norm estimates the spectral norm of the matrix represented by the block. The result is at least the norm of each
// unweighted column.
func (b *sampledBlock) norm(ctx context.Context) (float64, error) {
	var v float64
	var err error
	if b.symmetric {
		v, err = b.symmetricNorm(ctx)
	} else {
		v, err = b.largestSingularValue(ctx)
	}
	return math.Max(v, b.longest()), err
}

// noise returns the sampling variance of a weighted entry between two drawn rows.
func (b *sampledBlock) noise() float64 {
	var sum float64
	for i := b.left.landmarks; i < b.m.Rows; i++ {
		row := matrix.Row(b.m, i)[b.right.landmarks:]
		sum += dense.Dot(row, row)
	}
	rows, cols := float64(b.left.held()), float64(b.right.held())
	if rows*cols == 0 {
		return 0
	}
	for _, d := range b.diagonal {
		if b.drawn(d) {
			v := b.m.Data[d.i*b.m.Stride+d.j]
			sum -= v * v
		}
	}
	return math.Max(0, sum) / (rows * cols) * math.Sqrt(b.left.unseen()*b.right.unseen())
}

// symmetricNorm corrects the extreme eigenvalues on both sides of the mean of the diagonal, which has no noise.
func (b *sampledBlock) symmetricNorm(ctx context.Context) (float64, error) {
	low, high, err := krylov.Outermost(ctx, krylov.SymmetricMatrix{General: b.m}, b.m.Rows)
	if err != nil {
		return 0, err
	}
	mean, _ := b.meanDiagonal()
	held, noise := float64(b.left.held()), b.noise()
	low = mean - math.Copysign(shrink(math.Abs(mean-low), held, held, noise), mean-low)
	high = mean + math.Copysign(shrink(math.Abs(high-mean), held, held, noise), high-mean)
	return math.Max(math.Abs(low), math.Abs(high)), nil
}

func (b *sampledBlock) largestSingularValue(ctx context.Context) (float64, error) {
	_, high, err := krylov.Outermost(ctx, krylov.Gram{General: b.m}, b.m.Rows)
	return shrink(math.Sqrt(math.Max(0, high)), float64(b.left.held()), float64(b.right.held()), b.noise()), err
}

// shrink returns the singular value that becomes y under noise of the given variance in each entry of a rows×cols
// matrix (Benaych-Georges & Nadakuditi 2012, §3.1). If y may be all noise, it returns the smallest value that would
// stand out.
func shrink(y, rows, cols, noise float64) float64 {
	edge := rows * cols * noise * noise
	part := y*y - (rows+cols)*noise
	if part <= 0 || part*part <= 4*edge {
		return math.Min(y, math.Sqrt(math.Sqrt(edge)))
	}
	return math.Sqrt((part + math.Sqrt(part*part-4*edge)) / 2)
}

// longest returns the largest norm of an unweighted column or row.
func (b *sampledBlock) longest() float64 {
	columns := make([]float64, b.m.Cols)
	perRow, perColumn := inverses(b.left.roots()), inverses(b.right.roots())
	longest := 0.0
	for i := range b.m.Rows {
		w, row := perRow[i], 0.0
		for j, v := range matrix.Row(b.m, i) {
			v *= w * perColumn[j]
			row += v * v
			columns[j] += v * v
		}
		longest = math.Max(longest, row)
	}
	longest = math.Max(longest, krylov.Largest(columns))
	for _, d := range b.diagonal {
		longest = math.Max(longest, d.value*d.value)
	}
	return math.Sqrt(longest)
}

// inverses replaces numbers by their inverses.
func inverses(v []float64) []float64 {
	for i := range v {
		v[i] = 1 / v[i]
	}
	return v
}
