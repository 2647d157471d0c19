package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// ksvdJob is a fit of ksvd on its way from files to a model.
type ksvdJob struct {
	sides  // nil for a graph; right also for one matrix
	cmd    *ksvdCommand
	kernel kernelgen.Kernel
	method ksvdMethod
	chosen string // why, when the method was not named

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
	j.method, j.chosen = j.cmd.chooseMethod(j.shape())
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
	rows, columns := j.size()
	word := j.cmd.compat.value
	switch {
	case word == "auto" && rows == columns:
		word = ksvd.CompatIdentity.String()
	case word == "auto":
		word = ksvd.CompatPseudoInverse.String()
	case word == ksvd.CompatIdentity.String() && rows != columns:
		return usagef("--compat identity: %s is %d × %d, so its rows and columns differ in length; use pinv, pca or random", j.left.Info().Name, rows, columns)
	}
	var err error
	j.compat, err = ksvd.ParseCompatibility(word)
	return err
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
func (j *ksvdJob) shape() ksvd.Shape {
	if j.data != nil {
		return j.data.Shape()
	}
	rows, columns := j.size()
	if j.right == nil {
		return ksvd.Shape{Rows: rows, Cols: columns, Columns: int(min(rows, columns))}
	}
	return ksvd.Shape{Rows: rows, Cols: j.rightRows(), Columns: int(columns)}
}

func (j *ksvdJob) memory(p *lowrank.Plan) *stream.Budget { return &p.Memory }

// writes says whether factors are to be written.
func (j *ksvdJob) writes() bool { return j.cmd.left+j.cmd.other != "" }

// plan works out what the fit will cost, with the passes for factors.
func (j *ksvdJob) plan() (*lowrank.Plan, error) {
	e, s := j.cmd.engine(), j.shape()
	plan, err := j.method.plan(e, s, j.kernel, j.writes())
	if err != nil {
		return nil, &usageError{err}
	}
	readerBudget(&plan.Memory, j.left, j.right)
	switch j.kind() {
	case matrixInput:
		rows, columns := j.size()
		numbers := 3 * rows * columns
		if j.compat != ksvd.CompatIdentity {
			numbers += 3 * rows * columns // C, and what it is made of
		}
		plan.Memory.Add("the matrix, its transpose, and what makes them comparable", numbers, "")
	case graphInput:
		ids := 4 * s.Rows
		if j.cmd.graph.nodes != "" {
			ids *= 2 // as text, while the graph is read
		}
		plan.Memory.Add("ids of the nodes", ids, "")
		if !j.kernel.Resolved() {
			plan.Memory.Add("rows to work out the kernel from", 3*int64(j.sampleRows())*s.Rows, "a --kernel with numbers")
		}
	}
	if j.writes() {
		mapBudget(&plan.Memory, e, s.Columns, j.cmd.rank)
	}
	for _, path := range []string{j.cmd.left, j.cmd.other} {
		writerBudget(&plan.Memory, path, max(s.Rows, s.Cols), j.cmd.rank)
	}
	return plan, nil
}

// prepare deals with nulls and scaling, makes the data, and resolves the kernel.
func (j *ksvdJob) prepare(ctx context.Context) error {
	if j.kind() != graphInput {
		if err := j.prepareRows(ctx); err != nil {
			return err
		}
	}
	return j.resolve(ctx)
}

func (j *ksvdJob) prepareRows(ctx context.Context) (err error) {
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

// graphSampleNumbers bounds the dense rows of a graph that a kernel is worked out
// from: 128 MB.
const graphSampleNumbers = 1 << 24

// sampleRows is how many rows words such as median are worked out from.
func (j *ksvdJob) sampleRows() int {
	if j.graph == nil {
		return kernelSample
	}
	return int(min(kernelSample, graphSampleNumbers/j.shape().Rows))
}

// resolve replaces the words in the kernel by numbers, from rows of both sides
// that depend on the seed alone.
func (j *ksvdJob) resolve(ctx context.Context) (err error) {
	if j.kernel.Resolved() { // what is left to know is the dimension
		d := j.shape().Columns
		j.kernel, err = j.kernel.Resolve(blas64.General{Cols: d, Stride: d})
		return fromData(err)
	}
	if n := j.sampleRows(); n < 100 && int64(n) < j.shape().Rows {
		return fromData(fmt.Errorf("--kernel %s: %s nodes are too many to make rows for its words; give numbers, such as those that it has on a part of the graph", j.kernel, show.Count(j.shape().Rows)))
	}
	sample, err := j.data.Sample(ctx, j.sampleRows(), j.cmd.seed)
	if err != nil {
		return err
	}
	j.kernel, err = j.kernel.Resolve(sample)
	return fromData(err)
}

// fitModel prepares the data and fits the model.
func (j *ksvdJob) fitModel(ctx context.Context) (err error) {
	if err := j.prepare(ctx); err != nil {
		return err
	}
	if j.scans == nil {
		j.scans = j.allPasses()
	}
	j.fit, err = j.method.fit(ctx, j.cmd.engine(), j.data, j.kernel)
	return err
}

func (j *ksvdJob) fitNotes() []string { return j.fit.Notes }
