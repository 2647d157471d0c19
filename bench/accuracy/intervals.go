package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

const (
	intervalLevel     = 0.9
	intervalQuantile  = 1.6448536269514722 // of the normal distribution at 0.95
	intervalLandmarks = 300
)

// intervals compares prediction intervals of regressions with those of a sparse Gaussian process with the same
// landmarks and penalty: coverage in each third of the predictions, and mean width. Each seed holds out a fifth of the
// rows.
func intervals(ctx context.Context, o options) (*report.Table, error) {
	title := "Intervals of the level %g on rows left out, %d splits, %d landmarks"
	t := &report.Table{Title: fmt.Sprintf(title, intervalLevel, o.seeds, intervalLandmarks),
		Head: []string{"data", "kernel", "interval", "low third", "middle", "high third", "all", "mean width", "beside DTC"}}
	x, y, err := abaloneRings()
	if err != nil {
		return nil, err
	}
	for _, text := range []string{"rbf(gamma=median)", "laplace(gamma=median)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			return nil, err
		}
		var learnt, process coverage
		for seed := range uint64(o.seeds) {
			if err := coverSplit(ctx, x, y, k, seed+1, &learnt, &process); err != nil {
				return nil, err
			}
		}
		for _, c := range []struct {
			name string
			of   *coverage
		}{{"out-of-fold", &learnt}, {"DTC", &process}} {
			cells := []any{"abalone", text, c.name}
			for _, share := range c.of.shares() {
				cells = append(cells, fmt.Sprintf("%.3f", share))
			}
			t.Add(append(cells, fmt.Sprintf("%.2f", c.of.width()), fmt.Sprintf("%.3f", c.of.width()/process.width()))...)
			progress(t)
		}
	}
	return t, nil
}

// abaloneRings returns the standardised columns of abalone, and the rings.
func abaloneRings() (x, y blas64.General, err error) {
	x, words, err := datasets.ClassedFile{Name: "abalone.data"}.Rows(0, map[string]float64{"M": 1, "F": 0, "I": 0.5})
	if err != nil {
		return x, y, err
	}
	datasets.Standardise(x)
	y = matrix.New(len(words), 1)
	for i, word := range words {
		if y.Data[i], err = strconv.ParseFloat(word, 64); err != nil {
			return x, y, err
		}
	}
	return x, y, nil
}

// coverSplit fits four fifths of the rows, and adds the intervals of the rest.
func coverSplit(
	ctx context.Context, x, y blas64.General, k kernelgen.Kernel, seed uint64, learnt, process *coverage,
) error {
	test, train := randomFifth(x.Rows, seed)
	targets := stream.Column{Floats: dense.PickRows(y, train).Data} // y has one column
	rows, err := stream.Beside(stream.FromMatrix("rows", dense.PickRows(x, train)), []stream.Field{{Name: "target"}}, targets)
	if err != nil {
		return err
	}
	data := &ridge.Data{Rows: rows, Targets: []string{"target"}}
	f, err := ridge.Solver{Landmarks: intervalLandmarks, Seed: seed, Std: true}.Fit(ctx, stream.Engine{}, data, k)
	if err != nil {
		return err
	}
	r := model.Request{Outputs: []model.Output{model.Value, model.Lower, model.Upper, model.Deviation}, Level: intervalLevel}
	out, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, dense.PickRows(x, test), r)
	if err != nil {
		return err
	}
	for i, row := range test {
		v := out.Data[i*out.Stride:][:4]
		learnt.add(v[0], v[1], v[2], y.Data[row])
		process.add(v[0], v[0]-intervalQuantile*v[3], v[0]+intervalQuantile*v[3], y.Data[row])
	}
	return nil
}

// randomFifth returns the numbers of a random fifth of the rows, and of the rest.
func randomFifth(rows int, seed uint64) (test, train []int) {
	random := sketch.NewRandom(seed, "split")
	for i := range rows {
		if draws := random.At(uint64(i)); draws.Uint64n(5) == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return test, train
}

// coverage counts how many true values lie in their predicted intervals.
type coverage struct{ rows []coverageCount }

type coverageCount struct {
	predicted, width float64
	inside           bool
}

func (c *coverage) add(predicted, lower, upper, truth float64) {
	c.rows = append(c.rows, coverageCount{predicted, upper - lower, lower <= truth && truth <= upper})
}

// shares returns the coverage in each third of the predictions, and overall.
func (c *coverage) shares() (shares [4]float64) {
	slices.SortStableFunc(c.rows, func(a, b coverageCount) int { return cmp.Compare(a.predicted, b.predicted) })
	n := len(c.rows)
	for i, ends := range [4][2]int{{0, n / 3}, {n / 3, 2 * n / 3}, {2 * n / 3, n}, {0, n}} {
		for _, row := range c.rows[ends[0]:ends[1]] {
			if row.inside {
				shares[i] += 1 / float64(ends[1]-ends[0])
			}
		}
	}
	return shares
}

// width returns the mean width.
func (c *coverage) width() float64 {
	sum := 0.0
	for _, row := range c.rows {
		sum += row.width
	}
	return sum / math.Max(1, float64(len(c.rows)))
}
