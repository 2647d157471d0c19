package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

// addRefineFlag is for methods whose model exact passes may go on from.
func addRefineFlag(c *fitCommand, cmd *cobra.Command) {
	cmd.Flags().IntVar(&c.refine, "refine", 0, "most exact passes over all entries of A, from the model of the method on; fewer when the residuals are below 1e-6. The model holds all rows then")
}

// exactInDouble says why exact passes have no precision to choose.
const exactInDouble = "exact passes compute in float64, since they would only reach the error of the entries"

// refined is a method by --refine exact passes.
func (c *fitCommand) refined(m lowrank.Subspace) solver {
	m.Rank, m.Passes, m.Seed = c.rank, c.refine, c.seed
	s := c.inDouble(m, exactInDouble+"; leave out --refine or --precision")
	if c.refine < 1 {
		s.refused = fmt.Errorf("--refine %d must be at least 1", c.refine)
	}
	return s
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
