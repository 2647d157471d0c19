package main

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ismJob is a fit of ism on its way from files to a model.
type ismJob struct {
	sides
	cmd     *ismCommand
	kernel  kernelgen.Kernel
	weights ism.Weights
	targets kernelgen.Kernel // between targets
	asides  []aside          // columns by name, and files

	read    map[string]*asideValues // by flag
	known   *ism.Response           // nil for unsupervised
	labels  []int                   // of --label, nil if there is none of one column
	classes []string                // their names
	scans   int                     // passes before the fit
	fit     *ism.Fit
	nmi     *show.Number // between clusters and labels
}

// choose finds out which columns of DATA the flags mean.
func (j *ismJob) choose(ctx context.Context, args []string) error {
	d := &j.cmd.data
	var columns []blockstore.ColumnInfo
	for _, s := range j.cmd.asides() {
		if s.file == "" && columns == nil && !slices.Contains(args, "-") {
			var err error
			columns, _, err = blockstore.Columns(ctx, args, d.options(j.cmd.app))
			if err != nil {
				columns = []blockstore.ColumnInfo{} // opening tells why
			}
		}
		if s.file == "" && len(columns) > 0 {
			var err error
			if s, err = s.inData(columns); err != nil {
				return err
			}
		}
		if s.file != "" && j.cmd.rows.nulls.value == "drop" {
			return usagef("%s: rows that --nulls drop leaves out cannot be found in another file; put the values in a column of the data", s.named())
		}
		j.asides = append(j.asides, s)
	}
	return nil
}

// open opens the data, and reads what is known of the rows.
func (j *ismJob) open(ctx context.Context, args []string) error {
	d := j.cmd.data
	d.label, d.keep = "", nil
	for _, s := range j.asides {
		for _, name := range s.columns {
			if s.file == "" && !slices.Contains(d.keep, name) {
				d.keep = append(d.keep, name)
			}
		}
	}
	if err := j.sides.open(ctx, j.cmd.app, &d, args, nil); err != nil {
		return err
	}
	if err := j.readAsides(ctx, j.left); err != nil {
		return err
	}
	return j.chooseTask(ctx)
}

// readAsides reads what the flags say of the rows of src.
func (j *ismJob) readAsides(ctx context.Context, src stream.Source) error {
	j.read = make(map[string]*asideValues)
	var inData []aside
	for _, s := range j.asides {
		if s.file == "" {
			inData = append(inData, s)
			continue
		}
		v, err := j.cmd.data.readAsideFile(ctx, s, src.Info().Rows)
		if err != nil {
			return err
		}
		j.read[s.flag] = v
	}
	if len(inData) == 0 {
		return nil
	}
	values, err := readKept(ctx, j.cmd.engine(), src, inData)
	if err != nil {
		return err
	}
	for _, v := range values {
		j.read[v.flag] = v
	}
	return nil
}

// chooseTask makes what is known of the rows a response, and chooses numbers that the
// flags leave open.
func (j *ismJob) chooseTask(ctx context.Context) (err error) {
	c := j.cmd
	if v := j.read["--label"]; v != nil && (len(v.values) == 1 || c.task.paradigmOf() != ism.Supervised) {
		if j.labels, j.classes, err = v.classes(); err != nil {
			return err
		}
	}
	if j.known, err = j.response(ctx); err != nil {
		return err
	}
	if c.task.clusters == 0 && c.task.paradigmOf() != ism.Supervised {
		c.task.clusters = len(j.classes)
	}
	if !c.changed("dim") {
		c.dim = c.task.clusters
		if j.known != nil && c.task.paradigmOf() == ism.Supervised {
			c.dim = j.known.Columns()
		}
		c.dim = min(c.dim, len(j.left.Info().Columns))
	}
	if d := len(j.left.Info().Columns); c.dim > d {
		return usagef("--dim %d: %s gives %d columns, and W has no more", c.dim, j.left.Info().Name, d)
	}
	return nil
}

// targetRank is how many features the kernel between targets has at most.
const targetRank = 50

