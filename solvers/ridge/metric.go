package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Metric is the form of a metric that is learnt from the data.
type Metric uint8

// The forms.
const (
	NoMetric       Metric = iota // rows are compared directly
	DiagonalMetric               // a factor for each column
	FullMetric                   // a symmetric matrix, d×d
)

var metricWords = []string{"none", "diagonal", "full"}

// String returns the word for the form.
func (m Metric) String() string { return words.Of(metricWords, m) }

// MetricSearch is the result of the search for a metric.
type MetricSearch struct {
	// Errors are the held-out errors without a metric and with that of each round, at the best penalty: the
	// misclassification rate, or the mean of 1 − R² over targets.
	Errors []float64
	// Round is the index in Errors of the chosen metric; 0 means no metric.
	Round int
	// Columns are the names of the columns. Importance is the share of each in the mean squared gradient of the
	// predictor, with columns scaled to standard deviation 1. It is nil if the predictor is constant.
	Columns    []string
	Importance []float64

	metric  blas64.General // d×1 for factors of columns, or d×d; no rows for none
	entries int64
}

const (
	// metricRows limits the sample for learning metrics, and metricLandmarks the number of landmarks. One in
	// metricShare rows is held out.
	metricRows      = 20_000
	metricLandmarks = 500
	metricRounds    = 3
	metricShare     = 4
	// gradientRows limits the number of rows in averages of gradients.
	gradientRows  = 2000
	gradientPanel = 32
	// mapRows is the number of rows of each product with a full metric. It is fixed because products of other sizes may
	// have other bits.
	mapRows = 64
	// derivativeStep is the step of central differences, relative to the distance.
	derivativeStep = 1e-4
)

// checkMetric returns an error if the kernel has no known gradient.
func (s Solver) checkMetric(k kernelgen.Kernel) error {
	base, one := k.OneBase()
	if s.Metric == NoMetric || one && (base == kernelgen.SquaredDistance || base == kernelgen.L1Distance) {
		return nil
	}
	return fmt.Errorf("`Metric %v` does not go with kernel %s, which is no function of one distance: "+
		"take rbf, laplace, exponential, matern32, matern52, rq, cauchy or imq", s.Metric, k)
}

// inner returns the solver used in the search for a metric.
func (s Solver) inner() Solver {
	landmarks := min(cmp.Or(s.Landmarks, defaultLandmarks), metricLandmarks)
	return Solver{Landmarks: landmarks, Kernels: s.Kernels, Balanced: s.Balanced, Seed: s.Seed, forMetric: true}
}

// learnMetric learns a metric from a sample of the rows of d. Each round takes the average outer product of the
// gradients of a model with the previous metric (Radhakrishnan, Beaglehole, Pandit & Belkin 2024, "Mechanism for
// feature learning in neural networks and backpropagation-free machine learning models"). Rounds continue while the
// held-out error decreases by more than two standard errors. One standard error is too few, since the penalty is chosen
// on the same rows. Cost: up to four fits to 20,000 rows; and 2,000·ℓ·d·t flops a round, plus d³ for a full metric.
func (s Solver) learnMetric(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*MetricSearch, error) {
	if s.Metric == NoMetric {
		return nil, nil
	}
	if _, err := s.begin(e, d.Size(), s.kernels(k)); err != nil {
		return nil, err
	}
	x, err := s.draw(ctx, d)
	if err != nil {
		return nil, err
	}
	e = stream.Engine{Threads: e.Threads}
	out := &MetricSearch{Columns: d.Rows.Info().Columns}
	var metric blas64.General
	var least []float64
	for round := range metricRounds + 1 {
		c, _, err := s.inner().choose(ctx, e, x.mappedBy(metric), k)
		if err != nil {
			return nil, fmt.Errorf("`Metric %v`, on %d rows of a sample: %w", s.Metric, x.rows.Rows, err)
		}
		held, err := c.holdOut(ctx)
		if err != nil {
			return nil, err
		}
		losses := c.losses(held)
		out.entries += c.entries()
		out.Errors = append(out.Errors, dense.Sum(losses))
		if round > 0 {
			if !clearlyLower(losses, least) {
				break
			}
			out.Round, out.metric = round, metric
		}
		least = losses
		if round == metricRounds {
			break
		}
		g, err := c.gradients(ctx, s.Metric, held, x, metric)
		if err != nil {
			return nil, err
		}
		out.entries += 2 * int64(min(x.rows.Rows, gradientRows)) * int64(c.upper.Cols)
		importance, next, err := x.metricOf(g, metric)
		if err != nil || importance == nil {
			return out, err
		}
		if out.Importance == nil || round == out.Round {
			out.Importance = importance
		}
		metric = next
	}
	return out, nil
}

