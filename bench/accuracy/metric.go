package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// metricKernels are those that nystream fit ridge chooses from.
const metricKernels = "laplace(gamma=0.25*median|0.5*median) | matern32(length=2*median) | matern52(length=4*median)"

// metricFiles are the tables; those of classes are told by the share of rows that are wrong.
var metricFiles = map[string]struct {
	file    datasets.ClassedFile
	classes bool
}{
	"yacht":    {datasets.ClassedFile{Name: "yacht_hydrodynamics.data"}, false},
	"abalone":  {datasets.ClassedFile{Name: "abalone.data"}, false},
	"spambase": {datasets.ClassedFile{Name: "spambase.data"}, true},
	"satimage": {datasets.ClassedFile{Name: "satimage.scale", First: true}, true},
}

// metric measures fits with a metric learnt from the data, and without, on rows left out: the root of the
// mean squared error of numbers, or the share of classes that are wrong. A seed leaves out a fifth.
func metric(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("Errors of fit ridge --metric on rows left out, means of %d splits, 1,000 landmarks", o.seeds),
		Head: []string{"data", "rows", "columns", "none", "diagonal", "rounds taken", "full", "rounds taken"}}
	kernels, err := kernelgen.ParseAll(metricKernels)
	if err != nil {
		return nil, err
	}
	for _, name := range o.data {
		x, y, classes, err := metricTable(name)
		if err != nil {
			return nil, err
		}
		cells := []any{name, x.Rows, x.Cols}
		for _, form := range []ridge.Metric{ridge.NoMetric, ridge.DiagonalMetric, ridge.FullMetric} {
			sum, rounds := 0.0, []string{}
			for seed := range uint64(o.seeds) {
				s := ridge.Solver{Kernels: kernels[1:], Metric: form, Seed: seed + 1}
				test, train := fifths(x.Rows, seed+1)
				d := &ridge.Data{Rows: stream.FromMatrix(name, pickRows(x, train))}
				kind, known := model.Value, pickRows(y, train)
				if d.Targets = known; classes > 0 {
					d.Targets, d.Classes, kind = blas64.General{}, classes, model.Class
					for _, v := range known.Data {
						d.Labels = append(d.Labels, int(v))
					}
				}
				f, err := s.Fit(ctx, stream.Engine{}, d, kernels[0])
				if err != nil {
					return nil, err
				}
				out, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, pickRows(x, test), model.Request{Kinds: []model.Kind{kind}})
				if err != nil {
					return nil, err
				}
				sum += failure(out, pickRows(y, test), classes) / float64(o.seeds)
				if f.Learnt != nil {
					rounds = append(rounds, strconv.Itoa(f.Learnt.Round))
				}
			}
			if cells = append(cells, fmt.Sprintf("%.4g", sum)); form != ridge.NoMetric {
				cells = append(cells, fmt.Sprint(rounds))
			}
		}
		t.Add(cells...)
		progress(t)
	}
	return t, nil
}

// failure returns the error of predictions.
func failure(out, truth blas64.General, classes int) (sum float64) {
	for i, v := range truth.Data {
		if classes == 0 {
			sum += (out.Data[i] - v) * (out.Data[i] - v) / float64(truth.Rows)
		} else if out.Data[i] != v {
			sum += 1 / float64(truth.Rows)
		}
	}
	if classes == 0 {
		return math.Sqrt(sum)
	}
	return sum
}

// metricTable returns standardised columns, and numbers or classes.
func metricTable(name string) (x, y blas64.General, classes int, err error) {
	if name == "friedman" {
		x, y = friedman(5000, 20)
		return x, y, 0, nil
	}
	t := metricFiles[name]
	x, known, err := t.file.Rows(0, map[string]float64{"M": 1, "F": 0, "I": 0.5})
	if err != nil {
		return x, y, 0, err
	}
	datasets.Standardise(x)
	y = stream.NewMatrix(x.Rows, 1)
	labels, count := datasets.Numbered(known)
	for i, word := range known {
		if y.Data[i] = float64(labels[i]); !t.classes {
			if y.Data[i], err = strconv.ParseFloat(word, 64); err != nil {
				return x, y, 0, err
			}
		}
	}
	if t.classes {
		classes = count
	}
	return x, y, classes, nil
}

// friedman returns uniform columns, and the function of the first five of Friedman (1991, "Multivariate
// adaptive regression splines") with normal noise.
func friedman(rows, columns int) (x, y blas64.General) {
	x, y = datasets.Uniform(rows, columns, 1), stream.NewMatrix(rows, 1)
	sketch.NewRandom(2, "noise").Normals(y)
	for i := range rows {
		v := x.Data[i*x.Stride:]
		y.Data[i] += 10*math.Sin(math.Pi*v[0]*v[1]) + 20*(v[2]-0.5)*(v[2]-0.5) + 10*v[3] + 5*v[4]
	}
	datasets.Standardise(x)
	return x, y
}
