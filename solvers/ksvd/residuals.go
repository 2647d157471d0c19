package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// The residuals of a sampled decomposition are estimated from entries of G between sampled rows and columns. The rows
// of a side form two strata: the landmarks, each of weight 1, and all others, represented by a held-back sample. For a
// unit vector v of a triplet, the sampled columns give
//
//	(G·v)_i ≈ Σ_j w_j·G_ij·v_j
//
// where column j represents w_j columns. Sampling the held-back columns adds noise, whose variance is estimated from
// the spread of the terms and subtracted from the squared residual. At least a quarter of that variance remains, since
// noise may hide a residual of this size. For orthonormal vectors, G·v − σ·u is computed as (G − U·diag(σ)·Vᵀ)·v, which
// has no noise from the other triplets.

// heldBackCount returns the number of held-back rows for n rows, excluding landmarks.
func heldBackCount(n int64, landmarks int) int {
	return int(min(n-int64(landmarks), int64(min(2048, max(1024, 4*landmarks)))))
}

// strata are rows of one side, ascending: its landmarks, and held-back rows that represent all others.
type strata struct {
	sample
	landmarks []int   // indices of the landmarks in numbers
	notDrawn  float64 // fraction of the other rows that was not drawn
}

// holdBack draws held-back rows of a side and adds its landmarks.
func holdBack(n int64, landmarks []int64, seed uint64, purpose string) *strata {
	count := heldBackCount(n, len(landmarks))
	drawn := sketch.NewRandom(seed, purpose).Choose(n, count+len(landmarks))
	drawn = slices.DeleteFunc(drawn, func(r int64) bool {
		_, found := slices.BinarySearch(landmarks, r)
		return found
	})[:count]
	s := &strata{sample: sample{numbers: slices.Concat(landmarks, drawn)}}
	slices.Sort(s.numbers)
	weight := 1.0
	if count > 0 {
		weight = float64(n-int64(len(landmarks))) / float64(count)
		s.notDrawn = 1 - 1/weight
	}
	for i, r := range s.numbers {
		if _, found := slices.BinarySearch(landmarks, r); found {
			s.landmarks = append(s.landmarks, i)
			s.weights = append(s.weights, 1)
		} else {
			s.weights = append(s.weights, weight)
		}
	}
	return s
}

// held returns the number of held-back rows.
func (s *strata) held() int { return len(s.numbers) - len(s.landmarks) }

// pickLandmarks returns the landmarks among the rows of the strata.
func (s *strata) pickLandmarks(rows *tiles.Rows) *tiles.Rows {
	if rows.Sparse == nil {
		return &tiles.Rows{Dense: dense.PickRows(rows.Dense, s.landmarks)}
	}
	numbers := make([]int64, len(s.landmarks))
	for i, k := range s.landmarks {
		numbers[i] = int64(k)
	}
	return &tiles.Rows{Sparse: rows.Sparse.PickRows(numbers)}
}

// estimates are estimates for a model, from rows and columns besides the landmarks.
type estimates struct {
	residuals           []float64 // for each triplet, relative to its value
	directions          Directions
	spectral, frobenius float64 // ‖G−UΣVᵀ‖ relative to ‖G‖
	heldRows, heldCols  int     // numbers of held-back rows and columns
}

// estimate compares a model with G between rows x and columns z.
func (f *nystrom) estimate(ctx context.Context, m *Model, x, z *tiles.Rows, rows, cols *strata) (*estimates, error) {
	quiet := *f
	quiet.engine.Progress, quiet.engine.Run = nil, nil
	g, s, err := quiet.block(ctx, x, z, rows.sample, cols.sample)
	if err != nil {
		return nil, err
	}
	if f.sums == nil {
		s = nil // the model computes its own, over the landmarks
	}
	u, err := quiet.embed(ctx, m, m.Left, f.data.left.of(x), s)
	if err != nil {
		return nil, err
	}
	v, err := quiet.embed(ctx, m, m.Right, f.data.right.of(z), s)
	if err != nil {
		return nil, err
	}
	values, unit := slices.Clone(m.Values), unitOf(m.Values, g) // avoids overflow and underflow of squares
	dense.Scale(unit, g)
	for k := range values {
		values[k] *= unit
	}
	out := &estimates{heldRows: rows.held(), heldCols: cols.held()}
	if err := f.compare(ctx, out, g, u, v, values, rows, cols); err != nil {
		return nil, err
	}
	out.residuals = f.residuals(g, u, v, values, rows, cols)
	return out, nil
}

