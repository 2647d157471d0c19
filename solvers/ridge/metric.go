package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Metric is the form of a metric that is learnt from the data.
type Metric uint8

// The forms.
const (
	NoMetric       Metric = iota // rows are compared as they are
	DiagonalMetric               // a factor for each column
	FullMetric                   // a symmetric matrix, d×d
)

var metricWords = []string{"none", "diagonal", "full"}

// String returns the word for a form.
func (m Metric) String() string { return words.Of(metricWords, m) }

// Learnt is what the search for a metric found.
type Learnt struct {
	// Errors are those without a metric and with that of each round, on rows of the sample that no fit of
	// the search has seen: the share misclassified, or the mean of 1 − R² over targets.
	Errors []float64
	// Round is the place in Errors of the metric taken; 0 means that none is.
	Round int
	// Columns are the columns of the rows. Importance is the share of each in the mean squared gradient of
	// the predictor, if columns have the standard deviation 1; nil if the predictor is constant.
	Columns    []string
	Importance []float64

	metric  blas64.General // d×1 for factors of columns, or d×d; no rows for none
	source  *mapped        // the rows of the data
	entries int64
}

const (
	// metricRows is the size of the sample that metrics are learnt from, at most, and metricLandmarks
	// the number of landmarks. A quarter of the sample scores.
	metricRows      = 20_000
	metricLandmarks = 500
	metricRounds    = 3
	metricParts     = 4
	// gradientRows is the number of rows that gradients are averaged over, at most.
	gradientRows  = 2000
	gradientPanel = 32
	// mapRows is the number of rows of every product with a full metric: products of another size may have
	// other bits.
	mapRows = 64
	// derivativeStep is the step of central differences, relative to the distance.
	derivativeStep = 1e-4
)

// checkMetric returns an error if the gradients of a kernel are not known.
func (s Solver) checkMetric(k kernelgen.Kernel) error {
	base, one := k.OneBase()
	if s.Metric == NoMetric || one && (base == kernelgen.SquaredDistance || base == kernelgen.L1Distance) {
		return nil
	}
	return fmt.Errorf("`metric %v` does not go with kernel %s, which is no function of one distance: "+
		"take rbf, laplace, exponential, matern32, matern52, rq, cauchy or imq", s.Metric, k)
}

// inner returns the solver of the search for a metric.
func (s Solver) inner() Solver {
	landmarks := min(cmp.Or(s.Landmarks, defaultLandmarks), metricLandmarks)
	return Solver{Landmarks: landmarks, Folds: s.Folds, Kernels: s.Kernels, Balanced: s.Balanced, Seed: s.Seed}
}

