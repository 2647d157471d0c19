package lowrank

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
)

// method is a method of fit, with its help and flags.
type method struct {
	name, arguments string
	last            bool   // listed after the methods of all families
	landmarks       string // default number of landmarks in words, "" without the flag
	sketch          bool   // takes --sketch
	tolerance       bool   // takes --tol
	symmetric       bool   // may give one factor and a shift
	twoSided        bool   // may give two factors
	addFlags        func(c *task)
	solver          func(c *task) (lowrank.Method, error)
}

// methods lists the methods in the recommended order.
var methods = []method{
	{
		name: "landmark", arguments: "DATA... --kernel K (--rank N | --tol E)",
		landmarks: fourLandmarks,
		symmetric: true, twoSided: true,
		tolerance: true,
		addFlags: func(c *task) {
			c.job.Set.Add(flags.Flag{Name: "core", Arg: "number", Usage: "core points besides the landmarks",
				Doc: "10 times the landmarks up to 4,000, 2.5 times if that is more, if not given", Value: flags.Int(&c.core, 0)})
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			addRuleFlag(c, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: (*task).landmark,
	},
	{
		name: "auto", arguments: "DATA... --kernel K [--rank N | --tol E]",
		tolerance: true,
		symmetric: true, twoSided: true,
		addFlags: func(c *task) {
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
		},
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.Auto{Rank: c.job.Rank, ErrorTol: c.tolerance, Norm: c.norm, Shift: c.shift, Memory: int64(c.job.App.Memory), Sums: c.sums, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "pca", arguments: "DATA... --kernel K --rank N",
		landmarks: pcaLandmarks,
		symmetric: true,
		addFlags: func(c *task) {
			addRuleFlag(c, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.PCA{Rank: c.job.Rank, Landmarks: c.landmarks, Rule: c.rule, Scout: c.scout, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "s3spsd", arguments: "DATA... --kernel K --rank N", last: true,
		sketch:    true,
		symmetric: true,
		addFlags:  func(c *task) { addShiftFlag(c, lowrank.ShiftPaper, lowrank.ShiftNone) },
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.S3SPSD{Rank: c.job.Rank, Sketch: c.sketch, NNZ: c.nnz, LeverageRows: c.leverageRows(), Seed: c.job.App.Seed, Shift: c.shift}, nil
		},
	},
	{
		name: "ssrsvd", arguments: "(LEFT... [--right RIGHT...] --kernel K | --matrix FILES) --rank N", last: true,
		sketch:   true,
		twoSided: true,
		addFlags: func(c *task) {
			addMatrixFlags(c)
		},
		solver: func(c *task) (lowrank.Method, error) {
			if c.explicit() {
				return lowrank.SSRSVDMatrix{Rank: c.job.Rank, Sketch: c.sketch, Refine: c.refine, Map: c.mapping, Seed: c.job.App.Seed}, c.refinable()
			}
			return lowrank.SSRSVD{Rank: c.job.Rank, Sketch: c.sketch, NNZ: c.nnz, LeverageRows: c.leverageRows(), Sums: c.sums, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "nystrom", arguments: "DATA... --kernel K --rank N", last: true,
		landmarks: oneLandmark,
		symmetric: true,
		addFlags: func(c *task) {
			addRuleFlag(c, lowrank.RuleUniform, lowrank.RulePivoted, lowrank.RuleDeterminantal, lowrank.RuleAuto)
		},
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.Nystrom{Rank: c.job.Rank, Landmarks: c.landmarks, Rule: c.rule, Scout: c.scout, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "rpcholesky", arguments: "DATA... --kernel K --rank N", last: true,
		landmarks: oneLandmark,
		symmetric: true,
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.RPCholesky{Rank: c.job.Rank, Landmarks: c.landmarks, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "rff", arguments: "DATA... --kernel K --rank N", last: true,
		symmetric: true,
		solver: func(c *task) (lowrank.Method, error) {
			return lowrank.RFF{Rank: c.job.Rank, Seed: c.job.App.Seed}, nil
		},
	},
	{
		name: "subspace", arguments: "DATA... --kernel K --rank N", last: true,
		symmetric: true,
		addFlags: func(c *task) {
			addShiftFlag(c, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			c.job.Set.Add(flags.Flag{Name: "passes", Arg: "number", Usage: "most passes over all entries of A", Value: flags.Int(&c.passes, 3)})
		},
		solver: func(c *task) (lowrank.Method, error) {
			if c.passes < 1 {
				return nil, fmt.Errorf("--passes %d must be at least 1", c.passes)
			}
			return lowrank.Subspace{Rank: c.job.Rank, Passes: c.passes, Seed: c.job.App.Seed, Shift: c.shift}, nil
		},
	},
}

const (
	fourLandmarks = "4 times the rank, from 100 twice the rank and 200"
	pcaLandmarks  = fourLandmarks + ", at least 500"
	oneLandmark   = "as many as the rank"
)

// addShiftFlag adds the shift flag, with fitted as the default and other rules.
func addShiftFlag(c *task, others ...lowrank.ShiftRule) {
	meaning := map[lowrank.ShiftRule]string{
		lowrank.ShiftFitted:   "least squares",
		lowrank.ShiftMidpoint: "least spectral error, with a larger Frobenius error",
		lowrank.ShiftNone:     "",
		lowrank.ShiftPaper:    "as published",
	}
	shifts := append([]lowrank.ShiftRule{lowrank.ShiftFitted}, others...)
	var means []string
	for _, s := range shifts {
		means = append(means, meaning[s])
	}
	c.job.Set.Add(flags.Flag{Name: "shift", Arg: "word", Usage: "multiple of the identity", Value: flags.Choice(&c.shift, shifts, means...)})
}

// addRuleFlag adds the flags for rules of landmarks, of which the first is the default, and for their candidates.
func addRuleFlag(c *task, rules ...lowrank.Rule) {
	meaning := map[lowrank.Rule]string{
		lowrank.RuleAuto:          "the first of dpp, rpc, uniform that costs a quarter of the fit",
		lowrank.RulePivoted:       "randomly pivoted Cholesky",
		lowrank.RuleDeterminantal: "determinantal, of leading eigenvectors",
	}
	var means []string
	for _, rule := range rules {
		means = append(means, meaning[rule])
	}
	c.job.Set.Add(
		flags.Flag{Name: "rule", Arg: "word", Usage: "rule that chooses landmarks", Value: flags.Choice(&c.rule, rules, means...)},
		flags.Flag{Name: "scout", Usage: "read all rows for more candidates for landmarks",
			Doc: "up to 512 rows unlike the others: small clusters and rows of large norm", Value: flags.Bool(&c.scout, false)},
	)
}

func addMatrixFlags(c *task) {
	c.job.Set.Add(
		flags.Flag{Name: "matrix", Arg: "files", Usage: "matrix on disk, instead of rows for a kernel", Group: flags.Data, Effect: flags.Locates, For: flags.Matrix,
			Value: flags.Strings(&c.matrix), Complete: flags.DataFiles},
		flags.Flag{Name: "map", Arg: "function", Usage: "function of each entry; see nystream help maps", Doc: strings.Join(kernelgen.ElementMapNames(), ", "), For: flags.Matrix, Needs: "matrix",
			Value: flags.String(&c.mapText, ""), Complete: flags.OneOf(kernelgen.ElementMapNames())},
		flags.Flag{Name: "refine", Arg: "number", Usage: "extra passes over the files of --matrix", For: flags.Matrix, Needs: "matrix", Value: flags.Int(&c.refine, 0)},
	)
}

// landmark returns the method of fit landmark, with a rank or a tolerance.
func (c *task) landmark() (lowrank.Method, error) {
	if c.tolerance != 0 {
		return lowrank.Adaptive{ErrorTol: c.tolerance, Norm: c.norm, Rank: c.job.Rank, Memory: int64(c.job.App.Memory),
			Rule: c.rule, Seed: c.job.App.Seed, Shift: c.shift}, nil
	}
	return lowrank.Landmark{Rank: c.job.Rank, Landmarks: c.landmarks, Core: c.core, Rule: c.rule, Scout: c.scout,
		Seed: c.job.App.Seed, Shift: c.shift, Sums: c.sums}, nil
}

// refinable refuses a number of passes below 1.
func (c *task) refinable() error {
	if c.job.Given("refine") && c.refine < 1 {
		return fmt.Errorf("--refine %d must be at least 1", c.refine)
	}
	return nil
}
