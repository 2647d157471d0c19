package main

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// system is what machines are learnt from.
type system struct {
	*table
	seed   uint64
	number int
	rows   int // to learn from
	kernel kernelgen.Kernel
	gamma  float64
}

// fitsOfSystem is how many low-rank fits a system has, and testRows how many rows are
// decided on.
const (
	fitsOfSystem = 4
	testRows     = 500
)

// draw draws a system: 300 to 2,000 rows, and a γ from 0.1 to 300, both evenly in their
// logarithms; a width of kernels from a tenth to one median distance.
func draw(d *table, seed uint64, number int) *system {
	draws := sketch.NewRandom(seed, "decisions").At(uint64(number))
	between := func(least, most float64) float64 { return least * math.Pow(most/least, draws.Float64()) }
	s := &system{table: d, seed: seed, number: number, gamma: rounded(between(0.1, 300))}
	s.rows = min(int(between(300, 2000)), d.x.Rows*4/5)
	width := rounded(d.median * between(0.1, 1))
	switch int(draws.Float64() * 4) {
	case 0:
		s.kernel = kernelgen.T()
	case 1:
		s.kernel = kernelgen.RBF(1 / (width * width))
	default:
		s.kernel = kernelgen.SNE(width)
	}
	return s
}

// rounded returns three digits.
func rounded(v float64) float64 {
	var r float64
	fmt.Sscan(fmt.Sprintf("%.3g", v), &r)
	return r
}

func (s *system) String() string {
	return fmt.Sprintf("%s, %d rows, %s, gamma %v", s.name, s.rows, s.kernel, s.gamma)
}

// drawFit draws a rank from 10 to 200, half of the samples' number at most, a way to merge,
// and for one fit of four few landmarks.
func (s *system) drawFit(j int) askls.Solver {
	draws := sketch.NewRandom(s.seed, fmt.Sprintf("decisions, system %d", s.number)).At(uint64(j))
	m := askls.Solver{Engine: askls.EngineLowRank, Rank: min(int(10*math.Pow(20, draws.Float64())), s.rows/2)}
	m.Merge = []askls.Merge{askls.MergeAverage, askls.MergeSource, askls.MergeTarget}[int(draws.Float64()*3)]
	if draws.Float64() < 0.25 {
		m.Samples = min(3*m.Rank, s.rows)
	}
	return m
}

// machine is a fitted one, with what it says of the test rows.
type machine struct {
	both     blas64.General
	classes  int
	labels   []int
	estimate float64
}

// fit learns from the first rows and decides on those behind them.
func (s *system) fit(ctx context.Context, m askls.Solver) (*machine, error) {
	train, test := stream.RowSlice(s.x, 0, s.rows), stream.RowSlice(s.x, s.rows, min(testRows, s.x.Rows-s.rows))
	data, err := askls.Samples(stream.FromMatrix(s.name, train), s.labels[:s.rows], s.classes)
	if err != nil {
		return nil, err
	}
	m.Gamma, m.Seed = s.gamma, s.seed
	fit, err := m.Fit(ctx, stream.Engine{}, data, s.kernel)
	if err != nil {
		return nil, err
	}
	out := &machine{both: stream.NewMatrix(test.Rows, 2*s.classes), classes: s.classes, labels: s.labels[s.rows : s.rows+test.Rows], estimate: math.NaN()}
	if len(fit.Errors) > 0 {
		out.estimate = fit.Errors[0].Value
	}
	err = fit.Evaluate(ctx, stream.Engine{}, askls.NewSamples(stream.FromMatrix(s.name, test)), false, func(b *stream.Block, both blas64.General) error {
		for i := range both.Rows {
			copy(dense.Row(out.both, int(b.Start)+i), dense.Row(both, i))
		}
		return nil
	})
	return out, err
}

// of returns the decisions.
func (m *machine) of(merge askls.Merge) blas64.General {
	d := stream.NewMatrix(m.both.Rows, m.classes)
	(&askls.Model{Classes: m.classes, Merge: merge}).Decide(d, m.both)
	return d
}

func (m *machine) accuracy(merge askls.Merge) float64 {
	chosen := make([]int, m.both.Rows)
	(&askls.Model{}).Choose(chosen, m.of(merge))
	v, err := metrics.Accuracy(m.labels, chosen)
	if err != nil {
		panic(err)
	}
	return v
}

// distance returns the Frobenius norm of the difference, relative to the larger norm of
// the two without the means of columns.
func distance(exact, low blas64.General) float64 {
	difference := dense.Clone(exact)
	for i := range low.Rows {
		dense.Axpy(-1, dense.Row(low, i), dense.Row(difference, i))
	}
	dense.CentreColumns(exact)
	dense.CentreColumns(low)
	return dense.Frobenius(difference) / max(dense.Frobenius(exact), dense.Frobenius(low))
}
