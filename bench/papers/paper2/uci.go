package paper2

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// The setting of Tables 3 and 6: the first four left vectors, a fifth of the rows to
// test.
const (
	tableFeatures = 4
	tableTest     = 0.2
	tableFolds    = 10
)

// widths are what cross-validation chooses from, in medians of what a kernel is a
// function of: distances between a row and a column (between two rows for methods
// with one side), or absolute inner products.
var widths = []float64{0.25, 0.5, 1, 2, 4}

// column is a method of Table 3 or 6.
type column struct {
	name    string
	data    func(context.Context, stream.Gatherer) (*ksvd.Data, error)
	kernels func(context.Context, *ksvd.Data) ([]kernelgen.Kernel, error) // one for each setting to choose from
	centred bool
}

// regression is a data set of Table 3 with all that is made of it.
type regression struct {
	ctx context.Context
	*datasets.Supervised
	scaled blas64.General
}

// features returns those of a column for every kernel of it, vectors of length 1.
func (r *regression) features(c column) ([]blas64.General, error) {
	data, err := c.data(r.ctx, stream.FromMatrix(r.Name, r.scaled))
	if err != nil {
		return nil, err
	}
	kernels, err := c.kernels(r.ctx, data)
	if err != nil {
		return nil, err
	}
	var all []blas64.General
	for _, k := range kernels {
		fit, err := ksvd.Exact{Rank: tableFeatures, Centre: c.centred, Seed: 1}.Fit(r.ctx, stream.Engine{}, data, k)
		if err != nil {
			return nil, err
		}
		all = append(all, fit.U)
	}
	return all, nil
}

// rowsAlone returns the rows of a table, for methods that have one side.
func rowsAlone(_ context.Context, src stream.Gatherer) (*ksvd.Data, error) {
	return ksvd.Between(src, nil)
}

// rowsAndColumns returns rows against columns.
func rowsAndColumns(c ksvd.Compatibility) func(context.Context, stream.Gatherer) (*ksvd.Data, error) {
	return func(ctx context.Context, src stream.Gatherer) (*ksvd.Data, error) {
		return ksvd.RowsAndColumns(ctx, src, c, 1)
	}
}

// compatibilities are a0, a1 and a2 of the paper's Remark 3.2.
var compatibilities = []ksvd.Compatibility{ksvd.CompatPseudoInverse, ksvd.CompatPCA, ksvd.CompatRandom}

// inWidths returns kernels for each of the widths, in units of the median of a figure of
// a left and a right row.
func inWidths(figure func(x, z []float64) float64, kernel func(width float64) kernelgen.Kernel) func(context.Context, *ksvd.Data) ([]kernelgen.Kernel, error) {
	return func(ctx context.Context, data *ksvd.Data) ([]kernelgen.Kernel, error) {
		unit, err := medianOf(ctx, data, figure)
		if err != nil {
			return nil, err
		}
		var all []kernelgen.Kernel
		for _, w := range widths {
			all = append(all, kernel(w*unit))
		}
		return all, nil
	}
}

