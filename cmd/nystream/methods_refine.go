package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// addRefineFlag is for methods whose model exact passes may go on from.
func addRefineFlag(c *fitCommand, cmd *cobra.Command) {
	cmd.Flags().IntVar(&c.refine, "refine", 0, "most exact passes over all entries of A, from the model of the method on; fewer when the residuals are below 1e-6. The model holds all rows then")
}

// refinedSVD is the solver for two factors by --refine exact passes that start from
// a method.
func (c *fitCommand) refinedSVD(start lowrank.SVDStart) solver {
	return refinedSolver{lowrank.SubspaceSVD{Rank: c.rank, Passes: c.refine, Seed: c.seed, Start: start}, c.tiles()}
}

// refinedSolver refuses what exact passes cannot do.
type refinedSolver struct {
	lowrank.SubspaceSVD
	precision lowrank.Precision
}

func (s refinedSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	if s.precision != lowrank.Float64 {
		return nil, fmt.Errorf("--precision %s: exact passes compute in float64, since they would only reach the error of the entries; leave out --refine or --precision", s.precision)
	}
	if s.Passes < 0 {
		return nil, fmt.Errorf("--refine %d must not be negative", s.Passes)
	}
	return s.Plan(e, n.left, n.right, n.columns)
}

func (s refinedSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	f, err := s.Fit(ctx, e, src.left, src.rightSource(), k)
	if err != nil {
		return nil, err
	}
	out, err := kernelFit(f.Fit, nil)
	if err == nil {
		out.exact = &exactPasses{Made: f.ExactPasses, Residual: show.Number(f.Residual()), estimate: true}
	}
	return out, err
}

// exactPasses says what passes over all entries of A have come to.
type exactPasses struct {
	Made     int         `json:"made"`
	Residual show.Number `json:"residual"` // the largest, relative to the largest value
	estimate bool        // they have estimated the error as well
}

func (p *exactPasses) words() string {
	return fmt.Sprintf("%d over all entries, residuals up to %.1e of the largest value", p.Made, float64(p.Residual))
}