// unitOf returns a factor that makes the largest singular value 1; without values, the largest entry.
func unitOf(values []float64, g blas64.General) float64 {
	if len(values) > 0 {
		return 1 / values[0]
	}
	largest := dense.MaxAbs(g)
	if largest == 0 {
		return 1
	}
	return 1 / largest
}

// residuals estimates the larger of ‖Gv−σu‖/σ and ‖Gᵀu−σv‖/σ for each triplet, with unit vectors u and v. It overwrites
// its arguments.
func (f *nystrom) residuals(g, u, v blas64.General, values []float64, rows, cols *strata) []float64 {
	if len(values) == 0 {
		return nil
	}
	minusU, minusV := u, v
	if f.Scaling == ScaleOrthonormal {
		scaled := matrix.Clone(u)
		dense.ScaleColumns(scaled, values)
		dense.Gemm(blas.NoTrans, blas.Trans, -1, scaled, v, 1, g)
		minusU, minusV = matrix.New(u.Rows, u.Cols), matrix.New(v.Rows, v.Cols)
	} else {
		unitLength(u, rows.weights)
		unitLength(v, cols.weights)
	}
	left, right := residuals(blas.NoTrans, g, v, minusU, values, rows, cols), residuals(blas.Trans, g, u, minusV, values, cols, rows)
	for k, r := range right {
		left[k] = math.Max(left[k], r)
	}
	return left
}

// of returns a source of some rows of r.
func (r source) of(rows *tiles.Rows) source {
	if rows.Sparse != nil {
		return sourceOf(sparse.NewRows(r.name(), rows.Sparse, rows.Transpose()))
	}
	return fromMatrix(r.name(), rows.Dense)
}

// embed returns u or v of rows with known sums, or nil to use the sums of the model for new rows.
func (f *nystrom) embed(ctx context.Context, m *Model, side *Factor, rows source, known *tiles.Sums) (blas64.General, error) {
	if side.Rank() == 0 {
		return matrix.New(int(rows.Info().Rows), 0), nil
	}
	fitted := *side
	fitted.Map = blas64.General{}
	p := m.embedding(f.tiles, &fitted, known, rows)
	return stream.MapRows(ctx, f.engine, "residuals", rows, side.Rank(), func() func(blas64.General, *stream.Block) error {
		return p.worker().block
	})
}

// unitLength scales the columns of vectors to norm 1 over all rows that the given ones represent.
func unitLength(vectors blas64.General, weights []float64) {
	weighted := matrix.Clone(vectors)
	dense.ScaleRows(weighted, dense.Roots(weights))
	dense.ScaleColumns(vectors, dense.Reciprocals(norms(weighted)))
}

// residuals estimates ‖Gv−σu‖/σ for each triplet, where G is g or its transpose between rows and cols.
func residuals(trans blas.Transpose, g, v, u blas64.General, values []float64, rows, cols *strata) []float64 {
	held, weighted := matrix.Clone(v), matrix.Clone(v)
	dense.ScaleRows(weighted, cols.weights)
	dense.ScaleRows(held, cols.weights)
	for _, j := range cols.landmarks {
		clear(matrix.Row(held, j))
	}
	product := dense.Mul(trans, g, blas.NoTrans, weighted)
	variance := noiseOf(trans, g, held, cols)
	return residualNorms(product, variance, u, values, rows)
}

