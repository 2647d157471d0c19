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

// promiseSizes are the numbers of rows of fits.
var promiseSizes = []int{60, 200, 1000}

// promise compares the reported errors of regressions and classifiers with those on other rows of the data, at most
// 4,000, with the command's default kernels. Each seed draws the rows.
func promise(ctx context.Context, o options) (*report.Table, error) {
	title := "Errors reported by fit ridge beside those on other rows, means of %d seeds: of the configuration chosen, " +
		"and corrected for the choice"
	t := &report.Table{Title: fmt.Sprintf(title, o.seeds), Head: []string{"data", "rows", "reported", "true",
		"reported / true", "without the correction", "/ true", "within two standard errors"}}
	for _, name := range o.data {
		x, y, classes, err := promiseData(name)
		if err != nil {
			return nil, err
		}
		for _, n := range promiseSizes {
			if x.Rows < n+100 { // too few rows to score
				continue
			}
			var sums promiseErrors
			for seed := range uint64(o.seeds) {
				if err := sums.add(ctx, x, y, classes, n, seed+1); err != nil {
					return nil, fmt.Errorf("%s, %d rows, seed %d: %w", name, n, seed+1, err)
				}
			}
			count := float64(o.seeds)
			t.Add(name, n, fmt.Sprintf("%.4g", sums.reported/count), fmt.Sprintf("%.4g", sums.truth/count),
				fmt.Sprintf("%.3f", sums.reported/sums.truth), fmt.Sprintf("%.4g", sums.raw/count),
				fmt.Sprintf("%.3f", sums.raw/sums.truth), fmt.Sprintf("%d of %d", sums.within, o.seeds))
			progress(t)
		}
	}
	return t, nil
}

// promiseData returns the rows and targets of a data set, or its classes as numbers.
func promiseData(name string) (x, y blas64.General, classes bool, err error) {
	switch name {
	case "abalone":
		x, y, err = abaloneRings()
		return x, y, false, err
	case "friedman":
		x, y = friedman(5000, 10)
		return x, y, false, nil
	case "noise": // classes independent of the rows
		x, y = datasets.Uniform(5000, 5, 1), matrix.New(5000, 1)
		draws := sketch.NewRandom(1, "classes").At(0)
		for i := range y.Data {
			y.Data[i] = float64(draws.Uint64n(2))
		}
		return x, y, true, nil
	}
	d, err := datasets.ClassedFile{Name: name, First: name == "satimage.scale"}.Read(0)
	if err != nil {
		return x, y, false, err
	}
	y = matrix.New(d.X.Rows, 1)
	for i, label := range d.Labels {
		y.Data[i] = float64(label)
	}
	datasets.Standardise(d.X)
	return d.X, y, true, nil
}

// promiseErrors sums errors over fits.
type promiseErrors struct {
	reported, raw, truth float64
	within               int
}

// add fits n rows and scores others.
func (p *promiseErrors) add(ctx context.Context, x, y blas64.General, classes bool, n int, seed uint64) error {
	kernels, err := kernelgen.ParseAll(metricKernels)
	if err != nil {
		return err
	}
	train, test := split(x.Rows, n, seed)
	known := stream.Column{Floats: dense.PickRows(y, train).Data} // y has one column
	rows, err := stream.Beside(stream.FromMatrix("rows", dense.PickRows(x, train)), []stream.Field{{Name: "known"}}, known)
	if err != nil {
		return err
	}
	d, kind := &ridge.Data{Rows: rows, Targets: []string{"known"}}, model.Value
	if classes {
		d.Targets, kind = nil, model.Class
		if d.Classes, err = ridge.FindClasses(ctx, stream.Engine{}, rows, "known"); err != nil {
			return err
		}
	}
	f, err := ridge.Solver{Kernels: kernels[1:], Seed: seed}.Fit(ctx, stream.Engine{}, d, kernels[0])
	if err != nil {
		return err
	}
	r := model.Request{Outputs: []model.Output{kind}}
	out, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, dense.PickRows(x, test), r)
	if err != nil {
		return err
	}
	wrong, squares := 0.0, 0.0
	for i, v := range out.Data {
		if classes {
			v = d.Classes.Levels.Floats[int(v)]
		}
		if away := v - y.Data[test[i]]; away != 0 {
			wrong += 1 / float64(len(test))
			squares += away * away / float64(len(test))
		}
	}
	truth, raw, reported := wrong, f.Chosen().Misclassified, ridge.Figure{}
	if classes {
		reported = ridge.Figure{Value: 1 - f.Scores.Accuracy, StandardError: f.Scores.StandardError}
	} else {
		truth, raw, reported = math.Sqrt(squares), f.Chosen().RMSE[0], f.RMSE[0]
	}
	p.reported, p.raw, p.truth = p.reported+reported.Value, p.raw+raw, p.truth+truth
	if math.Abs(reported.Value-truth) <= 2*reported.StandardError {
		p.within++
	}
	return nil
}

// split returns n of all rows, and up to 4,000 others.
func split(all, n int, seed uint64) (drawn, others []int) {
	for _, row := range sketch.NewRandom(seed, "rows").Choose(int64(all), min(all, n+4000)) {
		others = append(others, int(row))
	}
	return others[:n], others[n:]
}
