package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// methodAuto is fit auto.
var methodAuto = methodInfo{
	name: "auto", arguments: "DATA... [--right RIGHT...]",
	short: "Choose the method, the landmarks and the rank, and say why",
	long: `Choose a method by the kernel, the size of the data, --memory and --rank or --tol, and
say why: exact passes where A has few enough entries, landmarks otherwise, and as many of
them as the tolerance needs where there is no --rank (0.01 without --tol).`,
	tolerance: true,
	symmetric: true, twoSided: true,
	solver: func(c *fitCommand) solver {
		k, _ := kernelgen.Parse(c.kernel) // checked when the job was made
		return autoSolver{lowrank.Auto{Rank: c.rank, Tolerance: c.tolerance, Memory: int64(c.memory), Seed: c.seed, Precision: c.tiles()}, k}
	},
}

type autoSolver struct {
	lowrank.Auto
	kernel kernelgen.Kernel
}

func (s autoSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, s.kernel, n.left, n.right, n.columns)
}

func (s autoSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	f, err := s.Fit(ctx, e, src.left, src.rightSource(), k)
	if err != nil {
		return nil, err
	}
	var out *fitted
	switch {
	case f.Adaptive != nil:
		out, err = toleranceFit(f.Adaptive)
	case f.Subspace != nil:
		out, err = subspaceFit(f.Subspace)
	default:
		out, err = kernelFit(f.Fit, nil)
	}
	if err == nil {
		out.chosen = fmt.Sprintf("%s: %s", f.Chosen, strings.Join(f.Reasons, "; "))
	}
	return out, err
}