// residualNorms returns ‖Gv−σu‖/σ for each triplet, from the products G·v and the variance of their sampling noise.
func residualNorms(product, variance, u blas64.General, values []float64, rows *strata) []float64 {
	out, noise := make([]float64, len(values)), make([]float64, len(values))
	for i, w := range rows.weights {
		gv, ui, of := matrix.Row(product, i), matrix.Row(u, i), matrix.Row(variance, i)
		for k, value := range values {
			rest := gv[k]/value - ui[k]
			out[k] += w * rest * rest
			noise[k] += w * of[k] / (value * value)
		}
	}
	for k, square := range out {
		out[k] = math.Sqrt(math.Max(square-noise[k], noise[k]/4))
	}
	return out
}

// noiseOf returns the variance of the products from sampling held-back columns. The landmark rows of held are zero.
func noiseOf(trans blas.Transpose, g, held blas64.General, cols *strata) blas64.General {
	sums := dense.Mul(trans, g, blas.NoTrans, held)
	n := float64(cols.held())
	if cols.notDrawn == 0 || n < 2 {
		clear(sums.Data)
		return sums
	}
	of := dense.Mul(trans, squares(g), blas.NoTrans, squares(held))
	for i := range sums.Rows {
		row, second := matrix.Row(sums, i), matrix.Row(of, i)
		for k, sum := range row {
			row[k] = math.Max(0, second[k]-sum*sum/n) * n / (n - 1) * cols.notDrawn
		}
	}
	return sums
}

// squares returns the squares of the entries of a matrix.
func squares(m blas64.General) blas64.General {
	out := matrix.Clone(m)
	for i := range out.Rows {
		row := matrix.Row(out, i)
		for j, v := range row {
			row[j] = v * v
		}
	}
	return out
}

// Converged is the largest estimated residual of a converged triplet, relative to its singular value.
const Converged = 0.3

// addEstimates adds estimates to the fit, and warns of triplets that have not converged and of missing directions.
func (f *Fit) addEstimates(e *estimates, scaling Scaling) {
	f.EstimatedResiduals, f.Directions = e.residuals, e.directions
	from := fmt.Sprintf("%d rows and %d columns besides the landmarks", e.heldRows, e.heldCols)
	if e.heldRows+e.heldCols == 0 {
		from = "all rows and columns"
	}
	f.addErrorEstimates(e, from)
	var wrong []string
	if f.Doubtful() > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d triplets are not converged: their residuals ‖Gv−σu‖ or ‖Gᵀu−σv‖ are above %.2g of σ, up to %.2g",
			f.Doubtful(), f.Rank(), Converged, slices.Max(e.residuals)))
	}
	if d := e.directions; d.Missed > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of the %d leading singular directions of G are missing from U or V", d.Missed, d.Checked))
	}
	if len(wrong) == 0 {
		return
	}
	remedy := "raise `Rows/Cols`"
	if scaling != ScaleOrthonormal {
		remedy += ", or take `Scaling orthonormal`"
	}
	f.Warn(fmt.Sprintf("%s, estimated from %s; %s", strings.Join(wrong, "; "), from, remedy))
}

// noModel is the relative error of a zero model, with a margin for rounding.
const noModel = 1.001

// addErrorEstimates adds estimates of the errors in both norms. Errors up to 1 are no reason for a warning: they depend
// on the rank, and a matrix such as that of a graph need not have low rank.
func (f *Fit) addErrorEstimates(e *estimates, from string) {
	for i, value := range []float64{e.spectral, e.frobenius} {
		one := model.Estimate{Quantity: []model.Quantity{model.MatrixSpectral, model.MatrixFrobenius}[i], Value: value, Evidence: from, Remedy: "raise `Rows/Cols`"}
		if value <= noModel {
			f.Estimates = append(f.Estimates, one)
		} else {
			f.AddEstimate(one)
		}
	}
}

// Doubtful returns the number of triplets whose estimated residual is above [Converged].
func (f *Fit) Doubtful() (n int) {
	for _, r := range f.EstimatedResiduals {
		if !(r <= Converged) {
			n++
		}
	}
	return n
}
