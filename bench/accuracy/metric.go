package main

import (
	"context"
	"fmt"
	"math"

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

// metricKernels are the default candidates of nystream fit ridge.
const metricKernels = "laplace(gamma=0.25*median|0.5*median) | matern32(length=2*median) | matern52(length=4*median)"

// metric measures held-out errors of fits with and without a learnt metric: the RMSE on Friedman's function of 5 of 20
// columns with noise of 1, and the misclassification rate on spambase. Each seed holds out a fifth of the rows.
func metric(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Head: []string{"data", "seed", "none", "diagonal", "rounds", "full", "rounds"},
		Title: "Errors on rows left out of fit ridge --metric, 1,000 landmarks, and the rounds taken"}
	kernels, err := kernelgen.ParseAll(metricKernels)
	if err != nil {
		return nil, err
	}
	mail, err := datasets.ClassedFile{Name: "spambase.data"}.Read(0)
	if err != nil {
		return nil, err
	}
	datasets.Standardise(mail.X)
	for _, name := range o.data {
		for seed := range uint64(o.seeds) {
			x, y, kind := mail.X, matrix.New(mail.X.Rows, 1), model.Class
			for i, label := range mail.Labels {
				y.Data[i] = float64(label)
			}
			if name == "friedman" {
				x, y = friedman(5000, 20)
				kind = model.Value
			}
			test, train := randomFifth(x.Rows, seed+1)
			known := stream.Column{Floats: dense.PickRows(y, train).Data} // y has one column
			rows, err := stream.Beside(stream.FromMatrix(name, dense.PickRows(x, train)), []stream.Field{{Name: "known"}}, known)
			if err != nil {
				return nil, err
			}
			d := &ridge.Data{Rows: rows, Targets: []string{"known"}}
			if kind == model.Class {
				d.Targets = nil
				if d.Classes, err = ridge.FindClasses(ctx, stream.Engine{}, rows, "known"); err != nil {
					return nil, err
				}
			}
			cells := []any{name, seed + 1}
			for _, form := range []ridge.Metric{ridge.NoMetric, ridge.DiagonalMetric, ridge.FullMetric} {
				s := ridge.Solver{Kernels: kernels[1:], Metric: form, Seed: seed + 1}
				f, err := s.Fit(ctx, stream.Engine{}, d, kernels[0])
				if err != nil {
					return nil, err
				}
				r := model.Request{Outputs: []model.Output{kind}}
				out, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, dense.PickRows(x, test), r)
				if err != nil {
					return nil, err
				}
				squares := 0.0 // number of misclassified rows, as classes are 0 and 1
				for i, v := range out.Data {
					squares += (v - y.Data[test[i]]) * (v - y.Data[test[i]]) / float64(len(test))
				}
				if kind == model.Value {
					squares = math.Sqrt(squares)
				}
				if cells = append(cells, fmt.Sprintf("%.4g", squares)); f.MetricSearch != nil {
					cells = append(cells, f.MetricSearch.Round)
				}
			}
			t.Add(cells...)
			progress(t)
		}
	}
	return t, nil
}

// friedman returns uniform columns, and Friedman's function of the first five (1991, "Multivariate adaptive regression
// splines") with normal noise.
func friedman(rows, columns int) (x, y blas64.General) {
	x, y = datasets.Uniform(rows, columns, 1), matrix.New(rows, 1)
	sketch.NewRandom(2, "noise").Normals(y)
	for i := range rows {
		v := x.Data[i*x.Stride:]
		y.Data[i] += 10*math.Sin(math.Pi*v[0]*v[1]) + 20*(v[2]-0.5)*(v[2]-0.5) + 10*v[3] + 5*v[4]
	}
	datasets.Standardise(x)
	return x, y
}
