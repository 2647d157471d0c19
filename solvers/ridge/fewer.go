package ridge

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// comparedRows is the number of held-out rows on which fits with fewer landmarks are compared.
const comparedRows = 2000

// smaller is a fit with some of the landmarks, on all rows but one part.
type smaller struct {
	*normalEquations
	part      int
	expansion blas64.General // T, see [basis.Nested]
}

// byLandmarks returns the relative out-of-fold errors with a quarter and half of the landmarks, in the order of their
// draw, and with all of them. The Gram matrices of the folds hold the smaller fits, so there is no other pass. Ratios of
// errors are measured on as many folds as have 2,000 rows. It returns nil for fewer than three landmarks, and for a fit
// without error. Cost for p landmarks: 2·p³ flops for each of these folds.
func (c *candidate) byLandmarks(ctx context.Context) ([]model.LandmarkError, error) {
	p, parts, own := c.upper.Cols, c.folds.compared(c.counted), 0.0
	half, quarter := (p+1)/2, (p+3)/4
	for part := range parts {
		own += c.partSquares(part, c.held[c.best].models[part][0])
	}
	if !(own > 0) || quarter == half || half == p {
		return nil, nil
	}
	fits := [2][]smaller{make([]smaller, parts), make([]smaller, parts)}
	if err := stream.Each(ctx, c.engine.Threads, parts, func(part int) (err error) {
		fits[0][part], fits[1][part], err = c.withFewer(part, quarter, half)
		return err
	}); err != nil {
		return nil, err
	}
	all := model.LandmarkError{Landmarks: p, Error: math.Sqrt(c.lowest / float64(c.outputs))}
	var errors []model.LandmarkError
	for i, count := range []int{quarter, half} {
		squares, err := c.leastSquares(ctx, fits[i])
		if err != nil || math.IsInf(squares, 1) {
			return nil, err
		}
		errors = append(errors, model.LandmarkError{Landmarks: count, Error: all.Error * math.Sqrt(squares/own)})
	}
	return append(errors, all), nil
}

// compared returns the number of leading tested parts that have [comparedRows] of the rows together, or of all.
func (f folding) compared(rows int64) int {
	share := float64(f.tested)
	if f.tested == 1 {
		return 1
	}
	return int(min(share, math.Ceil(comparedRows/(float64(max(1, rows))/share))))
}

// planFewer adds the memory of the fits with fewer landmarks.
func (f *fit) planFewer(p *model.Plan, e stream.Engine, shape model.Size, landmarks int64) {
	width, parts, k := landmarks+1+int64(f.outputs), int64(f.folds.parts), int64(f.folds.compared(shape.Rows))
	fewer := model.NewPlan(e, shape.Rows, shape.Columns)
	fewer.Add("fits with fewer landmarks", (2*(parts+1)+3*k+5*min(int64(e.Workers()), k))*width*width/2, "`Landmarks`")
	p.Stage(fewer)
}

// withFewer returns the fits without a part with two smaller numbers of landmarks.
func (c *candidate) withFewer(part, quarter, half int) (less, more smaller, err error) {
	gram := matrix.Clone(c.all.whole)
	dense.Add(-1, c.grams[part], gram)
	panel, upper, expansion := c.features.Landmarks, c.upper, blas64.General{}
	for _, count := range []int{half, quarter} {
		places := panel.Leading(count, c.Seed)
		t, nested, err := basis.Nested(upper, places)
		if err != nil {
			return less, more, err
		}
		wide := appendedIdentity(t, 1+c.outputs)
		gram = dense.Mul(blas.Trans, wide, blas.NoTrans, dense.Mul(blas.NoTrans, gram, blas.NoTrans, wide))
		if panel, upper = panel.Pick(places), nested; expansion.Rows > 0 {
			t = dense.Mul(blas.NoTrans, expansion, blas.NoTrans, t)
		}
		n, err := newNormalEquations(gram, blas64.General{}, count)
		if err != nil {
			return less, more, err
		}
		expansion, more, less = t, less, smaller{n, part, t}
	}
	return less, more, nil
}

// leastSquares returns the least squared error of fits, over penalties at ratios of √10 around that of the fit with all
// landmarks; +Inf if none can be solved for.
func (c *candidate) leastSquares(ctx context.Context, fits []smaller) (float64, error) {
	lambda, known := c.path[c.best].Lambda, map[int]float64{}
	at := func(step int) (float64, error) {
		if v, tried := known[step]; tried {
			return v, nil
		}
		sums := make([]float64, len(fits))
		err := stream.Each(ctx, c.engine.Threads, len(fits), func(i int) error {
			sums[i] = c.smallerSquares(fits[i], lambda*math.Pow(10, float64(step)/2))
			return nil
		})
		known[step] = dense.Sum(sums)
		return known[step], err
	}
	least, err := at(0)
	for _, way := range []int{1, -1} {
		for step := way; err == nil && len(c.Penalties) == 0 && c.tries(lambda*math.Pow(10, float64(step)/2)); step += way {
			var next float64
			if next, err = at(step); !(next < least) {
				break
			}
			least = next
		}
	}
	return least, err
}

// smallerSquares returns the squared error of a smaller fit on its part, +Inf if the penalty cannot be solved for.
func (c *candidate) smallerSquares(f smaller, penalty float64) float64 {
	b, err := f.solve(penalty)
	if err != nil {
		return math.Inf(1)
	}
	count := b.Rows - 1
	expanded := matrix.New(c.upper.Cols+1, c.outputs)
	features := matrix.Rows(expanded, 0, c.upper.Cols)
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, f.expansion, matrix.Rows(b, 0, count), 0, features)
	copy(matrix.Row(expanded, c.upper.Cols), matrix.Row(b, count))
	return c.partSquares(f.part, expanded)
}

// partSquares returns the sum over outputs of the squared errors of a part, relative to the variances.
func (c *candidate) partSquares(part int, coefficients blas64.General) (sum float64) {
	for j, v := range squaredErrors(c.grams[part], coefficients) {
		if variance := c.variance(j); variance > 0 {
			sum += v / variance
		}
	}
	return sum
}

// appendedIdentity returns m extended by an n×n identity.
func appendedIdentity(m blas64.General, n int) blas64.General {
	out := matrix.New(m.Rows+n, m.Cols+n)
	matrix.Copy(matrix.Columns(matrix.Rows(out, 0, m.Rows), 0, m.Cols), m)
	for i := range n {
		matrix.Row(out, m.Rows+i)[m.Cols+i] = 1
	}
	return out
}
