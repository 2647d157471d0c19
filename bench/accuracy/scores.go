package main

import (
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// scores compares out-of-fold scores of classifiers on a sample of the rows with those of all rows.
func scores(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("Out-of-fold scores on %d rows beside those on all, 300 landmarks",
		ridge.ErrorSample),
		Head: []string{"data", "rows", "seed", "accuracy ± standard error", "on all rows", "standard errors apart",
			"macro F1", "on all", "log loss", "on all"}}
	file := datasets.ClassedFile{Name: "a9a", First: true}
	data, err := file.Read(0)
	if err != nil {
		return nil, err
	}
	labels := stream.Column{Kind: stream.Int64}
	for _, l := range data.Labels {
		labels.Ints = append(labels.Ints, int64(l))
	}
	rows, err := stream.Beside(stream.FromMatrix(file.Name, data.X), []stream.Field{{Name: "label"}}, labels)
	if err != nil {
		return nil, err
	}
	classes, err := ridge.FindClasses(ctx, stream.Engine{}, rows, "label")
	if err != nil {
		return nil, err
	}
	d := &ridge.Data{Rows: rows, Classes: classes}
	for seed := range uint64(o.seeds) {
		var of [2]*ridge.Scores
		for i, scored := range []int{0, ridge.AllRows} {
			s := ridge.Solver{Landmarks: 300, Seed: seed + 1, ScoreRows: scored}
			f, err := s.Fit(ctx, stream.Engine{}, d, kernelgen.RBF(0.05))
			if err != nil {
				return nil, err
			}
			of[i] = f.Scores
		}
		sample, whole := of[0], of[1]
		apart := math.Abs(sample.Accuracy-whole.Accuracy) / sample.StandardError
		t.Add(file.Name, data.X.Rows, seed+1, fmt.Sprintf("%.4f ± %.4f", sample.Accuracy, sample.StandardError),
			fmt.Sprintf("%.4f", whole.Accuracy), fmt.Sprintf("%.2f", apart),
			fmt.Sprintf("%.4f", sample.MacroF1), fmt.Sprintf("%.4f", whole.MacroF1),
			fmt.Sprintf("%.4f", sample.LogLoss), fmt.Sprintf("%.4f", whole.LogLoss))
		progress(t)
	}
	return t, nil
}
