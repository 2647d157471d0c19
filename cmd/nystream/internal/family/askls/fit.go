package askls

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

func (c *task) parse() (err error) {
	if c.settings.Algorithm == askls.AlgorithmAuto && c.job.Set.First("tol", "iterations", "rank", "landmarks", "sums") != "" {
		c.settings.Algorithm = askls.AlgorithmIterative // the only engine that uses them
	}
	if c.input() == "" {
		if c.job.Kernel, err = kernelgen.Parse(c.job.KernelText); err != nil {
			return err
		}
	}
	return nil
}

// solver returns the solver configured by the flags.
func (c *task) solver() askls.Solver {
	m := c.settings
	m.Rank, m.Memory, m.Seed, m.Merge = c.job.Rank, int64(c.job.App.Memory), c.job.App.Seed, c.merge()
	return m
}

// merge returns the way to merge functions: stacked for a graph, where averages decide poorly.
func (c *task) merge() askls.Merge {
	if c.job.Given("graph") && !c.job.Given("merge") {
		return askls.MergeStack
	}
	return c.settings.Merge
}

// plan returns the cost of the fit, and of the pass that measures accuracy.
func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver().Plan(e, c.size(), c.job.Kernel)
	if err != nil {
		return nil, err
	}
	if c.settings.Algorithm != askls.AlgorithmAuto {
		p.Choice = model.Choice{}
	}
	p.SourcePasses++ // over all samples, for scores
	p.Add("labels of all samples", 3*int64(len(c.labels.Labels)), "")
	switch c.input() {
	case saved.GraphInput:
		k := c.job.Graph.Adjacency
		p.Add("graph and its transpose", 3*k.NNZ()+4*int64(k.Rows), "")
		p.Add("ids of the nodes", 8*int64(k.Rows), "")
	case saved.KernelMatrixInput:
		all := int64(len(c.labels.Labels))
		p.Add("matrix of all samples and its transpose", 3*all*all, "")
		p.SetNotShardable("the matrix is loaded whole")
	}
	return p, nil
}

// fit learns, and measures accuracy.
func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver().Fit(ctx, e, c.samples, c.job.Kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	if c.settings.Algorithm != askls.AlgorithmAuto {
		f.Choice = model.Choice{}
	}
	return f.Model, &f.Report, c.measureAccuracy(ctx)
}

// tallies counts right and wrong classes: of the training samples, of the same out of fold, and of the test samples.
type tallies struct{ train, outOfFold, test metrics.Tally }

// measureAccuracy measures accuracy. Cost: one pass over all samples.
func (c *task) measureAccuracy(ctx context.Context) error {
	if c.fitting.HeldOut.Rows > 0 {
		decisions, err := c.fitting.OutOfFold()
		if err != nil {
			return err
		}
		chosen := make([]int, decisions.Rows)
		family.Largest(chosen, decisions)
		c.scores.outOfFold.Add(c.labels.TrainLabels(), chosen)
	}
	if c.job.States.Folder != "" {
		return nil // the rows are on other machines
	}
	of := c.labels.Tallies(&c.scores.train, &c.scores.test)
	var chosen []int
	return c.fitting.Transform(ctx, c.job.App.Engine(), c.all, model.Request{}, func(b *stream.Block, decisions blas64.General) error {
		chosen = append(chosen[:0], make([]int, decisions.Rows)...)
		family.Largest(chosen, decisions)
		for i, class := range chosen {
			row := b.Start + int64(i)
			if tally := of(row); tally != nil {
				tally.Add([]int{c.labels.Labels[row]}, []int{class})
			}
		}
		return nil
	})
}
