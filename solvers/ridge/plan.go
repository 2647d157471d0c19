package ridge

import (
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Plan returns the cost of a fit.
func (s Solver) Plan(e stream.Engine, shape model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if s.Landmarks == AutoLandmarks {
		return s.planAuto(e, shape, k)
	}
	f, err := s.begin(e, shape, s.kernels(k))
	if err != nil {
		return nil, err
	}
	p := model.NewPlan(e, shape.Rows, shape.Columns)
	landmarks, kernels := int64(f.most(shape.Rows)), int64(len(f.candidates))
	rows, d := max(0, shape.Rows), int64(shape.Columns)
	sample, scales := min(rows, int64(s.scoreRows())), min(landmarks, scaleLandmarks)
	left := sample // rows of the sample that are held out
	if f.folds.tested == 1 {
		left /= int64(f.folds.share)
	}
	pool := f.poolRows(shape.Weighted)
	if n := int64(f.racing(pool, int(landmarks))); n > 0 {
		f.planRace(p, e, shape, n)
		if !shape.Weighted { // without rows of weight 0 there may be too few for a race
			kernels = mostFinal
		}
	}
	f.planFolds(p, e, shape, landmarks, kernels)
	if s.Folds == 0 && landmarks > heldOutFrom { // all may be independent
		if f.folds, err = s.folding(heldOutFrom); err != nil {
			return nil, err
		}
		f.planFolds(p, e, shape, heldOutFrom, kernels)
	}
	if err := s.planMetric(p, e, shape, k); err != nil {
		return nil, err
	}
	p.Add("landmarks and their kernels", landmarks*d+2*kernels*landmarks*(d+2*landmarks), "`Landmarks`")
	held := pool * d
	if left < pool { // the pool is released before the pass allocates its blocks
		var blocks stream.Budget
		e.PassBudget(&blocks, shape.Rows, shape.Columns)
		held = max(left*d, (pool+left)*d-blocks.Total()/8)
	}
	numbers, targets := held+sample*(4*int64(f.outputs)+8), int64(shape.Targets)
	tried, predicted := int64(max(maxTried, len(s.Penalties))), int64(1) // predictions of the sample
	if corrected := s.corrects(shape.Rows); corrected || shape.Classes > 0 && !s.forMetric {
		predicted = kernels + 1
		numbers += 2 * tried * (sample*int64(f.outputs+1) + int64(f.folds.parts)*(landmarks+1)*int64(f.outputs)) // of two kernels
		if corrected {
			numbers += (kernels*tried + 3) * sample * (2 + max(1, targets))
		}
	}
	p.AddEntries(float64(predicted) * float64(left) * float64(landmarks))
	if targets > 0 && !s.forMetric {
		numbers += sample * (2*(scales+1) + 5*targets)
		p.AddEntries(float64(scales * (scales + 2*left)))
	}
	p.Add("scoring sample and its out-of-fold predictions", numbers, "`ScoreRows`")
	if shape.Weighted {
		p.Add("rows that landmarks are drawn from", 2*(pool-sample)*(int64(f.outputs)+4), "`Landmarks`")
	}
	if s.Std {
		p.Add("model of standard deviations", 2*landmarks*landmarks, "`Landmarks`")
	}
	p.AddEntries(float64(kernels) * float64(landmarks) * float64(rows+landmarks))
	p.SourcePasses, p.SharedPasses = 1+samplingPasses(shape.Weighted, s.kernels(k)), []string{"fit"}
	if s.ScoreRows == AllRows {
		p.Fold("scores", rows, shape.Columns, int64(scoreNumbers(shape.Classes)), "")
		p.AddEntries(float64(landmarks) * float64(rows))
		p.SourcePasses++
		p.SharedPasses = append(p.SharedPasses, "scores")
	}
	return p, nil
}

// planRace adds the cost of a race of all kernels with the given number of landmarks.
func (f *fit) planRace(p *model.Plan, e stream.Engine, shape model.Size, landmarks int64) {
	pool, kernels, d := f.poolRows(shape.Weighted), int64(len(f.candidates)), int64(shape.Columns)
	e, shape.Rows = stream.Engine{Threads: e.Threads}, pool
	race := model.NewPlan(e, pool, shape.Columns)
	f.planFolds(race, e, shape, landmarks, kernels)
	race.Add("landmarks of the race and their kernels", landmarks*d+2*kernels*landmarks*(d+2*landmarks), "`Landmarks`")
	race.Add("losses of the race", pool*(2*kernels+d+int64(f.outputs)), "`ScoreRows`")
	race.StateBytes = 0
	p.Stage(race)
	p.AddEntries(float64(kernels) * float64(landmarks) * float64(2*pool+landmarks))
}

// planFolds adds the memory of the pass and of the equations.
func (f *fit) planFolds(p *model.Plan, e stream.Engine, shape model.Size, landmarks, kernels int64) {
	width, parts := landmarks+1+int64(f.outputs), int64(f.folds.parts)
	rows, workers := max(0, shape.Rows), int64(e.Workers())
	pass := model.NewPlan(e, shape.Rows, shape.Columns)
	sums := kernels * parts * width * (width + 1) / 2
	pass.FoldWide("Gram matrices of the folds", rows, sums, "`Landmarks`")
	blocks := e.WideBlocks(rows, shape.Columns)
	pass.Add("blocks of features", (blocks*kernels+2*workers)*tilesize.WideRows*width, "`Landmarks`")
	solve := model.NewPlan(e, shape.Rows, shape.Columns)
	solve.Add("Gram matrices of the folds", (parts+2+min(workers, int64(f.folds.tested)))*width*width, "`Landmarks`")
	if kernels > 1 {
		solve.Add("Gram matrices of the other kernels", sums+parts*width*width, "`Landmarks`")
	}
	p.Stage(pass)
	p.Stage(solve)
}

// samplingPasses returns the number of passes that sample rows for kernels with words: see [input.DrawWeighted].
func samplingPasses(weighted bool, kernels []kernelgen.Kernel) int {
	words := slices.ContainsFunc(kernels, func(k kernelgen.Kernel) bool { return !k.Resolved() })
	if weighted && words {
		return 2
	}
	return 0
}

// planMetric adds the cost of the search for a metric, and of its product.
func (s Solver) planMetric(p *model.Plan, e stream.Engine, shape model.Size, k kernelgen.Kernel) error {
	if s.Metric == NoMetric {
		return nil
	}
	d, size := int64(shape.Columns), int64(shape.Columns)
	if s.Metric == FullMetric {
		size *= d
	}
	sample := min(max(0, shape.Rows), metricRows)
	shape.Rows = sample
	search, err := s.inner().Plan(stream.Engine{Threads: e.Threads}, shape, k)
	if err != nil {
		return err
	}
	landmarks := min(int64(s.inner().Landmarks), shape.Rows)
	search.KernelEntries *= metricRounds + 1
	search.AddEntries(float64(2*metricRounds*landmarks) * float64(min(sample, gradientRows)))
	search.Add("sample that the metric is learnt from", 2*sample*d, "")
	gradients := landmarks*(d+3) + gradientPanel*d*int64(outputs(shape)) // of one worker
	search.Add("gradients", 4*size+int64(e.Workers())*gradients, "`Metric diagonal`")
	search.StateBytes = 0
	p.Stage(search)
	p.Add("metric", size+2*int64(e.Workers())*(tilesize.PanelRows+mapRows)*d, "")
	return nil
}
