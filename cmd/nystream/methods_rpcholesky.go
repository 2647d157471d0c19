package main

import "github.com/nystream/nystream/solvers/lowrank"

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
		return c.inDouble(lowrank.RPCholesky{Rank: c.rank, NNZ: c.nnz, Seed: c.seed}, "rpcholesky computes in float64, since what pivots leave is a difference")
	},
}

// oneLandmark is the usage of --nnz of methods with as many landmarks as the rank.
const oneLandmark = "landmarks per column of U; 0 means 1"