// mappedBy returns data with rows mapped by a metric; a metric without rows is the identity.
func (d *Data) mappedBy(metric blas64.General) *Data {
	if metric.Rows == 0 {
		return d
	}
	out := *d
	out.Rows = &mappedSource{d.Rows, metric}
	return &out
}

// addTo adds the metric and the cost of its search to a fit.
func (l *MetricSearch) addTo(f *Fit) {
	f.MetricSearch, f.Metric = l, l.metric
	f.KernelEntries += l.entries
	if l.Round == 0 {
		f.Note("`Metric`: none was taken, as it does not lower the error of rows left out of the sample")
	}
}

// metricSample is the sample for learning a metric, in memory.
type metricSample struct {
	*Data
	rows  blas64.General
	known responses
}

// draw draws the sample.
func (s Solver) draw(ctx context.Context, d *Data) (*metricSample, error) {
	of, err := d.columns(s.Balanced)
	if err != nil {
		return nil, err
	}
	n := of.info.Rows
	sample, err := sketch.NewSample(n, int(min(n, metricRows)), s.Seed, "metric")
	if err != nil {
		return nil, err
	}
	panels, err := basis.Gather(ctx, d.Rows, basis.Set{Numbers: sample.Positions(), Kept: true})
	if err != nil {
		return nil, err
	}
	own := *d
	all := new(responses)
	numbers := input.Numbers{List: panels[0].Number}
	if err := of.read(all, panels[0].Kept, panels[0].Count(), numbers); err != nil {
		return nil, err
	}
	present := all.weighing()
	if len(present) == 0 {
		return nil, stream.NewDataError(of.info.Name, "all weights are 0, of %d rows that were drawn", n)
	}
	kept := of.info.NewKept()
	for k := range kept {
		for _, i := range present {
			kept[k].Append(&panels[0].Kept[k], i, i+1)
		}
	}
	out := &metricSample{Data: &own, rows: dense.PickRows(panels[0].Rows, present), known: all.pick(present)}
	if own.Rows, err = stream.Beside(stream.FromMatrix(of.info.Name, out.rows), of.info.Kept, kept...); err != nil {
		return nil, err
	}
	if d.Classes != nil {
		own.Classes = d.Classes.countIn(&out.known)
		return out, nil
	}
	out.known.measure(newReference(out.known.outputs, out.known.weight)) // as in the fits of the search
	return out, nil
}

// losses returns the contribution of each held-out row to the error: see [MetricSearch].
func (c *candidate) losses(held *heldOut) []float64 {
	var losses []float64
	if c.data.Classes != nil {
		losses = c.misclassified(held.predictions)
		floats.Mul(losses, c.known.weight)
	} else {
		losses = c.weightedSquares(held.predictions)
	}
	blas64.Scal(1/dense.Sum(c.known.weight), dense.Vector(losses))
	return losses
}

// weightedSquares returns the contribution of each row of the scoring sample to the mean of 1 − R² over targets, times
// the total weight.
func (c *candidate) weightedSquares(predictions blas64.General) []float64 {
	squares, all := make([]float64, predictions.Rows), variances(c.known.outputs, c.known.weight)
	for i, w := range c.known.weight {
		predicted := matrix.Row(predictions, i)
		for j, v := range matrix.Row(c.known.outputs, i) {
			if v -= predicted[j]; all[j] > 0 {
				squares[i] += w * v * v / (all[j] * float64(len(all)))
			}
		}
	}
	return squares
}

// clearlyLower reports whether losses sum to less than others, by more than two standard errors of the difference.
func clearlyLower(losses, others []float64) bool {
	difference := make([]float64, len(losses))
	for i, v := range losses {
		difference[i] = others[i] - v
	}
	sum, squares := dense.Sum(difference), dense.Dot(difference, difference)
	return sum > 0 && sum*sum > 4*(squares-sum*sum/float64(len(losses)))
}

// variances returns the weighted variance of each column.
func variances(m blas64.General, weights []float64) []float64 {
	squares := make([]float64, m.Cols)
	for j := range squares {
		column := dense.PickColumns(m, []int{j}).Data
		mean := stat.Mean(column, weights)
		squares[j] = stat.MomentAbout(2, column, mean, weights)
	}
	return squares
}

