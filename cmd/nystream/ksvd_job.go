package main

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ksvdJob is a fit of ksvd on its way from files to a model.
type ksvdJob struct {
	sides  // nil for a graph; right also for one matrix
	cmd    *ksvdCommand
	kernel kernelgen.Kernel
	method ksvd.Method

	graph   *blockstore.Graph
	compat  ksvd.Compatibility
	data    *ksvd.Data // of a graph when it is opened, else when rows are prepared
	scans   map[string]int
	fit     *ksvd.Fit
	factors int // passes that wrote factors, over each side
}

// What the sides of a fit are, in the words of models and reports.
const (
	matrixInput  = "matrix"
	sourcesInput = "sources"
	graphInput   = "graph"
)

func (j *ksvdJob) kind() string {
	switch {
	case j.cmd.graph.path != "":
		return graphInput
	case len(j.cmd.right) > 0:
		return sourcesInput
	}
	return matrixInput
}

// open opens the sources, or reads the graph, and chooses what depends on their
// size.
func (j *ksvdJob) open(ctx context.Context, args []string) (err error) {
	if j.kind() == graphInput {
		err = j.openGraph(ctx)
	} else {
		err = j.sides.open(ctx, j.cmd.app, &j.cmd.data, args, j.cmd.right)
	}
	if err != nil {
		return err
	}
	if err := j.chooseCompatibility(); err != nil {
		return err
	}
	j.method = j.cmd.newMethod()
	return nil
}

func (j *ksvdJob) openGraph(ctx context.Context) (err error) {
	c := j.cmd
	if j.graph, err = c.readGraph(ctx, c.graph.path, &c.graph, c.graph.recipe(), &c.data); err != nil {
		return err
	}
	j.data, err = ksvd.Graph(c.graph.path, j.graph.Adjacency)
	return fromData(err)
}

// chooseCompatibility resolves --compat auto.
func (j *ksvdJob) chooseCompatibility() error {
	if j.kind() != matrixInput {
		return nil
	}
	asked, err := ksvd.ParseCompatibility(j.cmd.compat.value)
	if err == nil {
		j.compat, err = asked.Resolve(j.size())
	}
	if err != nil {
		return usagef("%s: %w", j.left.Info().Name, err)
	}
	return nil
}

func (j *ksvdJob) openNotes() []string {
	if j.graph != nil {
		return graphNotes(j.graph)
	}
	return j.sides.notes()
}

// size is the number of rows and of columns of DATA.
func (j *ksvdJob) size() (rows, columns int64) {
	return j.leftRows(), int64(len(j.left.Info().Columns))
}

// shape is the size of the data as far as it is known.
func (j *ksvdJob) shape() contract.Shape {
	if j.data != nil {
		return j.data.Shape()
	}
	rows, columns := j.size()
	if j.right == nil {
		s, _ := ksvd.MatrixPlan(j.cmd.engine(), rows, columns, j.compat)
		return s
	}
	return contract.Shape{Rows: rows, Cols: j.rightRows(), Columns: int(columns)}
}

func (j *ksvdJob) memory(p *contract.Plan) *stream.Budget { return &p.Memory }

// writes says whether factors are to be written.
func (j *ksvdJob) writes() bool { return j.cmd.left+j.cmd.other != "" }

// plan works out what the fit will cost, with the passes for factors.
func (j *ksvdJob) plan() (*contract.Plan, error) {
	e, s := j.cmd.engine(), j.shape()
	plan, err := j.method.Plan(e, s, j.kernel)
	if err != nil {
		return nil, &usageError{err}
	}
	if j.writes() {
		factors, err := j.method.FactorPlan(e, s, j.kernel)
		if err != nil {
			return nil, &usageError{err}
		}
		plan.Include(factors)
		plan.Passes += factors.Passes
	}
	readerBudget(&plan.Memory, j.left, j.right)
	switch j.kind() {
	case matrixInput:
		rows, columns := j.size()
		_, loading := ksvd.MatrixPlan(e, rows, columns, j.compat)
		plan.Include(loading)
	case graphInput:
		ids := 4 * s.Rows
		if j.cmd.graph.nodes != "" {
			ids *= 2 // as text, while the graph is read
		}
		plan.Memory.Add("ids of the nodes", ids, "")
	}
	for _, path := range []string{j.cmd.left, j.cmd.other} {
		writerBudget(&plan.Memory, path, max(s.Rows, s.Cols), j.cmd.rank)
	}
	return plan, nil
}

// prepare deals with nulls and scaling, and makes the data.
func (j *ksvdJob) prepare(ctx context.Context) (err error) {
	if j.kind() == graphInput {
		return nil
	}
	if err := j.sides.prepare(ctx, j.cmd.engine(), &j.cmd.rows); err != nil {
		return err
	}
	if j.prepared.dropped() > 0 {
		if err := j.chooseCompatibility(); err != nil {
			return err
		}
	}
	if j.right != nil {
		j.data, err = ksvd.Between(checkedRows{j.prepared.left, j.kernel}, checkedRows{j.prepared.right, j.kernel})
		return err
	}
	j.scans = j.allPasses() // what comes now loads the matrix
	j.data, err = ksvd.RowsAndColumns(ctx, j.prepared.left, j.compat, j.cmd.seed)
	return err
}

// fitModel prepares the data and fits the model.
func (j *ksvdJob) fitModel(ctx context.Context) (err error) {
	if err := j.prepare(ctx); err != nil {
		return err
	}
	if j.scans == nil {
		j.scans = j.allPasses()
	}
	if j.fit, err = j.method.Fit(ctx, j.cmd.engine(), j.data, j.kernel); err == nil {
		j.kernel = j.fit.Kernel
	}
	return err
}

func (j *ksvdJob) fitNotes() []string { return j.fit.Notes }
