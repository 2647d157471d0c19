package main

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// choices of landmarks.
var choices = []lowrank.Rule{lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RulePivoted,
	lowrank.RuleDeterminantal}

// landmarkChoices measures the share of the choice of landmarks in the processor time of a landmark fit, and
// the errors of each choice.
func landmarkChoices(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("Choices of landmarks, means of %d seeds", o.seeds),
		Head: []string{"data", "rows", "rank", "choice", "CPU s of the choice", "of the fit", "share",
			"spectral error", "Frobenius error"},
		Notes: []string{"Errors are the estimates of the fit. uniform20 is 10,000 rows of U[0,1]²⁰."}}
	for _, name := range o.data {
		x, k, err := rbfData(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, rank := range []int{50, 200} {
			for _, choice := range choices {
				f, err := landmarkFits(ctx, x, k, lowrank.Landmark{Rank: rank, Rule: choice}, o.seeds)
				if err != nil {
					return nil, fmt.Errorf("%s, rank %d, %s: %w", name, rank, choice, err)
				}
				share := fmt.Sprintf("%.1f %%", 100*f.choice/f.all)
				t.Add(name, x.Rows, rank, choice, f.choice, f.all, share, f.spectral, f.frobenius)
				progress(t)
			}
		}
	}
	return t, nil
}

// landmarkFigures are means over the seeds; choice and all are processor seconds.
type landmarkFigures struct{ choice, all, spectral, frobenius float64 }

func landmarkFits(ctx context.Context, x blas64.General, k kernelgen.Kernel, m lowrank.Landmark, seeds uint) (
	*landmarkFigures, error) {
	out := &landmarkFigures{}
	for seed := range seeds {
		src := &watchedRows{Gatherer: stream.FromMatrix("rows", x)}
		m.Seed = uint64(seed + 1)
		began := program.CPUTime()
		f, err := m.Fit(ctx, stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			return nil, err
		}
		out.all += (program.CPUTime() - began).Seconds() / float64(seeds)
		if g := src.gathered; len(g) > 1 {
			out.choice += (g[1] - g[0]).Seconds() / float64(seeds)
		}
		out.spectral += f.EstimateIn(lowrank.NormSpectral) / float64(seeds)
		out.frobenius += f.EstimateIn(lowrank.NormFrobenius) / float64(seeds)
	}
	return out, nil
}

// watchedRows records the processor time of each Gather. A fit gathers the candidates first, and then
// the landmarks that it chooses among them.
type watchedRows struct {
	stream.Gatherer
	gathered []time.Duration
}

func (w *watchedRows) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	w.gathered = append(w.gathered, program.CPUTime())
	return w.Gatherer.Gather(ctx, rows, dst)
}
