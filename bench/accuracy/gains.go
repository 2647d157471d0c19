package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// gains compares the out-of-fold errors of fit ridge with twice the landmarks with their predictions.
func gains(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: "Share of the squared error out of fold that twice the landmarks of fit ridge remove",
		Head:  []string{"data", "landmarks", "removed by the last doubling", "predicted", "measured", "error with ℓ", "with 2ℓ"},
		Notes: []string{fmt.Sprintf("kernel matern32(length=2*median); up to %d rows; errors relative to that of the mean.", landmarkRows)}}
	k, err := kernelgen.Parse("matern32(length=2*median)")
	if err != nil {
		return nil, err
	}
	var off []float64
	for _, name := range o.data {
		x, y, classes, err := promiseData(name)
		if err != nil {
			return nil, err
		}
		n := min(x.Rows, landmarkRows)
		d, err := knownData(ctx, matrix.Rows(x, 0, n), matrix.Rows(y, 0, n), classes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for seed := range uint64(o.seeds) {
			var fits []*ridge.Fit
			for _, count := range []int{250, 500, 1000} {
				f, err := ridge.Solver{Landmarks: count, Seed: seed + 1}.Fit(ctx, stream.Engine{}, d, k)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				if fits = append(fits, f); len(fits) < 2 {
					continue
				}
				less, more := fits[len(fits)-2].Report, f.ByLandmarks
				next, known := less.NextError()
				if !known {
					return nil, fmt.Errorf("%s: no errors of fewer landmarks", name)
				}
				half, own, twice := less.ByLandmarks[1].Error, less.ByLandmarks[2], more[len(more)-1].Error
				predicted, measured := errorGain(own.Error, next.Error), errorGain(own.Error, twice)
				off = append(off, math.Abs(predicted-measured))
				t.Add(name, own.Landmarks, fmt.Sprintf("%.3f", errorGain(half, own.Error)), fmt.Sprintf("%.3f", predicted),
					fmt.Sprintf("%.3f", measured), fmt.Sprintf("%.3f", own.Error), fmt.Sprintf("%.3f", twice))
				progress(t)
			}
		}
	}
	slices.Sort(off)
	t.Notes = append(t.Notes, fmt.Sprintf("predicted less measured: %.3f in the median, %.3f at most, of %d.",
		off[len(off)/2], off[len(off)-1], len(off)))
	return t, nil
}
