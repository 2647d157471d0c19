package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/stream"
)

// decisions measures how far decision values of AsK-LS by engine lowrank are from those of engine dense
// on new rows, and the estimate of it (askls.Fit.Errors), for random systems.
func decisions(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: "Decision values of engine lowrank beside engine dense on new rows, and the estimate",
		Head: []string{"data", "rows", "kernel", "gamma", "rank", "error", "estimate", "estimate / error"}}
	var ratios []float64
	for i := range o.cases {
		name := o.data[int(i)%len(o.data)]
		s, err := drawSystem(name, uint64(i))
		if err != nil {
			return nil, err
		}
		exact, _, err := s.decide(ctx, askls.Solver{Engine: askls.EngineDense})
		if err != nil {
			return nil, fmt.Errorf("case %d, %s: %w", i, name, err)
		}
		for _, rank := range []int{20, 50, 100} {
			low, estimate, err := s.decide(ctx, askls.Solver{Engine: askls.EngineLowRank, Rank: rank})
			if err != nil {
				return nil, fmt.Errorf("case %d, %s, rank %d: %w", i, name, rank, err)
			}
			e := relativeDistance(exact, low)
			ratios = append(ratios, estimate/e)
			t.Add(name, s.train.Rows, s.kernel, s.gamma, rank, e, estimate, estimate/e)
			progress(t)
		}
	}
	t.Notes = []string{fmt.Sprintf("Ratios, %s: %s.", strings.Join(spreadHead, ", "), strings.Join(spread(ratios), ", "))}
	return t, nil
}

// classed are the files of the papers' data that have classes.
var classed = map[string]datasets.ClassedFile{
	"spambase": {Name: "spambase.data"}, "satimage": {Name: "satimage.scale", First: true},
	"letter": {Name: "letter.scale", First: true}, "pima": {Name: "pima-indians-diabetes.csv"},
}

// A system is rows to learn from and others to decide on, a kernel and a regularisation.
type system struct {
	train, test blas64.General
	labels      []int // of train
	classes     int
	kernel      kernelgen.Kernel
	gamma       float64
}

// drawSystem draws 300 to 2,000 standardised rows of a data set and γ from 0.1 to 300, both evenly in their
// logarithms, and an SNE kernel as wide as a tenth to one median distance. At most 500 rows are decided on.
func drawSystem(name string, number uint64) (*system, error) {
	d, err := classed[name].Read(8000)
	if err != nil {
		return nil, err
	}
	datasets.Standardise(d.X)
	draws := sketch.NewRandom(1, "decisions").At(number)
	between := func(least, most float64) float64 { return least * math.Pow(most/least, draws.Float64()) }
	s := &system{classes: d.Classes, gamma: between(0.1, 300)}
	learnt := min(int(between(300, 2000)), d.X.Rows*4/5)
	all := stream.NewMatrix(min(learnt+500, d.X.Rows), d.X.Cols)
	for i, from := range sketch.NewRandom(number, "rows of decisions").Choose(int64(d.X.Rows), all.Rows) {
		ofGeneral(all).SetRow(i, ofGeneral(d.X).RawRowView(int(from)))
		if i < learnt {
			s.labels = append(s.labels, d.Labels[from])
		}
	}
	s.train, s.test = stream.RowSlice(all, 0, learnt), stream.RowSlice(all, learnt, all.Rows-learnt)
	s.kernel = kernelgen.SNE(datasets.MedianDistance(s.train, 200) * between(0.1, 1))
	return s, nil
}

// decide fits a machine and returns its decision values of the test rows, averages of source and target
// functions, and the estimate of their error.
func (s *system) decide(ctx context.Context, m askls.Solver) (values blas64.General, estimate float64, err error) {
	data, err := askls.Samples(stream.FromMatrix("train", s.train), s.labels, s.classes)
	if err != nil {
		return values, 0, err
	}
	m.Gamma, m.Seed, m.Merge = s.gamma, 1, askls.MergeAverage
	f, err := m.Fit(ctx, stream.Engine{}, data, s.kernel)
	if err != nil {
		return values, 0, err
	}
	if len(f.Errors) > 0 {
		estimate = f.Errors[0].Value
	}
	values, err = f.Decisions(ctx, stream.Engine{}, askls.NewSamples(stream.FromMatrix("test", s.test)))
	return values, estimate, err
}

// relativeDistance returns ‖exact − low‖_F over the larger norm of the two without the means of columns.
func relativeDistance(exact, low blas64.General) float64 {
	var difference mat.Dense
	difference.Sub(ofGeneral(exact), ofGeneral(low))
	return mat.Norm(&difference, 2) / max(centredNorm(exact), centredNorm(low))
}

// centredNorm returns the Frobenius norm without the means of columns.
func centredNorm(m blas64.General) float64 {
	sum := 0.0
	for j := range m.Cols {
		sum += stat.PopVariance(mat.Col(nil, j, ofGeneral(m)), nil) * float64(m.Rows)
	}
	return math.Sqrt(sum)
}

func ofGeneral(g blas64.General) *mat.Dense {
	var m mat.Dense
	m.SetRawMatrix(g)
	return &m
}
