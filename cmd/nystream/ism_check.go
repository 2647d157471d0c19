package main

import (
	"context"
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
)

// check refuses command lines that contradict themselves.
func (c *ismCommand) check(args []string) error {
	t, p := &c.task, c.task.paradigmOf()
	label := c.data.label != ""
	clustering := p != ism.Supervised
	if err := refuse([]contradiction{
		{len(args) == 0, "no data: name files, quoted globs, folders, or - for the standard input"},
		{c.changed("keep"), "--keep carries nothing along here: use it with nystream transform"},
		{p == ism.Supervised && !label && t.target == "", "--label is missing: the column of the classes, such as --label class; or --target for real numbers; or another --paradigm"},
		{label && t.target != "", "--label and --target: W is made for one of them; leave the other out"},
		{clustering && t.target != "", "--target is for --paradigm supervised"},
		{p != ism.SemiSupervised && t.scores != "", "--scores is for --paradigm semisupervised"},
		{p == ism.SemiSupervised && t.scores == "", "--scores is missing: columns or a file of numbers, such as --scores s.npy"},
		{p != ism.Alternative && t.given != "", "--given-label is for --paradigm alternative"},
		{p == ism.Alternative && t.given == "", "--given-label is missing: the column of the classes to differ from"},
		{c.changed("mu") && p != ism.SemiSupervised && p != ism.Alternative, "--mu is for --paradigm semisupervised and alternative"},
		{t.relative && p != ism.SemiSupervised && p != ism.Alternative, "--relative is for --paradigm semisupervised and alternative"},
		{!(t.mu > 0 && t.mu <= math.MaxFloat64), "--mu must be above 0, such as 1"},
		{!clustering && c.changed("clusters"), "--clusters is for the paradigms that look for clusters: unsupervised, semisupervised, alternative"},
		{!clustering && c.clusters != "", "--clusters-output is for the paradigms that look for clusters: unsupervised, semisupervised, alternative"},
		{clustering && !c.changed("clusters") && !label, "--clusters is missing: how many there are, such as --clusters 3"},
		{c.changed("clusters") && t.clusters < 2, "--clusters must be at least 2"},
		{c.changed("target-kernel") && t.target == "", "--target-kernel goes with --target"},
		{t.target != "" && !c.changed("dim"), "--dim is missing: how many columns W shall have, such as --dim 2"},
		{c.changed("dim") && c.dim < 1, "--dim must be at least 1"},
		{!(c.tolerance > 0 && c.tolerance < 1), "--tol must be above 0 and below 1, such as 0.01"},
		{!(c.angle > 0 && c.angle <= math.Pi/2), "--angle must be above 0 and at most π/2, such as 0.01"},
		{c.iterations < 1, "--iterations must be at least 1"},
		{c.landmarks < 1, "--landmarks must be at least 1"},
		{c.changed("landmarks") && c.with.value == ism.EngineExact.String(), "--landmarks is for --engine linear"},
		{c.output == "" && !c.planning, "-o is missing: the model file, such as -o model.npz"},
	}); err != nil {
		return err
	}
	if err := c.data.check(); err != nil {
		return err
	}
	return c.checkOutputs(args)
}

// checkOutputs refuses outputs that could not be written.
func (c *ismCommand) checkOutputs(inputs []string) error {
	inputs = slices.Clone(inputs)
	for _, s := range c.asides() {
		if s.file != "" {
			inputs = append(inputs, s.file)
		}
	}
	named := []string{}
	for _, f := range []struct {
		flag, path string
		extensions []string
	}{{"-o", c.output, modelExtensions}, {"--clusters-output", c.clusters, outputExtensions}, {"--plot", c.plot, plotExtensions}} {
		if f.path == "" {
			continue
		}
		if err := checkOutput(f.flag, f.path, f.extensions, inputs); err != nil {
			return err
		}
		named = append(named, f.path)
	}
	return checkDistinct(named...)
}

// asides are the flags that say something of each row, in a fixed order.
func (c *ismCommand) asides() (list []aside) {
	for _, f := range []struct{ flag, value string }{{"--label", c.data.label}, {"--target", c.task.target}, {"--scores", c.task.scores}, {"--given-label", c.task.given}} {
		if f.value != "" {
			list = append(list, newAside(f.flag, f.value))
		}
	}
	return list
}

// newJob parses what the flags say.
func (c *ismCommand) newJob(ctx context.Context, args []string) (*ismJob, error) {
	text, weights := ism.CutWeights(c.kernel) // so older versions had them
	if c.changed("weights") || weights == ism.Given {
		weights, _ = ism.ParseWeights(c.weights.value)
	}
	k, err := kernelgen.Parse(text)
	if err != nil {
		return nil, &usageError{err}
	}
	j := &ismJob{cmd: c, kernel: k, weights: weights}
	if j.targets, err = kernelgen.Parse(c.task.targetKernel); err == nil {
		err = j.targets.CheckPlain()
	}
	if err != nil {
		return nil, usagef("--target-kernel: %w", err)
	}
	return j, j.choose(ctx, args)
}
