package main

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// job is a fit on its way from files to a model.
type job struct {
	sides
	cmd     *fitCommand
	solver  solver
	kernel  kernelgen.Kernel
	mapping kernelgen.Map
	scans   map[string]int // passes before the fit began
	fitted  *lowrank.Fit
}

// newJob parses what the flags say.
func (c *fitCommand) newJob(args []string) (*job, error) {
	j := &job{cmd: c}
	var err error
	if len(c.matrix) == 0 {
		j.kernel, err = kernelgen.Parse(c.kernel)
	} else {
		if c.mapping == "" {
			c.mapping = "identity"
		}
		j.mapping, err = kernelgen.ParseMap(c.mapping)
	}
	if err != nil {
		return nil, &usageError{err}
	}
	if len(c.matrix) == 0 {
		if err := c.checkKernel(j.kernel); err != nil {
			return nil, &usageError{err}
		}
	}
	j.solver = c.method.solver(c)
	return j, nil
}

// checkKernel refuses kernels that a method would make nonsense of.
func (c *fitCommand) checkKernel(k kernelgen.Kernel) error {
	if err := k.CheckPlain(); err != nil {
		return err
	}
	if !k.Symmetric() && c.symmetric() && c.method.name != "auto" {
		return fmt.Errorf("kernel %s is not symmetric, and the matrix of one source is not either: use ssrsvd, or auto", k)
	}
	return nil
}

// open opens the sources.
func (j *job) open(ctx context.Context, args []string) error {
	if len(j.cmd.matrix) > 0 {
		args = j.cmd.matrix
	}
	return j.sides.open(ctx, j.cmd.app, &j.cmd.data, args, j.cmd.right)
}

func (j *job) openNotes() []string { return j.sides.notes() }

// shape is the size of the data as far as it is known.
func (j *job) shape() contract.Shape {
	return contract.Shape{Rows: j.leftRows(), Cols: j.rightRows(), Columns: len(j.left.Info().Columns)}
}

func (j *job) memory(p *lowrank.Plan) *stream.Budget { return &p.Memory }

// plan works out what the fit will cost, with the passes for factors.
func (j *job) plan() (*lowrank.Plan, error) {
	e, s := j.cmd.engine(), j.shape()
	if err := j.solver.refused; err != nil {
		return nil, &usageError{err}
	}
	plan, err := j.solver.Plan(e, s, j.kernel)
	if err != nil {
		return nil, &usageError{err}
	}
	readerBudget(&plan.Memory, j.left, j.right)
	if j.factorSides() > 0 {
		mapBudget(&plan.Memory, e, s.Columns, j.cmd.rank)
	}
	for _, path := range []string{j.cmd.factors, j.cmd.left, j.cmd.other} {
		writerBudget(&plan.Memory, path, max(s.Rows, s.Cols), j.cmd.rank)
	}
	return plan, nil
}

// mapBudget adds what a pass holds that turns rows into rows of rank numbers.
func mapBudget(b *stream.Budget, e stream.Engine, columns, rank int) {
	e.BlockRows = stream.BlockRows(columns)
	e.PassBudget(b, rank)
	b.Items[len(b.Items)-1].What = "blocks of factors"
}

// factorSides is the number of factors to be written.
func (j *job) factorSides() int {
	n := 0
	for _, path := range []string{j.cmd.factors, j.cmd.left, j.cmd.other} {
		if path != "" {
			n++
		}
	}
	return n
}

// prepare deals with nulls and scaling.
func (j *job) prepare(ctx context.Context) error {
	if err := j.sides.prepare(ctx, j.cmd.engine(), &j.cmd.rows); err != nil {
		return err
	}
	if j.prepared.dropped() > 0 {
		if _, err := j.plan(); err != nil {
			return err
		}
	}
	return nil
}

// orthonormal is what max|UᵀU−I| may be for factors that are written as they come
// out of the fit. Above it one more pass makes them orthonormal to rounding.
const orthonormal = 1e-12

// fitModel prepares the rows and fits the model, and makes the factors orthonormal
// when they are wanted and are not.
func (j *job) fitModel(ctx context.Context) (err error) {
	if err := j.prepare(ctx); err != nil {
		return err
	}
	e := j.cmd.engine()
	j.scans = j.allPasses()
	d := contract.Sources{Left: j.prepared.left, Right: j.prepared.rightSource()}
	if j.fitted, err = j.solver.Fit(ctx, e, d, j.kernel); err != nil {
		return err
	}
	j.kernel = j.fitted.Kernel
	if j.factorSides() == 0 || j.fitted.OrthogonalityBound() <= orthonormal {
		return nil
	}
	return j.fitted.Refine(ctx, e, d)
}

func (j *job) fitNotes() []string { return j.fitted.Notes }

// write writes the factors, and last of all the model.
func (j *job) write(ctx context.Context) error {
	return writeAll(ctx, j.writeFactors, func() error {
		sources := 1
		if j.right != nil {
			sources = 2
		}
		return newModel(j.fitted.Model, j.left.Info().Columns, j.prepared.left.Preparation, sources).write(j.cmd.output)
	})
}

// writeFactors writes the factors, uncommitted, in one pass over each source.
// They are numbers only: kept columns go along with transform.
func (j *job) writeFactors(ctx context.Context) (writers []pathWriter, err error) {
	if j.right == nil && j.cmd.left != "" && j.cmd.other != "" && j.fitted.Explicit == nil {
		return j.writeBoth(ctx)
	}
	m := &model{kernel: j.fitted.Model}
	right := j.prepared.right
	if right == nil {
		right = j.prepared.left
	}
	for _, f := range []struct {
		path string
		src  *stream.Prepared
		side string
	}{{j.cmd.factors, j.prepared.left, "left"}, {j.cmd.left, j.prepared.left, "left"}, {j.cmd.other, right, "right"}} {
		if f.path == "" {
			continue
		}
		var w *embedding
		if explicit := m.kernel.Explicit; explicit != nil && f.side == "right" {
			w, err = writeMatrix(ctx, f.path, "v", explicit.V)
		} else {
			w, err = m.embedTo(ctx, j.cmd.engine(), f.path, f.side, f.src, nil)
		}
		if w != nil {
			writers = append(writers, pathWriter{w, f.path})
		}
		if err != nil {
			return writers, err
		}
	}
	return writers, nil
}

// writeBoth writes U and V of one source in one pass.
func (j *job) writeBoth(ctx context.Context) (writers []pathWriter, err error) {
	rank, rows := j.fitted.Left.Rank(), j.prepared.left.Info().Rows
	for _, f := range []struct{ path, side string }{{j.cmd.left, "left"}, {j.cmd.other, "right"}} {
		w, err := blockstore.Create(f.path, blockstore.Schema{Columns: factorNames(f.side, rank), Rows: rows})
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
	}
	return writers, j.fitted.Transform(ctx, j.cmd.engine(), contract.Both, j.prepared.left, false, func(_ *stream.Block, uv blas64.General) error {
		u, v := uv, uv
		u.Cols, v.Cols = rank, rank
		v.Data = v.Data[min(rank, len(v.Data)):]
		return errors.Join(writers[0].Write(&stream.Batch{X: u}, u.Rows), writers[1].Write(&stream.Batch{X: v}, v.Rows))
	})
}
