package main

import "github.com/nystream/nystream/solvers/lowrank"

// methodAuto is fit auto.
var methodAuto = methodInfo{
	name: "auto", arguments: "DATA... [--right RIGHT...]",
	short: "Choose the method, the landmarks and the rank, and say why",
	long: `Choose a method by the kernel, the size of the data, --memory and --rank or --tol, and
say why: exact passes where A has few enough entries, landmarks otherwise, and as many of
them as the tolerance needs where there is no --rank (0.01 without --tol).`,
	tolerance: true,
	symmetric: true, twoSided: true,
	solver: func(c *fitCommand) solver {
		return solver{Method: lowrank.Auto{Rank: c.rank, Tolerance: c.tolerance, Memory: int64(c.memory), Seed: c.seed, Precision: c.tiles()}}
	},
}
