package main

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
)

// lowrankMethod is a method of fit: its words on the command line, and what it
// runs.
type lowrankMethod struct {
	name, arguments string
	landmarks       string // how many there are if --landmarks is not given, "" without the flag
	sketch          bool   // takes --sketch
	tolerance       bool   // takes --tol
	symmetric       bool   // may give one factor and a shift
	twoSided        bool   // may give two factors
	addFlags        func(c *lowrankTask)
	solver          func(c *lowrankTask) (lowrank.Method, error)
}

var lowrankMethods = []lowrankMethod{
	{
		name: "auto", arguments: "DATA... [--right RIGHT...]",
		tolerance: true,
		symmetric: true, twoSided: true,
		addFlags: func(c *lowrankTask) {
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Auto{Rank: c.job.rank, ErrorTol: c.tolerance, Norm: c.norm, Shift: c.shift, Memory: int64(c.job.app.memory), Sums: c.sums, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "landmark", arguments: "DATA... [--right RIGHT...]",
		landmarks: fourLandmarks,
		symmetric: true, twoSided: true,
		tolerance: true,
		addFlags: func(c *lowrankTask) {
			c.job.set.Add(flags.Flag{Name: "core", Arg: "number", Usage: "core points; 10 times the landmarks if not given", Value: flags.Int(&c.core, 0)})
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			addRuleFlag(c, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: (*lowrankTask).landmark,
	},
	{
		name: "s3spsd", arguments: "DATA...",
		sketch:    true,
		symmetric: true,
		addFlags:  func(c *lowrankTask) { addShiftFlag(c, lowrank.ShiftPaper, lowrank.ShiftNone) },
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.S3SPSD{Rank: c.job.rank, Sketch: c.sketch, NNZ: c.nnz, LeverageRows: c.leverageRows(), Seed: c.job.app.seed, Shift: c.shift}, nil
		},
	},
	{
		name: "ssrsvd", arguments: "LEFT... [--right RIGHT...] | --matrix FILE...",
		sketch:   true,
		twoSided: true,
		addFlags: func(c *lowrankTask) {
			addMatrixFlags(c)
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
		landmarks: oneLandmark,
		symmetric: true,
		addFlags: func(c *lowrankTask) {
			addRuleFlag(c, lowrank.RuleUniform, lowrank.RulePivoted, lowrank.RuleDeterminantal, lowrank.RuleAuto)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Nystrom{Rank: c.job.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "pca", arguments: "DATA...",
		landmarks: fourLandmarks,
		symmetric: true,
		addFlags: func(c *lowrankTask) {
			addRuleFlag(c, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.PCA{Rank: c.job.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.job.app.seed}, nil
		},
	},
	{
		name: "rpcholesky", arguments: "DATA...",
		landmarks: oneLandmark,
		symmetric: true,
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
		addFlags: func(c *lowrankTask) {
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			c.job.set.Add(flags.Flag{Name: "passes", Arg: "number", Usage: "passes over all entries of A, at most", Value: flags.Int(&c.passes, 3)})
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
	fourLandmarks = "4 times the rank"
	oneLandmark   = "the rank"
)

// addShiftFlag offers the shift fitted, which is the default everywhere, and others.
func addShiftFlag(c *lowrankTask, others ...lowrank.Shift) {
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
	c.job.set.Add(flags.Flag{Name: "shift", Arg: "word", Usage: "choice of the multiple of the identity", Value: flags.Choice(&c.shift, shifts, means...)})
}

// addRuleFlag offers rules for landmarks, the first by default.
func addRuleFlag(c *lowrankTask, rules ...lowrank.Rule) {
	meaning := map[lowrank.Rule]string{
		lowrank.RuleAuto:          "the first of dpp, rpc, uniform that costs a quarter of the fit",
		lowrank.RulePivoted:       "randomly pivoted Cholesky",
		lowrank.RuleDeterminantal: "determinantal, of leading eigenvectors",
	}
	var means []string
	for _, rule := range rules {
		means = append(means, meaning[rule])
	}
	c.job.set.Add(flags.Flag{Name: "rule", Arg: "word", Usage: "choice of landmarks", Value: flags.Choice(&c.rule, rules, means...)})
}

func addMatrixFlags(c *lowrankTask) {
	c.job.set.Add(
		flags.Flag{Name: "matrix", Arg: "files", Usage: "the matrix itself, instead of rows for a kernel", Group: flags.Data, Effect: flags.Locates, For: flags.Matrix,
			Value: flags.Strings(&c.matrix), Complete: flags.DataFiles},
		flags.Flag{Name: "map", Arg: "function", Usage: "function of each entry; see nystream help maps", Doc: strings.Join(kernelgen.MapNames(), ", "), For: flags.Matrix, Needs: "matrix",
			Value: flags.String(&c.mapText, ""), Complete: flags.OneOf(kernelgen.MapNames())},
		flags.Flag{Name: "refine", Arg: "number", Usage: "more passes over the files of --matrix", For: flags.Matrix, Needs: "matrix", Value: flags.Int(&c.refine, 0)},
	)
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
