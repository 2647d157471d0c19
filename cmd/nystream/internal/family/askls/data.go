package askls

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
	"github.com/nystream/nystream/stream/sparse"
)

// The samples of an askls fit: how they are read, and which of them are used for training.

func (c *task) input() string {
	switch {
	case c.job.Edges.Path != "":
		return saved.GraphInput
	case len(c.matrix) > 0:
		return saved.KernelMatrixInput
	}
	return "" // rows
}

func (c *task) inputs() []string {
	if c.input() == saved.GraphInput {
		return append(c.job.Edges.Inputs(), c.labelsFile)
	}
	return append(c.job.Inputs(), c.matrix...)
}

func (c *task) names() []string {
	if c.input() == saved.KernelMatrixInput {
		return []string{"matrix"}
	}
	return c.job.Names()
}

// open opens the samples, and reads their labels.
func (c *task) open(ctx context.Context, args []string) error {
	if c.input() == saved.GraphInput {
		return c.openGraph(ctx)
	}
	if c.input() == saved.KernelMatrixInput {
		args = c.matrix
	}
	if err := c.annotations.Open(ctx, c.job, args); err != nil {
		return err
	}
	if info := c.job.Sides.Left.Info(); c.input() == saved.KernelMatrixInput && int64(len(info.Columns)) != info.Rows {
		return stream.NewDataError(info.Name, "it is %s×%d: a kernel matrix between samples is square", report.Count(info.Rows), len(info.Columns)).
			WithRemedy("choose its columns with --columns")
	}
	return c.readLabels(ctx, c.job.Sides.Left)
}

// readLabels reads the labels of the rows of src.
func (c *task) readLabels(ctx context.Context, src stream.Source) error {
	if err := c.annotations.ReadAll(ctx, c.job, src); err != nil {
		return err
	}
	values := c.annotations.Read["--label"]
	labels, classes, err := values.Classes("")
	if err != nil {
		return err
	}
	c.kind = rows.ClassKind(classes, values.Values[0].Kind, values.DeclaredKind)
	c.annotations.Read = nil
	c.labels, err = rows.NewKnownLabels(labels, classes, c.fraction, c.job.App.Seed)
	return err
}

// openGraph reads a graph and the labels of its nodes.
func (c *task) openGraph(ctx context.Context) error {
	nodes, values, err := rows.ReadNodeLabels(ctx, c.job.App, c.labelsFile, c.job.Data.Label, c.job.Data.Layout)
	if err != nil {
		return err
	}
	labels, classes, err := values.Classes("")
	if err != nil {
		return err
	}
	c.kind = rows.ClassKind(classes, values.Values[0].Kind, "")
	if c.job.Edges.Nodes == "" {
		c.job.Edges.Listed = nodes
	}
	if c.job.Graph, err = rows.ReadGraph(ctx, c.job.App, c.job.Edges.Path, &c.job.Edges, c.job.Edges.Recipe(), &c.job.Data); err != nil {
		return err
	}
	nodeLabels, unknown := rows.NodeLabels(c.job.Graph, nodes, labels)
	if unknown != "" {
		return stream.NewDataError(c.labelsFile, "the node %s is not in %s", unknown, c.job.Edges.Nodes)
	}
	if c.labels, err = rows.NewKnownLabels(nodeLabels, classes, c.fraction, c.job.App.Seed); err != nil {
		return err
	}
	return useMatrix(c, c.job.Edges.Path, c.job.Graph.Adjacency)
}

// useMatrix makes the samples from a matrix between all of them.
func useMatrix(c *task, name string, k *sparse.CSR) (err error) {
	c.all = sparse.NewRows(name, k, nil)
	c.samples, err = askls.Graph(name, k, c.labels.Train, c.labels.TrainLabels(), len(c.labels.Classes))
	return app.FromData(err)
}