// learnMetric learns a metric from a sample of the rows of d: a round takes the average outer product of
// the gradients of a fit with the metric before (Radhakrishnan, Beaglehole, Pandit & Belkin 2024, "Mechanism
// for feature learning in neural networks and backpropagation-free machine learning models"). Rounds end
// when the error on rows left out no longer falls, by more than its standard error.
// Cost: up to four fits of 15,000 rows, and 2,000·ℓ·d·t flops a round, with d³ more for a full metric.
func (s Solver) learnMetric(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Learnt, error) {
	if s.Metric == NoMetric {
		return nil, nil
	}
	for _, k := range s.kernels(k) {
		if err := s.checkMetric(k); err != nil {
			return nil, err
		}
	}
	train, scored, err := s.split(ctx, d)
	if err != nil {
		return nil, err
	}
	e = stream.Engine{Threads: e.Threads}
	out := &Learnt{Columns: d.Rows.Info().Columns}
	var metric blas64.General
	var least []float64
	for round := range metricRounds + 1 {
		x := train.under(metric)
		learning, err := x.data()
		if err != nil {
			return nil, err
		}
		f, err := s.inner().fit(ctx, e, learning, k)
		if err != nil {
			return nil, fmt.Errorf("`metric %v`, on %d rows of a sample: %w", s.Metric, x.rows.Rows, err)
		}
		losses, err := scored.under(metric).losses(ctx, e, f.Model)
		if err != nil {
			return nil, err
		}
		out.entries += f.KernelEntries + int64(scored.rows.Rows)*int64(f.Landmarks.Rows)
		out.Errors = append(out.Errors, dense.Sum(losses))
		if round > 0 {
			if !lower(losses, least) {
				break
			}
			out.Round, out.metric = round, metric
		}
		least = losses
		if round == metricRounds {
			break
		}
		g, entries, err := s.gradients(ctx, e, f.Model, x)
		if err != nil {
			return nil, err
		}
		out.entries += entries
		importance, next, err := train.metricOf(g, metric)
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

// of returns data whose rows are mapped by the metric that was taken.
func (l *Learnt) of(d *Data) *Data {
	if l == nil || l.metric.Rows == 0 {
		return d
	}
	out := *d
	if l.source == nil {
		l.source = &mapped{d.Rows, l.metric}
	}
	out.Rows = l.source
	return &out
}

// tell adds the metric and the cost of its search to a fit.
func (l *Learnt) tell(f *Fit) {
	if l == nil {
		return
	}
	f.Learnt, f.Metric = l, l.metric
	f.KernelEntries += l.entries
	if l.Round == 0 {
		f.Note("`metric`: none was taken, as it does not lower the error of rows left out of the sample")
	}
}

// drawn are rows of the sample in memory, with what is known of them.
type drawn struct {
	of    *columns
	rows  blas64.General
	kept  []stream.Column
	known known
}

// split draws the sample, and leaves a quarter of it out to score metrics. Groups stay together.
func (s Solver) split(ctx context.Context, d *Data) (train, scored *drawn, err error) {
	of, err := d.columns(s.Balanced)
	if err != nil {
		return nil, nil, err
	}
	n, err := model.KnownRows(d.Rows)
	if err != nil {
		return nil, nil, err
	}
	sample, err := sketch.NewSample(n, int(min(n, metricRows)), s.Seed, "metric")
	if err != nil {
		return nil, nil, err
	}
	panels, err := basis.Gather(ctx, d.Rows, basis.Set{Numbers: sample.Positions(), Kept: true})
	if err != nil {
		return nil, nil, err
	}
	all := panels[0]
	var found known
	if err := of.read(&found, all.Kept, all.Count(), model.Numbers{List: all.Number}); err != nil {
		return nil, nil, err
	}
	by := folding{random: sketch.NewRandom(s.Seed, "metric rows"), parts: metricParts, tested: metricParts}
	var sides [2][]int
	for i, group := range found.group {
		side := min(1, by.part(group))
		sides[side] = append(sides[side], i)
	}
	var out [2]*drawn
	for k, rows := range sides {
		out[k] = &drawn{of: of, rows: dense.PickRows(all.Rows, rows), kept: stream.KeptColumns(d.Rows.Info().Kept)}
		numbers := make([]int64, len(rows))
		for i, r := range rows {
			numbers[i] = all.Number[r]
			for c := range all.Kept {
				out[k].kept[c].Append(&all.Kept[c], r, r+1)
			}
		}
		if err := of.read(&out[k].known, out[k].kept, len(rows), model.Numbers{List: numbers}); err != nil {
			return nil, nil, err
		}
	}
	return out[1], out[0], nil
}

// data returns the rows as data of a fit.
func (s *drawn) data() (*Data, error) {
	var names []string
	for _, field := range s.of.info.Kept {
		names = append(names, field.Name)
	}
	rows, err := stream.Beside(stream.FromMatrix(s.of.info.Name, s.rows), names, s.kept...)
	if err != nil {
		return nil, err
	}
	d := *s.of.Data
	d.Rows = rows
	if d.Classes != nil {
		classes := *d.Classes
		classes.Counts = make([]int64, len(classes.Counts))
		for _, class := range s.known.class {
			classes.Counts[class]++
		}
		d.Classes = &classes
	}
	return &d, nil
}

// targets returns those of the rows, without columns for classes.
func (s *drawn) targets() blas64.General {
	if s.of.Classes != nil {
		return blas64.General{Rows: s.rows.Rows, Stride: 1}
	}
	return s.known.outputs
}

// under returns the rows mapped by a metric.
func (s *drawn) under(metric blas64.General) *drawn {
	out := *s
	out.rows = dense.Clone(s.rows)
	mapInPlace(rowMap(metric), out.rows)
	return &out
}

// losses returns the share of each row in the error of a model on the rows, which are mapped: see [Learnt].
func (s *drawn) losses(ctx context.Context, e stream.Engine, m *Model) ([]float64, error) {
	kind := model.Value
	if m.Classes > 0 {
		kind = model.Class
	}
	out, err := model.TransformMatrix(ctx, e, m, s.rows, model.Request{Kinds: []model.Kind{kind}})
	if err != nil {
		return nil, err
	}
	weight, targets := 0.0, s.targets()
	losses, all := make([]float64, out.Rows), s.variances(targets)
	for i := range losses {
		w := s.known.weight[i]
		weight += w
		for j, v := range dense.Row(out, i) {
			switch {
			case m.Classes > 0 && int(v) != s.known.class[i]:
				losses[i] += w
			case m.Classes == 0 && all[j] > 0:
				v -= dense.Row(targets, i)[j]
				losses[i] += w * v * v / (all[j] * float64(len(all)))
			}
		}
	}
	if weight == 0 {
		return nil, fmt.Errorf("%s: `metric` has no row with a weight to score on", s.of.info.Name)
	}
	blas64.Scal(1/weight, dense.Vector(losses))
	return losses, nil
}

// lower reports whether the sum of losses is below that of others, by more than a standard error of the difference.
func lower(losses, others []float64) bool {
	difference := make([]float64, len(losses))
	for i, v := range losses {
		difference[i] = others[i] - v
	}
	sum, squares := dense.Sum(difference), dense.Dot(difference, difference)
	return sum > 0 && sum*sum > squares-sum*sum/float64(len(losses))
}

// variances returns those of the columns of a matrix with a row for each of the rows, by their weights.
func (s *drawn) variances(m blas64.General) []float64 {
	total, sums, squares := 0.0, make([]float64, m.Cols), make([]float64, m.Cols)
	for i := range m.Rows {
		total += s.known.weight[i]
		dense.Axpy(s.known.weight[i], dense.Row(m, i), sums)
	}
	for i := range m.Rows {
		for j, v := range dense.Row(m, i) {
			v -= sums[j] / total
			squares[j] += s.known.weight[i] * v * v / total
		}
	}
	return squares
}

// gradients returns the sum over up to 2,000 of the rows of the outer products of the gradients of the
// model, by mapped columns: d×d, or d×1 for the diagonal. Targets count by their standard deviations.
// entries is the number of kernel entries.
func (s Solver) gradients(
	ctx context.Context, e stream.Engine, m *Model, x *drawn,
) (sum blas64.General, entries int64, err error) {
	d, n := x.rows.Cols, min(x.rows.Rows, gradientRows)
	sum = stream.NewMatrix(d, d)
	if s.Metric == DiagonalMetric {
		sum = stream.NewMatrix(d, 1)
	}
	scales := make([]float64, len(m.Intercept))
	for j := range scales {
		scales[j] = 1
	}
	for j, v := range x.variances(x.targets()) {
		scales[j] = 1 / math.Sqrt(v)
	}
	coefficients := dense.Clone(m.Coefficients)
	dense.ScaleColumns(coefficients, scales)
	panels := (n + gradientPanel - 1) / gradientPanel
	err = stream.Collect(ctx, e.Threads, panels, func(panel int) (blas64.General, error) {
		first := panel * gradientPanel
		last, t := min(n, first+gradientPanel), coefficients.Cols
		out, work := stream.NewMatrix((last-first)*t, d), newSlopes(m)
		for i := first; i < last; i++ {
			row := i * x.rows.Rows / n // at equal distances: rows may be in an order
			g := stream.RowSlice(out, (i-first)*t, t)
			work.gradient(g, dense.Row(x.rows, row), coefficients)
			dense.Scale(math.Sqrt(x.known.weight[row]), g)
		}
		return out, nil
	}, func(g blas64.General) error {
		if s.Metric == FullMetric {
			dense.Gemm(blas.Trans, blas.NoTrans, 1, g, g, 1, sum)
			return nil
		}
		for i := range g.Rows {
			for j, v := range dense.Row(g, i) {
				sum.Data[j] += v * v
			}
		}
		return nil
	})
	return sum, 2 * int64(n) * int64(m.Landmarks.Rows), err
}

// slopes finds gradients of a model at one row after another.
type slopes struct {
	*Model
	base        kernelgen.Base
	work        kernelgen.Workspace
	differences blas64.General // of the row and each landmark, or their signs
	above       []float64      // kernel entries at larger distances
	below       []float64
	distance    []float64
	by          blas64.General // coefficients times derivatives
}

func newSlopes(m *Model) *slopes {
	p := m.Landmarks.Rows
	s := &slopes{Model: m, differences: stream.NewMatrix(p, m.Landmarks.Cols), by: stream.NewMatrix(p, len(m.Intercept)),
		distance: make([]float64, p), above: make([]float64, p), below: make([]float64, p)}
	s.base, _ = m.Kernel.OneBase()
	return s
}

// gradient puts the gradient of Σ c·k(x, z) by the mapped row x into a row of dst for each column of
// coefficients. Derivatives by the distance are central differences; where x is z they count as 0.
// Cost: 2·p kernel entries, 2·p·d·t flops.
func (s *slopes) gradient(dst blas64.General, x []float64, coefficients blas64.General) {
	for i := range s.Landmarks.Rows {
		row, sum := dense.Row(s.differences, i), 0.0
		for j, z := range dense.Row(s.Landmarks, i) {
			v := x[j] - z
			if s.base == kernelgen.L1Distance {
				sum += math.Abs(v)
				if v != 0 {
					v = math.Copysign(1, v)
				}
			} else {
				sum += v * v
				v *= 2
			}
			row[j] = v
		}
		s.distance[i], s.above[i], s.below[i] = sum, sum*(1+derivativeStep), sum*(1-derivativeStep)
	}
	s.Kernel.FromBase(s.above, &s.work)
	s.Kernel.FromBase(s.below, &s.work)
	for i, b := range s.distance {
		slope := 0.0
		if width := 2 * derivativeStep * b; width > 0 {
			slope = (s.above[i] - s.below[i]) / width
		}
		for j, c := range dense.Row(coefficients, i) {
			dense.Row(s.by, i)[j] = slope * c
		}
	}
	dense.Gemm(blas.Trans, blas.NoTrans, 1, s.by, s.differences, 0, dst)
}

// metricOf returns the importance of the columns, and the root of the outer products of gradients by
// columns that are not mapped. They are given by columns mapped by the metric before. The variance of
// mapped rows is that of the rows. importance is nil if the gradients are 0.
func (s *drawn) metricOf(g, before blas64.General) (importance []float64, metric blas64.General, err error) {
	variances := s.variances(s.rows)
	diagonal := make([]float64, g.Rows)
	if g.Cols > 1 {
		if before.Rows > 0 {
			g = dense.Mul(blas.NoTrans, before, blas.NoTrans, dense.Mul(blas.NoTrans, g, blas.NoTrans, before))
		}
		for j := range diagonal {
			diagonal[j] = dense.Row(g, j)[j]
		}
		if metric, err = root(dense.SymmetricPart(g)); err != nil {
			return nil, metric, err
		}
	} else {
		metric = stream.NewMatrix(g.Rows, 1)
		for j := range diagonal {
			diagonal[j] = g.Data[j]
			if before.Rows > 0 {
				diagonal[j] *= before.Data[j] * before.Data[j]
			}
			metric.Data[j] = math.Sqrt(diagonal[j])
		}
	}
	for j, v := range variances {
		diagonal[j] *= v
	}
	sum := dense.Sum(diagonal)
	mapped := dense.Sum(s.variances(s.under(metric).rows))
	if !(sum > 0 && mapped > 0) {
		return nil, metric, nil
	}
	for j := range diagonal {
		diagonal[j] /= sum
	}
	dense.Scale(math.Sqrt(dense.Sum(variances)/mapped), metric)
	return diagonal, metric, nil
}

// root returns the square root of a positive semi-definite matrix.
func root(a blas64.General) (blas64.General, error) {
	values, vectors, err := symeig.Decompose(a)
	if err != nil {
		return a, fmt.Errorf("the eigenvalues of the metric: %w", err)
	}
	scaled := dense.Clone(vectors)
	for j := range values {
		values[j] = math.Sqrt(max(0, values[j]))
	}
	dense.ScaleColumns(scaled, values)
	return dense.SymmetricPart(dense.Mul(blas.NoTrans, scaled, blas.Trans, vectors)), nil
}

// rowMap returns a function for one goroutine that maps up to [stream.PanelRows] rows by a metric, into
// memory of its own. A metric without rows maps nothing. The bits of a row do not depend on the others.
func rowMap(metric blas64.General) func(x blas64.General) blas64.General {
	if metric.Rows == 0 {
		return func(x blas64.General) blas64.General { return x }
	}
	out := stream.NewMatrix(stream.PanelRows, metric.Rows)
	rows, products := stream.NewMatrix(mapRows, metric.Rows), stream.NewMatrix(mapRows, metric.Rows)
	return func(x blas64.General) blas64.General {
		if metric.Cols == 1 {
			for i := range x.Rows {
				for j, v := range dense.Row(x, i) {
					dense.Row(out, i)[j] = v * metric.Data[j*metric.Stride]
				}
			}
			return stream.RowSlice(out, 0, x.Rows)
		}
		for first := 0; first < x.Rows; first += mapRows {
			n := min(mapRows, x.Rows-first)
			for i := range n {
				copy(dense.Row(rows, i), dense.Row(x, first+i))
			}
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, metric, 0, products)
			for i := range n {
				copy(dense.Row(out, first+i), dense.Row(products, i))
			}
		}
		return stream.RowSlice(out, 0, x.Rows)
	}
}

// mapInPlace maps all rows of a matrix.
func mapInPlace(by func(x blas64.General) blas64.General, x blas64.General) {
	for first := 0; first < x.Rows; first += stream.PanelRows {
		part := stream.RowSlice(x, first, min(stream.PanelRows, x.Rows-first))
		for i, y := 0, by(part); i < part.Rows; i++ {
			copy(dense.Row(part, i), dense.Row(y, i))
		}
	}
}

// mapped is a source whose rows are those of another, mapped by a metric.
type mapped struct {
	stream.Source
	metric blas64.General
}

// Open returns a reader of mapped rows.
func (m *mapped) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := m.Source.Open(ctx, first)
	if err != nil {
		return nil, err
	}
	return &mappedReader{r, m.Info(), rowMap(m.metric), first}, nil
}

// Gather fetches mapped rows by number.
func (m *mapped) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if err := stream.Gather(ctx, m.Source, rows, dst); err != nil {
		return err
	}
	if err := model.InSource(m.Info(), sketch.CheckFinite(dst.X), model.Numbers{List: rows}); err != nil {
		return err
	}
	mapInPlace(rowMap(m.metric), dst.X)
	return nil
}

type mappedReader struct {
	stream.Reader
	info stream.Info
	by   func(x blas64.General) blas64.General
	next int64
}

// Read fails with a [stream.BadValueError] if a number is not finite: afterwards its column is not known.
func (r *mappedReader) Read(dst *stream.Batch) (n int, err error) {
	n, err = r.Reader.Read(dst)
	rows := stream.RowSlice(dst.X, 0, n)
	if bad := model.CheckRows(r.info, rows, r.next); bad != nil {
		return 0, bad
	}
	r.next += int64(n)
	mapInPlace(r.by, rows)
	return n, err
}