// gradients returns the sum of the outer products of the gradients of the model at up to 2,000 rows: d×d, or d×1 for a
// diagonal metric. Derivatives are with respect to mapped columns. Targets are scaled by their standard deviations.
func (c *candidate) gradients(
	ctx context.Context, form Metric, held *heldOut, x *metricSample, metric blas64.General,
) (blas64.General, error) {
	d, n, t := x.rows.Cols, min(x.rows.Rows, gradientRows), c.outputs
	sum, rows := matrix.New(d, d), mappedCopy(metric, x.rows)
	if form == DiagonalMetric {
		sum = matrix.New(d, 1)
	}
	coefficients := matrix.Rows(c.onEntries(held.models[0]), 0, c.upper.Cols)
	if c.data.Classes == nil {
		dense.ScaleColumns(coefficients, dense.Reciprocals(dense.Roots(variances(x.known.outputs, x.known.weight))))
	}
	panels := (n + gradientPanel - 1) / gradientPanel
	return sum, stream.Collect(ctx, c.engine.Threads, panels, func(panel int) (blas64.General, error) {
		first := panel * gradientPanel
		last := min(n, first+gradientPanel)
		out, work := matrix.New((last-first)*t, d), newSlopes(c.kernel, c.features.Landmarks.Rows)
		for i := first; i < last; i++ {
			row := i * rows.Rows / n // evenly spaced: rows may be sorted
			g := matrix.Rows(out, (i-first)*t, t)
			work.gradient(g, matrix.Row(rows, row), coefficients)
			dense.Scale(math.Sqrt(x.known.weight[row]), g)
		}
		return out, nil
	}, func(g blas64.General) error {
		if form == FullMetric {
			dense.Gemm(blas.Trans, blas.NoTrans, 1, g, g, 1, sum)
			return nil
		}
		for j, norm := range dense.ColumnNorms(g) {
			sum.Data[j] += norm * norm
		}
		return nil
	})
}

// slopes computes gradients of predictions, one row at a time.
type slopes struct {
	kernel      kernelgen.Kernel
	landmarks   blas64.General
	base        kernelgen.Base
	work        kernelgen.Workspace
	differences blas64.General // between the row and each landmark, or their signs
	distances   [3][]float64   // to each landmark; slightly larger and smaller; then kernel entries there
}

// newSlopes returns a workspace for one goroutine. The kernel must have a single base.
func newSlopes(k kernelgen.Kernel, landmarks blas64.General) *slopes {
	s := &slopes{kernel: k, landmarks: landmarks, differences: matrix.New(landmarks.Rows, landmarks.Cols)}
	for i := range s.distances {
		s.distances[i] = make([]float64, landmarks.Rows)
	}
	s.base, _ = k.OneBase()
	return s
}

// gradient writes the gradient of Σ c·k(x, z) at the mapped row x to dst, one row for each column of coefficients.
// Derivatives by the distance are central differences, and count as 0 at x = z. Cost: 2·p kernel entries and 2·p·d·t
// flops.
func (s *slopes) gradient(dst blas64.General, x []float64, coefficients blas64.General) {
	distance, above, below := s.distances[0], s.distances[1], s.distances[2]
	for i := range distance {
		row := matrix.Row(s.differences, i)
		floats.SubTo(row, x, matrix.Row(s.landmarks, i))
		if s.base == kernelgen.L1Distance {
			distance[i] = floats.Norm(row, 1)
			for j, v := range row {
				if v != 0 {
					row[j] = math.Copysign(1, v)
				}
			}
		} else {
			distance[i] = dense.Dot(row, row)
			floats.Scale(2, row)
		}
	}
	floats.ScaleTo(above, 1+derivativeStep, distance)
	floats.ScaleTo(below, 1-derivativeStep, distance)
	s.kernel.FromBase(above, &s.work)
	s.kernel.FromBase(below, &s.work)
	for i, b := range distance {
		slope := 0.0
		if width := 2 * derivativeStep * b; width > 0 {
			slope = (above[i] - below[i]) / width
		}
		floats.Scale(slope, matrix.Row(s.differences, i))
	}
	dense.Gemm(blas.Trans, blas.NoTrans, 1, coefficients, s.differences, 0, dst)
}

// metricOf returns the importance of the columns, and the square root of the outer products of gradients with respect
// to unmapped columns. g has those with respect to columns mapped by the metric before. The result is scaled so that
// mappedSource rows have the variance of the rows. importance is nil if the gradients are 0.
func (x *metricSample) metricOf(g, before blas64.General) (importance []float64, metric blas64.General, err error) {
	raw := variances(x.rows, x.known.weight)
	diagonal := make([]float64, g.Rows)
	if g.Cols > 1 {
		if before.Rows > 0 {
			g = dense.Mul(blas.NoTrans, before, blas.NoTrans, dense.Mul(blas.NoTrans, g, blas.NoTrans, before))
		}
		for j := range diagonal {
			diagonal[j] = matrix.Row(g, j)[j]
		}
		if metric, err = squareRoot(dense.SymmetricPart(g)); err != nil {
			return nil, metric, err
		}
	} else {
		metric = matrix.New(g.Rows, 1)
		for j := range diagonal {
			diagonal[j] = g.Data[j]
			if before.Rows > 0 {
				diagonal[j] *= before.Data[j] * before.Data[j]
			}
			metric.Data[j] = math.Sqrt(diagonal[j])
		}
	}
	floats.Mul(diagonal, raw)
	sum, mapped := dense.Sum(diagonal), dense.Sum(variances(mappedCopy(metric, x.rows), x.known.weight))
	if !(sum > 0 && mapped > 0) {
		return nil, metric, nil
	}
	floats.Scale(1/sum, diagonal)
	dense.Scale(math.Sqrt(dense.Sum(raw)/mapped), metric)
	return diagonal, metric, nil
}