// prepare handles nulls, scales the columns and makes the samples. Statistics of the columns are those of the training
// rows.
func (c *task) prepare(ctx context.Context) error {
	switch c.input() {
	case saved.GraphInput:
		return nil
	case saved.KernelMatrixInput:
		return prepareKernelMatrix(ctx, c)
	}
	if err := c.prepareRows(ctx); err != nil {
		return err
	}
	c.all = c.job.Sides.Prepared.Left
	rows := c.all
	if c.labels.Train != nil {
		rows = stream.Select(c.all, c.labels.Train)
	}
	var err error
	c.samples, err = askls.Samples(rows, c.labels.TrainLabels(), len(c.labels.Classes))
	return app.FromData(err)
}

// prepareRows prepares all rows with the statistics of the training rows. If rows were dropped, it reads the labels
// again.
func (c *task) prepareRows(ctx context.Context) error {
	if c.labels.Train == nil {
		if err := c.job.Prepare(ctx); err != nil || c.job.Sides.Prepared.Dropped() == 0 {
			return err
		}
		return c.readLabels(ctx, c.job.Sides.Prepared.Left)
	}
	part, err := prepare.New(ctx, c.job.PassEngine(), stream.Select(c.job.Sides.Left, c.labels.Train), c.job.Rows.Treatment)
	if err != nil {
		return err
	}
	c.job.Sides.Prepared.Left, err = part.Preparation.Apply(ctx, c.job.PassEngine(), c.job.Sides.Left)
	return err
}

// prepareKernelMatrix reads a kernel matrix.
func prepareKernelMatrix(ctx context.Context, c *task) error {
	c.job.Scans = fit.AllPasses(c.job) // the next pass loads the matrix
	if err := c.job.Prepare(ctx); err != nil {
		return err
	}
	k, err := sparse.ReadCSR(ctx, c.job.Sides.Prepared.Left)
	if err != nil {
		return err
	}
	return useMatrix(c, c.job.Sides.Left.Info().Name, k)
}

func (c *task) openNotes() []string {
	return append(c.job.OpenNotes(), c.labels.Notes(c.unit())...)
}

// unit returns the word for samples in reports.
func (c *task) unit() string {
	switch c.input() {
	case saved.GraphInput:
		return "nodes"
	case saved.KernelMatrixInput:
		return "samples"
	}
	return "rows"
}

// size returns the size of the training samples.
func (c *task) size() model.Size {
	if c.samples != nil && c.input() != "" {
		return c.samples.Size()
	}
	s := c.job.Size()
	s.Classes = len(c.labels.Classes)
	if c.labels.Train != nil {
		s.Rows = int64(len(c.labels.Train))
	}
	if c.input() == saved.KernelMatrixInput { // not yet read: every entry may be nonzero
		s.Columns, s.Sparse = 0, &model.Sparsity{Entries: s.Rows * s.Rows, Explicit: true}
	}
	return s
}

func (c *task) rowsData() saved.Data {
	d := saved.Data{Input: c.input()}
	switch c.input() {
	case saved.GraphInput:
		d.Graph = &saved.GraphData{GraphRecipe: c.job.Edges.Recipe(), Names: c.job.Graph.Names}
	case saved.KernelMatrixInput:
		d.Nulls, d.IndexBase = c.job.Sides.Prepared.Left.Preparation.Nulls.String(), c.job.Sides.IndexBase()
	default:
		d = c.job.RowsData()
	}
	d.Response, d.Classes, d.ClassKind = c.annotations.Words(), c.labels.Classes, c.kind
	return d
}

func (c *task) title() string {
	s, of := c.size(), "" // s.Rows is the number of training samples
	if all := int64(len(c.labels.Labels)); all > s.Rows {
		of = " of " + report.Count(all)
	}
	kernel := ""
	if c.input() == "" {
		kernel = ", " + report.Rounded(c.job.Kernel.String())
	}
	return fmt.Sprintf("askls model of %s%s %s, %d classes%s", report.Count(s.Rows), of, c.unit(), len(c.labels.Classes), kernel)
}
