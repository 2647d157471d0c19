package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
	"github.com/nystream/nystream/stream/sparse"
)

// What the samples of a fit of askls are, how they are read, and which of them it learns
// from.

func (c *asklsTask) input() string {
	switch {
	case c.job.edges.path != "":
		return graphInput
	case len(c.matrix) > 0:
		return kernelMatrixInput
	}
	return "" // rows
}

func (c *asklsTask) inputs() []string {
	if c.input() == graphInput {
		return append(c.job.edges.inputs(), c.labelsFile)
	}
	return append(c.job.inputs(), c.matrix...)
}

func (c *asklsTask) names() []string {
	if c.input() == kernelMatrixInput {
		return []string{"matrix"}
	}
	return c.job.names()
}

// open opens the samples, and reads their labels.
func (c *asklsTask) open(ctx context.Context, args []string) error {
	if c.input() == graphInput {
		return c.openGraph(ctx)
	}
	if c.input() == kernelMatrixInput {
		args = c.matrix
	}
	if err := c.asides.open(ctx, c.job, args); err != nil {
		return err
	}
	if info := c.job.sides.left.Info(); c.input() == kernelMatrixInput && int64(len(info.Columns)) != info.Rows {
		return stream.NewDataError(info.Name, "it is %s×%d: a kernel matrix between samples is square", report.Count(info.Rows), len(info.Columns)).
			Do("choose its columns with --columns")
	}
	return c.readLabels(ctx, c.job.sides.left)
}

// readLabels reads the labels of the rows of src.
func (c *asklsTask) readLabels(ctx context.Context, src stream.Source) error {
	if err := c.asides.readAll(ctx, c.job, src); err != nil {
		return err
	}
	values := c.asides.read["--label"]
	labels, classes, err := values.classes("")
	if err != nil {
		return err
	}
	c.kind = classKind(classes, values.values[0].Kind, values.told)
	c.asides.read = nil
	c.known, err = newKnownLabels(labels, classes, c.fraction, c.job.app.seed)
	return err
}

// openGraph reads a graph, and the labels of its nodes.
func (c *asklsTask) openGraph(ctx context.Context) error {
	nodes, values, err := readNodeLabels(ctx, c.job.app, c.labelsFile, c.job.data.label, c.job.data.Layout)
	if err != nil {
		return err
	}
	labels, classes, err := values.classes("")
	if err != nil {
		return err
	}
	c.kind = classKind(classes, values.values[0].Kind, "")
	if c.job.edges.nodes == "" {
		c.job.edges.listed = nodes
	}
	if c.job.graph, err = readGraph(ctx, c.job.app, c.job.edges.path, &c.job.edges, c.job.edges.recipe(), &c.job.data); err != nil {
		return err
	}
	of, strange := nodeLabels(c.job.graph, nodes, labels)
	if strange != "" {
		return stream.NewDataError(c.labelsFile, "the node %s is none of those of %s", strange, c.job.edges.nodes)
	}
	if c.known, err = newKnownLabels(of, classes, c.fraction, c.job.app.seed); err != nil {
		return err
	}
	return takeMatrix(c, c.job.edges.path, c.job.graph.Adjacency)
}

// takeMatrix makes the samples from a matrix between all of them.
func takeMatrix(c *asklsTask, name string, k *sparse.CSR) (err error) {
	c.all = sparse.NewRows(name, k, nil)
	c.samples, err = askls.Graph(name, k, c.known.train, c.known.trainLabels(), len(c.known.classes))
	return fromData(err)
}

// prepare treats nulls, scales the columns and makes the samples. Statistics of the columns are
// those of the training rows.
func (c *asklsTask) prepare(ctx context.Context) error {
	switch c.input() {
	case graphInput:
		return nil
	case kernelMatrixInput:
		return prepareKernelMatrix(ctx, c)
	}
	if err := c.prepareRows(ctx); err != nil {
		return err
	}
	c.all = c.job.sides.prepared.left
	rows := c.all
	if c.known.train != nil {
		rows = stream.Select(c.all, c.known.train)
	}
	var err error
	c.samples, err = askls.Samples(rows, c.known.trainLabels(), len(c.known.classes))
	return fromData(err)
}

// prepareRows prepares all rows by the statistics of the training rows. If rows were dropped, it reads
// the labels again.
func (c *asklsTask) prepareRows(ctx context.Context) error {
	if c.known.train == nil {
		if err := c.job.prepare(ctx); err != nil || c.job.sides.prepared.dropped() == 0 {
			return err
		}
		return c.readLabels(ctx, c.job.sides.prepared.left)
	}
	part, err := prepare.New(ctx, c.job.passEngine(), stream.Select(c.job.sides.left, c.known.train), c.job.rows.Treatment)
	if err != nil {
		return err
	}
	c.job.sides.prepared.left, err = part.Preparation.Apply(ctx, c.job.passEngine(), c.job.sides.left)
	return err
}

// prepareKernelMatrix reads a kernel matrix.
func prepareKernelMatrix(ctx context.Context, c *asklsTask) error {
	c.job.scans = allPasses(c.job) // what comes now loads the matrix
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	k, err := sparse.ReadCSR(ctx, c.job.sides.prepared.left)
	if err != nil {
		return err
	}
	return takeMatrix(c, c.job.sides.left.Info().Name, k)
}

func (c *asklsTask) openNotes() []string {
	return append(c.job.openNotes(), c.known.notes(c.unit())...)
}

// unit returns the word for samples in reports.
func (c *asklsTask) unit() string {
	switch c.input() {
	case graphInput:
		return "nodes"
	case kernelMatrixInput:
		return "samples"
	}
	return "rows"
}

// shape returns the shape of the training samples.
func (c *asklsTask) shape() model.Shape {
	if c.samples != nil && c.input() != "" {
		return c.samples.Shape()
	}
	s := c.job.shape()
	s.Classes = len(c.known.classes)
	if c.known.train != nil {
		s.Rows = int64(len(c.known.train))
	}
	if c.input() == kernelMatrixInput { // before it is read; all entries may be other than 0
		s.Columns, s.Sparse = 0, &model.Sparsity{Entries: s.Rows * s.Rows, Explicit: true}
	}
	return s
}

func (c *asklsTask) rowsData() rowsData {
	d := rowsData{Input: c.input()}
	switch c.input() {
	case graphInput:
		d.Graph = &graphData{graphRecipe: c.job.edges.recipe(), Names: c.job.graph.Names}
	case kernelMatrixInput:
		d.Nulls, d.IndexBase = c.job.sides.prepared.left.Preparation.Nulls.String(), c.job.sides.indexBase()
	default:
		d = c.job.rowsData()
	}
	d.Known, d.Classes, d.ClassKind = c.asides.words(), c.known.classes, c.kind
	return d
}

func (c *asklsTask) title() string {
	s, of := c.shape(), "" // s.Rows are those to learn from
	if all := int64(len(c.known.labels)); all > s.Rows {
		of = " of " + report.Count(all)
	}
	kernel := ""
	if c.input() == "" {
		kernel = ", " + c.job.kernel.String()
	}
	return fmt.Sprintf("askls model of %s%s %s, %d classes%s", report.Count(s.Rows), of, c.unit(), len(c.known.classes), kernel)
}
