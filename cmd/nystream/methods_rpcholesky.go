package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

var methodRPCholesky = methodInfo{
	name: "rpcholesky", arguments: "DATA...",
	short: "Randomly pivoted Cholesky over all rows; a small trace of A − Â, for rows that fit in memory (Chen et al. 2023)",
	long: `Approximate the positive semi-definite kernel matrix of the rows of DATA by randomly
pivoted Cholesky (Chen, Epperly, Tropp and Webber 2023) in blocks with rejection
sampling (Epperly, Tropp and Webber 2024), without a multiple of the identity: the
Nyström method with nnz·rank landmarks that are drawn from all rows, each in
proportion to what those before it leave of the diagonal. The rows are in memory
during the fit, with a number for each row and landmark. One pass over the files;
another two when factors are written.`,
	nnzUsage:  oneLandmark,
	symmetric: true,
	solver: func(c *fitCommand) solver {
		return rpcholeskySolver{lowrank.RPCholesky{Rank: c.rank, NNZ: c.nnz, Seed: c.seed}, c.tiles()}
	},
}

// oneLandmark is the usage of --nnz of methods with as many landmarks as the rank.
const oneLandmark = "landmarks per column of U; 0 means 1"

// rpcholeskySolver refuses what is for other methods.
type rpcholeskySolver struct {
	lowrank.RPCholesky
	precision lowrank.Precision
}

func (s rpcholeskySolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	if s.precision != lowrank.Float64 {
		return nil, fmt.Errorf("--precision %s: rpcholesky computes in float64, since what pivots leave is a difference", s.precision)
	}
	return s.Plan(e, n.left, n.columns)
}

func (s rpcholeskySolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	f, err := s.Fit(ctx, e, src.left, k)
	if err != nil {
		return nil, err
	}
	out, err := kernelFit(f.Fit, nil)
	if k.PositiveSemiDefinite() {
		out.notes = append(out.notes, fmt.Sprintf("tr(A−Â)/tr(A), the relative error in the nuclear norm, is %.4g exactly", f.TraceResidual))
	}
	return out, err
}