// medianOf returns the median over left and right rows of a sample.
func medianOf(ctx context.Context, data *ksvd.Data, figure func(x, z []float64) float64) (float64, error) {
	s := data.Shape()
	half := int(min(s.Rows, s.Cols, 400))
	both, err := data.Sample(ctx, 2*half, 1)
	if err != nil {
		return 0, err
	}
	var all []float64
	for i := range half {
		for j := half; j < both.Rows; j++ {
			all = append(all, figure(dense.Row(both, i), dense.Row(both, j)))
		}
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

func distance(x, z []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += (v - z[k]) * (v - z[k])
	}
	return math.Sqrt(sum)
}

// score returns AUROC or RMSE of a linear LS-SVM with γ = 1 that learns on some rows.
func (r *regression) score(x blas64.General, s split.Split) (float64, error) {
	train, err := rowsOf(r.ctx, x, s.Train)
	if err != nil {
		return 0, err
	}
	test, err := rowsOf(r.ctx, x, s.Test)
	if err != nil {
		return 0, err
	}
	y := picked(r.Target, s.Train)
	if r.Classes {
		for i := range y {
			y[i] = 2*y[i] - 1
		}
	}
	model, err := lssvm.FitTargets(r.ctx, stream.Engine{}, train, blas64.General{Rows: len(y), Cols: 1, Stride: 1, Data: y}, lssvmGamma)
	if err != nil {
		return 0, err
	}
	decisions, err := model.Decisions(r.ctx, stream.Engine{}, test)
	if err != nil {
		return 0, err
	}
	truth := picked(r.Target, s.Test)
	if !r.Classes {
		return scores.RMSE(truth, decisions.Data)
	}
	positive := make([]bool, len(truth))
	for i, v := range truth {
		positive[i] = v == 1
	}
	return scores.AUROC(positive, decisions.Data)
}

// chosen returns the score on the test rows with the features that are best over the folds
// of the training rows.
func (r *regression) chosen(all []blas64.General, s split.Split) (float64, error) {
	folds, err := split.KFold(len(s.Train), tableFolds, 1)
	if err != nil {
		return 0, err
	}
	best, most := 0, math.Inf(-1)
	for i, x := range all {
		sum := 0.0
		for _, f := range folds {
			v, err := r.score(x, split.Split{Train: picked(s.Train, f.Train), Test: picked(s.Train, f.Test)})
			if err != nil {
				return 0, err
			}
			if !r.Classes {
				v = -v
			}
			sum += v
		}
		if sum > most {
			best, most = i, sum
		}
	}
	return r.score(all[best], s)
}

// mean returns the mean over the splits.
func (r *regression) mean(all []blas64.General, splits []split.Split) (float64, error) {
	sum := 0.0
	for _, s := range splits {
		v, err := r.chosen(all, s)
		if err != nil {
			return 0, err
		}
		sum += v / float64(len(splits))
	}
	return sum, nil
}

// times returns a·x in new memory.
func times(a float64, x blas64.General) blas64.General {
	y := stream.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		for j, v := range dense.Row(x, i) {
			y.Data[i*y.Stride+j] = a * v
		}
	}
	return y
}

// standardised has columns with mean 0 and variance 1; a constant column is 0.
func standardised(x blas64.General) blas64.General {
	y := times(1, x)
	n := float64(x.Rows)
	for j := range x.Cols {
		mean, squares := 0.0, 0.0
		for i := range x.Rows {
			mean += y.Data[i*y.Stride+j] / n
		}
		for i := range x.Rows {
			y.Data[i*y.Stride+j] -= mean
			squares += y.Data[i*y.Stride+j] * y.Data[i*y.Stride+j] / n
		}
		if squares > 0 {
			scaleColumn(y, j, 1/math.Sqrt(squares))
		}
	}
	return y
}

// setting returns the common part of the notes of both tables.
func setting(repeats int) string {
	return fmt.Sprintf("%d splits, a fifth of the rows to test, the first %d left singular vectors, linear LS-SVM with γ = 1; columns standardised. \"Length 1\" are the "+
		"vectors as they come, which the regulariser all but silences (the paper's RMSE of yacht, next to the standard deviation of the target, 15.1, looks like it); "+
		"\"variance 1\" are √N times these. The paper states neither scale.", repeats, tableFeatures)
}

func addData(ctx context.Context, t *report.Table, name string, repeats int, columns []column, published []float64) error {
	d, err := datasets.LoadSupervised(name)
	if err != nil {
		return err
	}
	r := &regression{ctx: ctx, Supervised: d, scaled: standardised(d.X)}
	splits, err := split.Random(d.X.Rows, tableTest, repeats, 1)
	if err != nil {
		return err
	}
	word := "RMSE ↓"
	if d.Classes {
		word = "AUROC ↑"
	}
	shape := fmt.Sprintf("%d × %d", d.X.Rows, d.X.Cols)
	printed, one, unit := []any{name, word, shape, "paper"}, []any{name, word, shape, "length 1"}, []any{name, word, shape, "variance 1"}
	for i, c := range columns {
		all, err := r.features(c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		short, err := r.mean(all, splits)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for k := range all {
			all[k] = times(math.Sqrt(float64(d.X.Rows)), all[k])
		}
		long, err := r.mean(all, splits)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		printed, one, unit = append(printed, published[i]), append(one, short), append(unit, long)
	}
	t.Add(printed...)
	t.Add(one...)
	t.Add(unit...)
	return nil
}

// addAll fills a table of methods for several data sets.
func addAll(ctx context.Context, t *report.Table, names []string, repeats int, columns []column, published map[string][]float64) error {
	t.Head = []string{"data", "figure", "rows × columns", "features"}
	for _, c := range columns {
		t.Head = append(t.Head, c.name)
	}
	for _, name := range names {
		if err := addData(ctx, t, name, repeats, columns, published[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
