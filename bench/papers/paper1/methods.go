package paper1

import (
	"context"

	"github.com/nystream/nystream/bench/papers/baselines"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// fitter approximates a kernel matrix. The methods of package lowrank do.
type fitter interface {
	Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error)
}

// method is a row of the tables: how to fit rank c with a seed.
type method struct {
	name string
	of   func(c int, seed uint64) fitter
	// heading is that of the tables of errors, what the command fits with; "" leaves the
	// method out.
	heading string
	// unshifted is the name of a row for the same fits without their shift:
	// U·diag(values + shift)·Uᵀ. "" means none.
	unshifted string
	// rows is the largest number of rows; 0 means any.
	rows int
}

// Ratios are to the better of these two, as the paper has them.
const (
	ssrSVD     = "ssrSVD"
	paperShift = "S3SPSD paper"
)

// methods returns all that are compared, in the order of the tables. Sketches have the
// defaults s = 5c and z = 4. "z=4" marks methods with four landmarks per column.
func methods() []method {
	return []method{
		{name: ssrSVD, heading: "`ssrsvd`", of: func(c int, seed uint64) fitter {
			return lowrank.SSRSVD{Rank: c, Seed: seed}
		}},
		{name: paperShift, heading: "`s3spsd --shift paper`", of: func(c int, seed uint64) fitter {
			return lowrank.S3SPSD{Rank: c, Seed: seed, Shift: lowrank.ShiftPaper}
		}},
		{name: "S3SPSD", heading: "`s3spsd`", of: func(c int, seed uint64) fitter {
			return lowrank.S3SPSD{Rank: c, Seed: seed}
		}},
		{name: "nystrom uniform", of: nystrom(lowrank.RuleUniform, 1)},
		{name: "nystrom rpc", of: nystrom(lowrank.RulePivoted, 1)},
		{name: "nystrom z=4", heading: "`nystrom --landmarks 4c`", of: nystrom(lowrank.RuleUniform, 4)},
		{name: "rpcholesky z=4", of: func(c int, seed uint64) fitter {
			return lowrank.RPCholesky{Rank: c, Landmarks: 4 * c, Seed: seed}
		}},
		{name: "rff", of: func(c int, seed uint64) fitter { return lowrank.RFF{Rank: c, Seed: seed} }},
		{name: "fastspsd", of: func(c int, seed uint64) fitter { return baselines.FastSPSD{Rank: c, Seed: seed} }},
		{name: "landmark uniform", heading: "`landmark --rule uniform`", of: landmark(lowrank.RuleUniform)},
		{name: "landmark rpc", of: landmark(lowrank.RulePivoted)},
		{name: "landmark dpp", of: landmark(lowrank.RuleDeterminantal)},
		{name: "landmark auto", heading: "`landmark`", of: landmark(lowrank.RuleAuto)},
		{name: "landmark auto centred", heading: "`landmark --shift midpoint`", of: func(c int, seed uint64) fitter {
			return lowrank.Landmark{Rank: c, Rule: lowrank.RuleAuto, Seed: seed, Shift: lowrank.ShiftMidpoint}
		}},
		{name: "subspace", heading: "`subspace`", rows: 40000, unshifted: "subspace no shift",
			of: func(c int, seed uint64) fitter {
				return lowrank.Subspace{Rank: c, Passes: 3, Seed: seed}
			}},
	}
}

// names returns those of the rows of the tables, in their order.
func names() []string {
	var all []string
	for _, m := range methods() {
		all = append(all, m.name)
		if m.unshifted != "" {
			all = append(all, m.unshifted)
		}
	}
	return all
}

func nystrom(rule lowrank.Rule, perColumn int) func(c int, seed uint64) fitter {
	return func(c int, seed uint64) fitter {
		return lowrank.Nystrom{Rank: c, Landmarks: perColumn * c, Rule: rule, Seed: seed}
	}
}

func landmark(rule lowrank.Rule) func(c int, seed uint64) fitter {
	return func(c int, seed uint64) fitter { return lowrank.Landmark{Rank: c, Rule: rule, Seed: seed} }
}
