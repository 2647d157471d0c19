package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
)

// lowrankMethod is a method of fit: its words on the command line, and what it
// runs.
type lowrankMethod struct {
	name, arguments             string
	sketchUsage, landmarksUsage string // "" if there is no such flag
	tolerance                   bool   // takes --tol
	symmetric                   bool   // may give one factor and a shift
	twoSided                    bool   // may give two factors
	addFlags                    func(c *lowrankTask, cmd *cobra.Command)
	solver                      func(c *lowrankTask) (lowrank.Method, error)
}

var lowrankMethods = []lowrankMethod{
	{
		name: "auto", arguments: "DATA... [--right RIGHT...]",
		tolerance: true,
		symmetric: true, twoSided: true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addShiftFlag(c, cmd, lowrank.ShiftMidpoint, lowrank.ShiftNone)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Auto{Rank: c.job.rank, ErrorTol: c.tolerance, Norm: c.norm, Shift: c.shift, Memory: int64(c.job.app.memory), Sums: c.sums, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "landmark", arguments: "DATA... [--right RIGHT...]",
		landmarksUsage: fourLandmarks + "; fewer often reach an error sooner, at a larger rank",
		symmetric:      true, twoSided: true,
		tolerance: true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			cmd.Flags().IntVar(&c.core, "core", 0, "`number` of core points; 10 times the landmarks if not given")
			addShiftFlag(c, cmd, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			addRuleFlag(c, cmd, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: (*lowrankTask).landmark,
	},
	{
		name: "s3spsd", arguments: "DATA...",
		sketchUsage: sketchUsage,
		symmetric:   true,
		addFlags:    func(c *lowrankTask, cmd *cobra.Command) { addShiftFlag(c, cmd, lowrank.ShiftPaper, lowrank.ShiftNone) },
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.S3SPSD{Rank: c.job.rank, Sketch: c.sketch, NNZ: c.nnz, LeverageRows: c.leverageRows(), Seed: c.job.app.seed, Shift: c.shift}, nil
		},
	},
	{
		name: "ssrsvd", arguments: "LEFT... [--right RIGHT...] | --matrix FILE...",
		sketchUsage: sketchUsage + "; of a --matrix, of its sketch",
		twoSided:    true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addMatrixFlags(c, cmd)
			cmd.Flags().IntVar(&c.refine, "refine", 0, "`number` of more passes over the files of --matrix")
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			if c.explicit() {
				return lowrank.SSRSVDMatrix{Rank: c.job.rank, Sketch: c.sketch, Refine: c.refine, Map: c.mapping, Seed: c.job.app.seed}, c.refinable()
			}
			return lowrank.SSRSVD{Rank: c.job.rank, Sketch: c.sketch, NNZ: c.nnz, LeverageRows: c.leverageRows(), Sums: c.sums, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "nystrom", arguments: "DATA...",
		landmarksUsage: oneLandmark,
		symmetric:      true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addRuleFlag(c, cmd, lowrank.RuleUniform, lowrank.RulePivoted, lowrank.RuleDeterminantal, lowrank.RuleAuto)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Nystrom{Rank: c.job.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "pca", arguments: "DATA...",
		landmarksUsage: fourLandmarks,
		symmetric:      true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addRuleFlag(c, cmd, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.PCA{Rank: c.job.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "rpcholesky", arguments: "DATA...",
		landmarksUsage: oneLandmark,
		symmetric:      true,
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.RPCholesky{Rank: c.job.rank, Landmarks: c.landmarks, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "rff", arguments: "DATA...",
		symmetric: true,
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.RFF{Rank: c.job.rank, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "subspace", arguments: "DATA...",
		symmetric: true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addShiftFlag(c, cmd, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			cmd.Flags().IntVar(&c.passes, "passes", 3, "most `passes` over all entries of A")
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			if c.passes < 1 {
				return nil, fmt.Errorf("--passes %d must be at least 1", c.passes)
			}
			return lowrank.Subspace{Rank: c.job.rank, Passes: c.passes, Seed: c.job.app.seed, Shift: c.shift}, nil
		},
	},
}

const (
	sketchUsage   = "columns of the sketch for the core, at least the rank; 0 means 5 times the rank"
	fourLandmarks = "`number` of landmarks; 4 times the rank if not given"
	oneLandmark   = "`number` of landmarks; the rank if not given"
)

// addShiftFlag offers the shift fitted, which is the default everywhere, and others.
func addShiftFlag(c *lowrankTask, cmd *cobra.Command, others ...lowrank.Shift) {
	meaning := map[lowrank.Shift]string{
		lowrank.ShiftFitted:   "least squares",
		lowrank.ShiftMidpoint: "least spectral error, with a larger Frobenius error",
		lowrank.ShiftNone:     "",
		lowrank.ShiftPaper:    "as published",
	}
	shifts := append([]lowrank.Shift{lowrank.ShiftFitted}, others...)
	var means []string
	for _, s := range shifts {
		means = append(means, meaning[s])
	}
	addChoice(cmd, &c.shift, "shift", "choice of the multiple of the identity", shifts, means...)
}

// addRuleFlag offers rules for landmarks, the first by default.
func addRuleFlag(c *lowrankTask, cmd *cobra.Command, rules ...lowrank.Rule) {
	meaning := map[lowrank.Rule]string{
		lowrank.RuleAuto:          "the first of dpp, rpc, uniform that costs a quarter of the fit",
		lowrank.RulePivoted:       "randomly pivoted Cholesky",
		lowrank.RuleDeterminantal: "determinantal, of leading eigenvectors",
	}
	var means []string
	for _, rule := range rules {
		means = append(means, meaning[rule])
	}
	addChoice(cmd, &c.rule, "rule", "choice of landmarks", rules, means...)
}

func addMatrixFlags(c *lowrankTask, cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.matrix, "matrix", nil, "`files` of the matrix itself, instead of rows for a kernel")
	cmd.Flags().StringVar(&c.mapText, "map", "", "`function` of each entry of --matrix: "+strings.Join(kernelgen.MapNames(), ", ")+"; see nystream help maps")
	completeFiles(cmd, dataExtensions, "matrix")
	c.job.app.addCompletion(cmd, oneOf(kernelgen.MapNames()), "map")
}

// landmark returns the method of fit landmark, to a rank or to a tolerance.
func (c *lowrankTask) landmark() (lowrank.Method, error) {
	if c.tolerance != 0 {
		return lowrank.Adaptive{ErrorTol: c.tolerance, Norm: c.norm, Rank: c.job.rank, Memory: int64(c.job.app.memory),
			Rule: c.rule, Seed: c.job.app.seed, Shift: c.shift}, nil
	}
	return lowrank.Landmark{Rank: c.job.rank, Landmarks: c.landmarks, Core: c.core, Rule: c.rule, Seed: c.job.app.seed, Shift: c.shift, Sums: c.sums}, nil
}

// refinable refuses a number of passes below 1.
func (c *lowrankTask) refinable() error {
	if c.job.given("refine") && c.refine < 1 {
		return fmt.Errorf("--refine %d must be at least 1", c.refine)
	}
	return nil
}
