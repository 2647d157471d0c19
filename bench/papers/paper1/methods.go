package paper1

import (
	"github.com/nystream/nystream/bench/papers/baselines"
	"github.com/nystream/nystream/solvers/lowrank"
)

// method is a row of the table: how to fit rank c with a seed.
type method struct {
	name string
	of   func(c int, seed uint64) lowrank.Method
	// slow says that fits take long and that seeds hardly change them: a few do.
	slow bool
	// unshifted is the name of a row for the same fits without their shift:
	// U·diag(values + shift)·Uᵀ. "" means none.
	unshifted string
	// rows is the most rows it is for; 0 means any number.
	rows int
}

// The best of these two, as the paper has them, is what ratios are to.
const (
	ssrSVD     = "ssrSVD"
	paperShift = "S3SPSD paper"
)

// methods returns all that are compared, in the order of the table. Sketches have the
// defaults s = 5c and z = 4. Methods with z times as many landmarks as columns say
// so: "z=4".
func methods() []method {
	return []method{
		{name: ssrSVD, of: func(c int, seed uint64) lowrank.Method { return lowrank.SSRSVD{Rank: c, Seed: seed} }},
		{name: paperShift, of: func(c int, seed uint64) lowrank.Method {
			return lowrank.S3SPSD{Rank: c, Seed: seed, Shift: lowrank.ShiftPaper}
		}},
		{name: "S3SPSD", of: func(c int, seed uint64) lowrank.Method { return lowrank.S3SPSD{Rank: c, Seed: seed} }},
		nystrom("nystrom uniform", lowrank.ChoiceUniform, 1),
		nystrom("nystrom leverage", lowrank.ChoiceLeverage, 1),
		nystrom("nystrom rpc", lowrank.ChoicePivoted, 1),
		nystrom("nystrom z=4", lowrank.ChoiceUniform, 4),
		{name: "rpcholesky z=4", slow: true, of: func(c int, seed uint64) lowrank.Method {
			return lowrank.RPCholesky{Rank: c, NNZ: 4, Seed: seed}
		}},
		{name: "rff", of: func(c int, seed uint64) lowrank.Method { return lowrank.RFF{Rank: c, Seed: seed} }},
		{name: "rff orthogonal", of: func(c int, seed uint64) lowrank.Method {
			return lowrank.RFF{Rank: c, Orthogonal: true, Seed: seed}
		}},
		{name: "polysketch", of: func(c int, seed uint64) lowrank.Method { return baselines.PolySketch{Rank: c, Seed: seed} }},
		{name: "fastspsd", of: func(c int, seed uint64) lowrank.Method { return baselines.FastSPSD(c, seed) }},
		{name: "fastspsd leverage", of: func(c int, seed uint64) lowrank.Method {
			return baselines.FastSPSDLeverage{Rank: c, Seed: seed}
		}},
		landmark("landmark uniform", lowrank.ChoiceUniform),
		landmark("landmark rpc", lowrank.ChoicePivoted),
		landmark("landmark dpp", lowrank.ChoiceDeterminantal),
		landmark("landmark auto", lowrank.ChoiceAuto),
		{name: "landmark auto centred", of: func(c int, seed uint64) lowrank.Method {
			return lowrank.Landmark{Rank: c, Choice: lowrank.ChoiceAuto, Seed: seed, Shift: lowrank.ShiftCentred}
		}},
		{name: "landmark refine 1", slow: true, rows: 20000, of: subspace(1)},
		{name: "subspace", slow: true, rows: 40000, unshifted: "subspace no shift", of: subspace(3)},
	}
}

// names returns those of the rows of the table, in their order.
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

func nystrom(name string, choice lowrank.LandmarkChoice, nnz int) method {
	return method{name: name, of: func(c int, seed uint64) lowrank.Method {
		return lowrank.Nystrom{Rank: c, NNZ: nnz, Choice: choice, Seed: seed}
	}}
}

func landmark(name string, choice lowrank.LandmarkChoice) method {
	return method{name: name, of: func(c int, seed uint64) lowrank.Method {
		return lowrank.Landmark{Rank: c, Choice: choice, Seed: seed}
	}}
}

func subspace(passes int) func(c int, seed uint64) lowrank.Method {
	return func(c int, seed uint64) lowrank.Method {
		return lowrank.Subspace{Rank: c, Passes: passes, Start: lowrank.Landmark{Choice: lowrank.ChoiceAuto}, Seed: seed}
	}
}
