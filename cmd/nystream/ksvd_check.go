package main

import (
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
)

// The flags that only some input or method has a use for.
var (
	nystromFlags = []string{"sample", "tol", "sums", "landmarks", "scaling"}
	graphOnly    = []string{"nodes", "weight", "self-loops", "degrees", "undirected", "simple"}
	rowsOnly     = []string{"label", "keep", "input-format", "spool", "spool-dir", "nulls", "scale", "compat"}
)

// given is the first of some flags that was given, or "".
func (c *ksvdCommand) given(flags []string) string {
	for _, name := range flags {
		if c.changed(name) {
			return name
		}
	}
	return ""
}

// check refuses command lines that contradict themselves.
func (c *ksvdCommand) check(args []string) error {
	graph, method := c.graph.path != "", c.method.value
	sampled, onGraph, onRows := c.given(nystromFlags), c.given(graphOnly), c.given(rowsOnly)
	if err := refuse([]contradiction{
		{len(args) == 0 && !graph, "no data: name files, quoted globs, folders, - for the standard input, or a graph with --graph edges.csv"},
		{len(args) > 0 && graph, "--graph names the data: leave out DATA, or leave out --graph"},
		{len(c.right) > 0 && graph, "--right: a graph has both sides; leave it out"},
		{graph && onRows != "", "--" + onRows + " is for rows of DATA: leave it out with --graph"},
		{!graph && onGraph != "", "--" + onGraph + " goes with --graph"},
		{graph && len(c.data.columns) != 0 && len(c.data.columns) != 2, "--columns of a graph are two: those of the source and the target of an edge, such as --columns src,dst"},
		{c.changed("compat") && len(c.right) > 0, "--compat is for the rows and columns of one matrix: leave it out with --right"},
		{slices.Contains(args, "-") && slices.Contains(c.right, "-"), "the standard input can serve only one side: name files for DATA or for --right"},
		{c.kernel == "", "--kernel is missing, such as --kernel 'sne(gamma=2)'"},
		{!c.changed("rank"), "--rank is missing: how many columns U and V shall have, such as --rank 20"},
		{c.rank < 1, "--rank must be at least 1"},
		{sampled != "" && (method == "exact" || method == "ssrsvd"), "--" + sampled + " is for --method nystrom"},
		{method == "ssrsvd" && c.centre, "--center is not for --method ssrsvd, whose pass has no sums over the other side: use nystrom or exact"},
		{method == "ssrsvd" && graph, "--method ssrsvd is for dense rows: use nystrom or exact for a graph"},
		{c.changed("tol") && !(c.tolerance > 0 && c.tolerance < 2), "--tol must be above 0 and below 2, such as 0.01"},
		{!c.goodSample(), "--sample takes one number for rows and columns, or two, each at least the rank: --sample 400 or --sample 400,200"},
		{c.output == "" && !c.planning, "-o is missing: the model file, such as -o model.npz"},
	}); err != nil {
		return err
	}
	if err := c.data.check(); err != nil {
		return err
	}
	return c.checkOutputs(append(append(args[:len(args):len(args)], c.right...), c.graph.inputs()...))
}

func (c *ksvdCommand) goodSample() bool {
	if !c.changed("sample") {
		return true
	}
	return len(c.sample) > 0 && len(c.sample) <= 2 && slices.Min(c.sample) >= c.rank && slices.Max(c.sample) <= math.MaxInt32
}

// checkOutputs refuses outputs that could not be written.
func (c *ksvdCommand) checkOutputs(inputs []string) error {
	if c.output != "" {
		if err := checkOutput("-o", c.output, modelExtensions, inputs); err != nil {
			return err
		}
	}
	named := []string{}
	for _, f := range []struct{ flag, path string }{{"--left-factors", c.left}, {"--right-factors", c.other}} {
		if f.path == "" {
			continue
		}
		if err := checkOutput(f.flag, f.path, outputExtensions, inputs); err != nil {
			return err
		}
		named = append(named, f.path)
	}
	return checkDistinct(named...)
}

// newJob parses what the flags say.
func (c *ksvdCommand) newJob() (*ksvdJob, error) {
	k, err := kernelgen.Parse(c.kernel)
	if err != nil {
		return nil, &usageError{err}
	}
	if !k.Symmetric() && c.method.value == "ssrsvd" {
		return nil, usagef("--kernel %s is not a symmetric function of two rows, which --method ssrsvd asks for: use nystrom or exact", k)
	}
	return &ksvdJob{cmd: c, kernel: k}, nil
}