// squareRoot returns the square root of a positive semi-definite matrix.
func squareRoot(a blas64.General) (blas64.General, error) {
	values, vectors, err := symeig.Decompose(a)
	if err != nil {
		return a, fmt.Errorf("the eigenvalues of the metric: %w", err)
	}
	scaled := matrix.Clone(vectors)
	for j := range values {
		values[j] = math.Sqrt(max(0, values[j]))
	}
	dense.ScaleColumns(scaled, values)
	return dense.SymmetricPart(dense.Mul(blas.NoTrans, scaled, blas.Trans, vectors)), nil
}

// rowMap returns a function for one goroutine that maps up to [tilesize.PanelRows] rows by a metric, into its own
// memory. A metric without rows is the identity. The bits of a row do not depend on other rows.
func rowMap(metric blas64.General) func(x blas64.General) blas64.General {
	if metric.Rows == 0 {
		return func(x blas64.General) blas64.General { return x }
	}
	var out []float64 // grows to the largest panel so far
	factors := dense.PickColumns(metric, []int{0}).Data
	rows, products := matrix.New(mapRows, metric.Rows), matrix.New(mapRows, metric.Rows)
	return func(x blas64.General) blas64.General {
		y := matrix.Reuse(&out, x.Rows, metric.Rows)
		for i := range x.Rows {
			if metric.Cols == 1 {
				floats.MulTo(matrix.Row(y, i), matrix.Row(x, i), factors)
				continue
			}
			copy(matrix.Row(rows, i%mapRows), matrix.Row(x, i))
			if at := i%mapRows + 1; at == mapRows || i == x.Rows-1 {
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, metric, 0, products)
				copy(y.Data[(i+1-at)*y.Stride:], products.Data[:at*products.Stride])
			}
		}
		return y
	}
}

// mappedCopy returns rows mapped by a metric, as a copy.
func mappedCopy(metric, rows blas64.General) blas64.General {
	out := matrix.Clone(rows)
	mapInPlace(rowMap(metric), out)
	return out
}

// mapInPlace maps all rows of a matrix.
func mapInPlace(by func(x blas64.General) blas64.General, x blas64.General) {
	for first := 0; first < x.Rows; first += tilesize.PanelRows {
		part := matrix.Rows(x, first, min(tilesize.PanelRows, x.Rows-first))
		for i, y := 0, by(part); i < part.Rows; i++ {
			copy(matrix.Row(part, i), matrix.Row(y, i))
		}
	}
}

// mappedSource is a source of rows mapped by a metric.
type mappedSource struct {
	stream.Source
	metric blas64.General
}

// Open returns a reader of mapped rows.
func (m *mappedSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := m.Source.Open(ctx, first)
	if err != nil {
		return nil, err
	}
	return &mappedReader{r, m.Info(), rowMap(m.metric), first}, nil
}

// Gather fetches mapped rows by number.
func (m *mappedSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if err := stream.Gather(ctx, m.Source, rows, dst); err != nil {
		return err
	}
	if err := input.InSource(m.Info(), sketch.CheckFinite(dst.X), input.Numbers{List: rows}); err != nil {
		return err
	}
	mapInPlace(rowMap(m.metric), dst.X)
	return nil
}

// mappedReader maps the rows of a reader in place.
type mappedReader struct {
	stream.Reader
	info stream.Info
	by   func(x blas64.General) blas64.General
	next int64
}

// Read fails with a [stream.DataError] if a number is not finite, since a mapped row no longer shows its column.
func (r *mappedReader) Read(dst *stream.Batch) (n int, err error) {
	n, err = r.Reader.Read(dst)
	rows := matrix.Rows(dst.X, 0, n)
	if bad := input.CheckRows(r.info, rows, r.next); bad != nil {
		return 0, bad
	}
	r.next += int64(n)
	mapInPlace(r.by, rows)
	return n, err
}
