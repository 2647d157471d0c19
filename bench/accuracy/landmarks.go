package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// landmarkSets are the data of the table of landmarks.
var landmarkSets = []string{"satimage", "abalone", "letter", "a9a", "mnist", "spambase", "uniform", "clusters"}

const (
	landmarkRows = 10_000 // limit of the rows of a set
	verifiedRows = 2_000  // number of rows on which errors are measured
)

// rankLandmarks are the numbers of landmarks tried for each rank.
var rankLandmarks = []struct {
	rank      int
	landmarks []int
}{{20, []int{80, 160}}, {100, []int{200, 400, 800}}, {200, []int{400, 600, 800}}, {500, []int{1000, 1200, 2000}}}

// coreShares are the numbers of core points tried, divided by the landmarks.
var coreShares = []float64{1, 2.5, 5, 10}

// landmarks measures errors and CPU time of fit landmark by landmarks and core points.
func landmarks(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("Landmarks and core points: Frobenius error, spectral error, CPU seconds; %d seeds", o.seeds),
		Head: []string{"data", "rank", "landmarks"},
		Notes: []string{fmt.Sprintf("kernel rbf(sigma=median); up to %d rows; errors are those among %d sampled rows, means of the seeds.",
			landmarkRows, verifiedRows)}}
	for _, share := range coreShares {
		t.Head = append(t.Head, fmt.Sprintf("core %gℓ", share))
	}
	for _, name := range o.data {
		x, err := landmarkData(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range rankLandmarks {
			for _, count := range r.landmarks {
				row := []string{name, fmt.Sprint(r.rank), fmt.Sprint(count)}
				for _, share := range coreShares {
					m := lowrank.Landmark{Rank: r.rank, Landmarks: count, Core: int(share * float64(count))}
					cell, err := landmarkCell(ctx, m, x, o.seeds)
					if err != nil {
						return nil, fmt.Errorf("%s, rank %d: %w", name, r.rank, err)
					}
					row = append(row, cell)
				}
				t.Rows = append(t.Rows, row)
				progress(t)
			}
		}
	}
	return t, nil
}

// landmarkCell returns the mean errors of fits, in both norms, and their mean CPU time.
func landmarkCell(ctx context.Context, m lowrank.Landmark, x blas64.General, seeds uint) (string, error) {
	d, n := model.Sources{Left: stream.FromMatrix("rows", x)}, float64(seeds)
	var frobenius, spectral, seconds float64
	for m.Seed = 1; m.Seed <= uint64(seeds); m.Seed++ {
		before := program.CPUTime()
		f, err := landmarkFit(ctx, m, x)
		if err != nil {
			return "", err
		}
		seconds += (program.CPUTime() - before).Seconds() / n
		v, err := f.Verify(ctx, stream.Engine{}, d, verifiedRows, 7)
		if err != nil {
			return "", err
		}
		frobenius, spectral = frobenius+v.FrobeniusError/n, spectral+v.SpectralError/n
	}
	return fmt.Sprintf("%.2g %.2g %.2g", frobenius, spectral, seconds), nil
}

// landmarkData returns the first rows of a set.
func landmarkData(ctx context.Context, name string) (x blas64.General, err error) {
	switch name {
	case "uniform":
		x = datasets.Uniform(landmarkRows, 6, 7)
	case "clusters":
		x = clusteredRows()
	case "mnist":
		x, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), "mnist_t10k.npy"))
	case "spambase":
		x, _, err = datasets.ClassedFile{Name: "spambase.data"}.Rows(0, nil)
		if err == nil {
			datasets.Standardise(x)
		}
	default:
		x, err = datasets.Load(ctx, name)
	}
	if err == nil && x.Rows > landmarkRows {
		x = matrix.Rows(x, 0, landmarkRows)
	}
	return x, err
}

// clusteredRows returns rows of 20 columns around 50 centres with different widths.
func clusteredRows() blas64.General {
	const d, centres = 20, 50
	centre, x := datasets.Uniform(centres, d, 8), datasets.Uniform(landmarkRows, d, 9)
	for i := range x.Rows {
		c := i * i % centres
		width := float64(1+c%10) / 20
		for j, v := range matrix.Row(x, i) {
			matrix.Row(x, i)[j] = matrix.Row(centre, c)[j] + width*(v-0.5)
		}
	}
	return x
}

// doublingLandmarks are the initial landmarks of each rank in the table of doublings.
var doublingLandmarks = []struct{ rank, landmarks int }{{20, 80}, {20, 160}, {100, 400}, {100, 800}}

// doubling compares the errors with twice the landmarks with their predictions.
func doubling(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: "Share of the squared error that twice the landmarks remove",
		Head:  []string{"data", "rank", "landmarks", "removed by the last doubling", "predicted", "measured", "error with ℓ", "with 2ℓ"},
		Notes: []string{fmt.Sprintf("kernel rbf(sigma=median); up to %d rows; Frobenius errors of held-back rows.", landmarkRows)}}
	var off []float64
	for _, name := range o.data {
		x, err := landmarkData(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, at := range doublingLandmarks {
			for seed := uint64(1); seed <= uint64(o.seeds); seed++ {
				m := lowrank.Landmark{Rank: at.rank, Landmarks: at.landmarks, Seed: seed}
				less, err := landmarkFit(ctx, m, x)
				if err != nil {
					return nil, fmt.Errorf("%s, rank %d: %w", name, m.Rank, err)
				}
				m.Landmarks *= 2
				more, err := landmarkFit(ctx, m, x)
				if err != nil {
					return nil, fmt.Errorf("%s, rank %d: %w", name, m.Rank, err)
				}
				next, known := less.NextError()
				if !known {
					return nil, fmt.Errorf("%s, rank %d: no errors of fewer landmarks", name, m.Rank)
				}
				second := less.ByLandmarks[len(less.ByLandmarks)-2].Error
				a, b := less.EstimateIn(lowrank.NormFrobenius), more.EstimateIn(lowrank.NormFrobenius)
				predicted, measured := errorGain(a, next.Error), errorGain(a, b)
				off = append(off, math.Abs(predicted-measured))
				t.Add(name, m.Rank, at.landmarks, fmt.Sprintf("%.3f", errorGain(second, a)),
					fmt.Sprintf("%.3f", predicted), fmt.Sprintf("%.3f", measured), fmt.Sprintf("%.2g", a), fmt.Sprintf("%.2g", b))
				progress(t)
			}
		}
	}
	slices.Sort(off)
	t.Notes = append(t.Notes, fmt.Sprintf("predicted less measured: %.3f in the median, %.3f for the worst tenth, of %d.",
		off[len(off)/2], off[len(off)*9/10], len(off)))
	return t, nil
}

// errorGain returns the fraction of the squared error that is removed.
func errorGain(before, after float64) float64 { return 1 - after*after/(before*before) }

// landmarkFit fits rows with the kernel of the tables.
func landmarkFit(ctx context.Context, m lowrank.Landmark, x blas64.General) (*lowrank.Fit, error) {
	k, err := kernelgen.Parse("rbf(sigma=median)")
	if err != nil {
		return nil, err
	}
	return m.Fit(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix("rows", x)}, k)
}
