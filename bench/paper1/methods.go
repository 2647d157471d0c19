package main

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// method is a row of the table: how to fit rank c with a seed.
type method struct {
	name string
	fit  func(f fitting) (*lowrank.Fit, error)
	// slow says that fits take long and that seeds hardly change them: a few do.
	slow bool
	// unshifted is the name of a row for the same fits without their shift:
	// U·diag(values + shift)·Uᵀ. "" means none.
	unshifted string
	// rows is the most rows it is for; 0 means any number.
	rows int
}

// fitting is what there is to fit.
type fitting struct {
	ctx  context.Context
	e    stream.Engine
	src  stream.Source
	k    kernelgen.Kernel
	c    int
	seed uint64
}

// The best of these two, as the paper has them, is what ratios are to.
const (
	ssrSVD     = "ssrSVD"
	paperShift = "S3SPSD paper"
)

// methods are all that are compared, in the order of the table. Sketches have the
// defaults s = 5c and z = 4. Methods with z times as many landmarks as columns say
// so: "z=4".
func methods() []method {
	return []method{
		{name: ssrSVD, fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.SSRSVD{Rank: f.c, Seed: f.seed}.Fit(f.ctx, f.e, f.src, nil, f.k)
		}},
		{name: paperShift, fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.S3SPSD{Rank: f.c, Seed: f.seed, Shift: lowrank.ShiftPaper}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		{name: "S3SPSD", fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.S3SPSD{Rank: f.c, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		nystrom("nystrom uniform", lowrank.ChoiceUniform, 1),
		nystrom("nystrom leverage", lowrank.ChoiceLeverage, 1),
		nystrom("nystrom rpc", lowrank.ChoicePivoted, 1),
		nystrom("nystrom z=4", lowrank.ChoiceUniform, 4),
		{name: "rpcholesky z=4", slow: true, fit: func(f fitting) (*lowrank.Fit, error) {
			r, err := lowrank.RPCholesky{Rank: f.c, NNZ: 4, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
			if err != nil {
				return nil, err
			}
			return r.Fit, nil
		}},
		{name: "rff", fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.RFF{Rank: f.c, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		{name: "rff orthogonal", fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.RFF{Rank: f.c, Orthogonal: true, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		{name: "polysketch", fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.PolySketch{Rank: f.c, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		{name: "fastspsd", fit: func(f fitting) (*lowrank.Fit, error) {
			return lowrank.FastSPSD{Rank: f.c, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
		}},
		landmark("landmark uniform", lowrank.ChoiceUniform),
		landmark("landmark rpc", lowrank.ChoicePivoted),
		landmark("landmark dpp", lowrank.ChoiceDeterminantal),
		landmark("landmark auto", lowrank.ChoiceAuto),
		{name: "landmark refine 1", slow: true, rows: 20000, fit: func(f fitting) (*lowrank.Fit, error) {
			return subspace(f, 1)
		}},
		{name: "subspace", slow: true, rows: 40000, unshifted: "subspace no shift", fit: func(f fitting) (*lowrank.Fit, error) {
			return subspace(f, 3)
		}},
	}
}

// names are those of the rows of the table, in their order.
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
	return method{name: name, fit: func(f fitting) (*lowrank.Fit, error) {
		return lowrank.Nystrom{Rank: f.c, NNZ: nnz, Choice: choice, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
	}}
}

func landmark(name string, choice lowrank.LandmarkChoice) method {
	return method{name: name, fit: func(f fitting) (*lowrank.Fit, error) {
		return lowrank.Landmark{Rank: f.c, Choice: choice, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
	}}
}

func subspace(f fitting, passes int) (*lowrank.Fit, error) {
	s, err := lowrank.Subspace{Rank: f.c, Passes: passes, Choice: lowrank.ChoiceAuto, Seed: f.seed}.Fit(f.ctx, f.e, f.src, f.k)
	if err != nil {
		return nil, err
	}
	return s.Fit, nil
}
