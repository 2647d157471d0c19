package main

import (
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/lowrank"
)

// methodRFF is fit rff.
var methodRFF = methodInfo{
	name: "rff", arguments: "DATA...",
	short: "Random Fourier features, for rbf, laplace, Matérn and other kernels of a difference (Rahimi & Recht 2007)",
	long: `Approximate the kernel matrix of the rows of DATA by the inner products of as many
random Fourier features as the rank (Rahimi and Recht 2007), a cosine and a sine for
each frequency, drawn from the spectral measure of the kernel. The error falls as one
over the root of the rank, whatever the data: landmarks are nearly always better. No
kernel entries; one pass, another two when factors are written.`,
	symmetric: true,
	addFlags: func(c *fitCommand, cmd *cobra.Command) {
		addExplained(cmd, &c.features, "features", "how frequencies are drawn: gaussian (independent), orthogonal (less variance, for kernels of the Euclidean distance)",
			"gaussian", "orthogonal")
	},
	solver: func(c *fitCommand) solver {
		return c.inDouble(lowrank.RFF{Rank: c.rank, Orthogonal: c.features.value == "orthogonal", Seed: c.seed}, featuresInDouble)
	},
}

// methodPolySketch is fit polysketch.
var methodPolySketch = methodInfo{
	name: "polysketch", arguments: "DATA...",
	short: "TensorSketch features, for poly, expdot and rbf kernels of short rows (Pham & Pagh 2013, Han et al. 2020)",
	long: `Approximate the kernel matrix of the rows of DATA by the inner products of as many
TensorSketch features as the rank: of the power of a polynomial kernel (Pham and Pagh
2013), or of the powers in the Taylor series of expdot and rbf, each with its weight
(Han, Avron and Shin 2020). Powers above 3 or 4 take many features: scale the rows or
the kernel so that scale·x·y, or 2·gamma·r², is about 1. No kernel entries but those of
the weights; one pass, another two when factors are written.`,
	symmetric: true,
	addFlags: func(c *fitCommand, cmd *cobra.Command) {
		addExplained(cmd, &c.weights, "weights", "weights of the powers of expdot and rbf: fitted (least squares on some rows), taylor (of the series, unbiased)",
			"fitted", "taylor")
	},
	solver: func(c *fitCommand) solver {
		rule := map[string]lowrank.WeightRule{"fitted": lowrank.WeightsFitted, "taylor": lowrank.WeightsTaylor}
		return c.inDouble(lowrank.PolySketch{Rank: c.rank, Weights: rule[c.weights.value], Seed: c.seed}, featuresInDouble)
	},
}

// featuresInDouble says why there is no precision to choose.
const featuresInDouble = "precision is for kernel entries, and a pass over features computes none"