// response is what Γ is made of; nil for unsupervised.
func (j *ismJob) response(ctx context.Context) (*ism.Response, error) {
	switch v := j.read; {
	case v["--target"] != nil:
		y, err := v["--target"].numbers()
		if err != nil {
			return nil, err
		}
		return ism.KernelTargets(ctx, j.cmd.engine(), y, j.targets, min(targetRank, y.Rows), j.cmd.seed)
	case v["--scores"] != nil:
		y, err := v["--scores"].numbers()
		if err != nil {
			return nil, err
		}
		return ism.Factors(y)
	case v["--given-label"] != nil:
		labels, names, err := v["--given-label"].classes()
		if err != nil {
			return nil, err
		}
		return ism.Classes(labels, len(names))
	case j.cmd.task.paradigmOf() == ism.Unsupervised:
		return nil, nil
	case j.labels != nil:
		return ism.Classes(j.labels, len(j.classes))
	}
	y, err := j.read["--label"].numbers()
	if err != nil {
		return nil, err
	}
	return ism.Factors(y)
}

func (j *ismJob) openNotes() []string { return j.sides.notes() }

// solver is what the flags say. The words were checked when they were set.
func (j *ismJob) solver() ism.Solver {
	c := j.cmd
	t := &c.task
	s := ism.Solver{Dim: c.dim, Weights: j.weights, Tolerance: c.tolerance, Angle: c.angle, Iterations: c.iterations, Landmarks: c.landmarks, Seed: c.seed,
		Paradigm: t.paradigmOf(), Clusters: t.clusters, Relative: t.relative}
	if s.Paradigm == ism.SemiSupervised || s.Paradigm == ism.Alternative {
		s.Mu = t.mu
	}
	s.Engine, _ = ism.ParseEngine(c.with.value)
	return s
}

// shape is the size of the data as far as it is known.
func (j *ismJob) shape() (rows int64, columns int) { return j.leftRows(), len(j.left.Info().Columns) }

func (j *ismJob) memory(p *contract.Plan) *stream.Budget { return &p.Memory }

// plan works out what the fit will cost.
func (j *ismJob) plan() (*contract.Plan, error) {
	rows, d := j.shape()
	shape := (&ism.Data{Rows: j.left, Known: j.known}).Shape()
	shape.Rows = rows
	plan, err := j.solver().Plan(j.cmd.engine(), shape, j.kernel)
	if err != nil {
		return nil, &usageError{err}
	}
	readerBudget(&plan.Memory, j.left)
	read := int64(len(j.labels))
	for _, v := range j.read {
		read += 2 * int64(v.rows()) * int64(len(v.values)) // a word is two numbers
	}
	if read > 0 {
		plan.Memory.Add("labels as they are read", read, "")
	}
	if j.cmd.plot != "" {
		plan.Memory.Add("rows of the picture", plotRows*int64(d+j.cmd.dim+plotNumbers), "")
	}
	writerBudget(&plan.Memory, j.cmd.clusters, rows, 1)
	return plan, nil
}

// fitModel prepares the rows and fits the model.
func (j *ismJob) fitModel(ctx context.Context) (err error) {
	e := j.cmd.engine()
	if err := j.sides.prepare(ctx, e, &j.cmd.rows); err != nil {
		return err
	}
	if j.prepared.left.Dropped() > 0 { // what is known of the others
		if err := j.readAsides(ctx, j.prepared.left); err != nil {
			return err
		}
		if err := j.chooseTask(ctx); err != nil {
			return err
		}
	}
	j.read = nil
	j.scans = j.left.Passes()
	if j.fit, err = j.solver().Fit(ctx, e, &ism.Data{Rows: j.prepared.left, Known: j.known}, j.kernel); err != nil {
		return err
	}
	if j.labels != nil && j.fit.Labels != nil {
		v, err := metrics.NMI(j.labels, j.fit.Labels)
		if err != nil {
			return err
		}
		n := show.Number(v)
		j.nmi = &n
	}
	return nil
}

func (j *ismJob) fitNotes() []string { return j.fit.Notes }
