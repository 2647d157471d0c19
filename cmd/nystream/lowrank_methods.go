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
	name, arguments, short, long string
	sketchUsage, landmarksUsage  string // "" if there is no such flag
	tolerance                    bool   // takes --tol
	symmetric                    bool   // may give one factor and a shift
	twoSided                     bool   // may give two factors
	addFlags                     func(c *lowrankTask, cmd *cobra.Command)
	solver                       func(c *lowrankTask) (lowrank.Method, error)
}

var lowrankMethods = []lowrankMethod{
	{
		name: "auto", arguments: "DATA... [--right RIGHT...]",
		short: "Choose the method, the landmarks and the rank, and say why",
		long: `Choose a method by the kernel, the size of the data, --memory and --rank or --tol, and
say why: exact passes where A has few enough entries, landmarks otherwise, and as many of
them as the tolerance needs where there is no --rank (0.01 without --tol).`,
		tolerance: true,
		symmetric: true, twoSided: true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addShiftFlag(c, cmd, lowrank.ShiftMidpoint, lowrank.ShiftNone)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Auto{Rank: c.rank, ErrorTol: c.tolerance, Norm: c.norm, Shift: c.shift, Memory: int64(c.memory), Seed: c.seed}, nil
		},
	},
	{
		name: "landmark", arguments: "DATA... [--right RIGHT...]",
		short: "Keep all landmark columns and fit the core by least squares; the most accurate",
		long: `Approximate the kernel matrix of the rows of DATA, or with --right the one between the
rows of DATA and of RIGHT, from --landmarks rows, all of which are kept. One
pass over each source; another two when factors are written. With --tol instead of
--rank the rank is the smallest whose estimated error is within the tolerance.`,
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
		short: "Sparse-sign sketch with a shift, for kernels without negative eigenvalues (Xie et al. 2023, Alg. 5)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA from a
sparse-sign sketch of it, with a multiple of the identity (Xie et al. 2023,
Algorithm 5). One pass; another two when factors are written.`,
		sketchUsage: sketchUsage,
		symmetric:   true,
		addFlags:    func(c *lowrankTask, cmd *cobra.Command) { addShiftFlag(c, cmd, lowrank.ShiftPaper, lowrank.ShiftNone) },
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.S3SPSD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Shift: c.shift}, nil
		},
	},
	{
		name: "ssrsvd", arguments: "LEFT... [--right RIGHT...] | --matrix FILE...",
		short: "Sparse-sign randomized SVD of any kernel matrix, or of a matrix on disk (Xie et al. 2023, Alg. 4)",
		long: `Approximate the kernel matrix between the rows of LEFT and those of RIGHT (of LEFT
again without --right), or f of the entries of a matrix on disk with --matrix FILE
--map f, by a singular value decomposition (Xie et al. 2023, Algorithm 4; for a
matrix all of whose entries are read, the randomized SVD in one pass of Yu et al.
2017). One pass over each source; another two when factors are written. --refine makes
more passes over the files of a --matrix: one comes near the least error that the rank
allows, with nothing in memory but the sketch.`,
		sketchUsage: sketchUsage + "; of a --matrix, of its sketch",
		twoSided:    true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addMatrixFlags(c, cmd)
			cmd.Flags().IntVar(&c.refine, "refine", 0, "more `passes` over the files of --matrix")
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			if c.explicit() {
				return lowrank.SSRSVDMatrix{Rank: c.rank, Sketch: c.sketch, Refine: c.refine, Map: c.mapping, Seed: c.seed}, c.refinable()
			}
			return lowrank.SSRSVD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed}, nil
		},
	},
	{
		name: "nystrom", arguments: "DATA...",
		short: "Nyström method: as many landmarks as the rank, uniform or by pivots (Drineas & Mahoney 2005)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA from as many
landmark rows as the rank, by the Nyström method (Drineas and Mahoney 2005), without
a multiple of the identity; with more --landmarks from as many, truncated to the rank.
One pass; another two when factors are written.`,
		landmarksUsage: oneLandmark,
		symmetric:      true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addRuleFlag(c, cmd, lowrank.RuleUniform, lowrank.RulePivoted, lowrank.RuleDeterminantal, lowrank.RuleAuto)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.Nystrom{Rank: c.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.seed}, nil
		},
	},
	{
		name: "pca", arguments: "DATA...",
		short: "Kernel principal components: centred in feature space, with the share of the variance of each",
		long: `Find the --rank principal components of the rows of DATA in the feature space of the
kernel (Schölkopf, Smola and Müller 1998), in the span of --landmarks rows. Rows are
centred there, new rows by the same mean. The report has the share of the variance that
each component explains; it is exact for these components, and at most the share that
components without landmarks would have. nystream transform gives the scores, as
KernelPCA of scikit-learn has them. One pass; another two when factors are written.`,
		landmarksUsage: fourLandmarks,
		symmetric:      true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addRuleFlag(c, cmd, lowrank.RuleAuto, lowrank.RuleUniform, lowrank.RuleDeterminantal, lowrank.RulePivoted)
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.PCA{Rank: c.rank, Landmarks: c.landmarks, Rule: c.rule, Seed: c.seed}, nil
		},
	},
	{
		name: "rpcholesky", arguments: "DATA...",
		short: "Randomly pivoted Cholesky over all rows; a small trace of A − Â, for rows that fit in memory (Chen et al. 2023)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA by randomly
pivoted Cholesky (Chen, Epperly, Tropp and Webber 2023) in blocks with rejection
sampling (Epperly, Tropp and Webber 2024), without a multiple of the identity: the
Nyström method with --landmarks that are drawn from all rows, each in
proportion to what those before it leave of the diagonal. The rows are in memory
during the fit, with a number for each row and landmark. One pass over the files;
another two when factors are written.`,
		landmarksUsage: oneLandmark,
		symmetric:      true,
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.RPCholesky{Rank: c.rank, Landmarks: c.landmarks, Seed: c.seed}, nil
		},
	},
	{
		name: "rff", arguments: "DATA...",
		short: "Random Fourier features, for rbf, laplace, Matérn and other kernels of a difference (Rahimi & Recht 2007)",
		long: `Approximate the kernel matrix of the rows of DATA by the inner products of as many
random Fourier features as the rank (Rahimi and Recht 2007), a cosine and a sine for
each frequency, drawn from the spectral measure of the kernel; frequencies are orthogonal
for kernels of the Euclidean distance (Yu et al. 2016). The error falls as one
over the root of the rank, whatever the data: landmarks are nearly always better. No
kernel entries; one pass, another two when factors are written.`,
		symmetric: true,
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			return lowrank.RFF{Rank: c.rank, Seed: c.seed}, nil
		},
	},
	{
		name: "subspace", arguments: "DATA...",
		short: "Block Krylov iteration on all entries of A; the least error, for up to about 100,000 rows",
		long: `Approximate the kernel matrix of the rows of DATA by a block Krylov iteration from
random columns: each of --passes exact passes computes half of all its entries. The time
grows with the number of entries, the memory with rows times rank times passes, and the
model holds all rows. One pass over the file; another two when factors are written.
Between two sources nystream fit ksvd makes exact passes.`,
		symmetric: true,
		addFlags: func(c *lowrankTask, cmd *cobra.Command) {
			addShiftFlag(c, cmd, lowrank.ShiftMidpoint, lowrank.ShiftNone)
			cmd.Flags().IntVar(&c.passes, "passes", 3, "most exact `passes` over all entries of A; fewer when the residuals are below 1e-6")
		},
		solver: func(c *lowrankTask) (lowrank.Method, error) {
			if c.passes < 1 {
				return nil, fmt.Errorf("--passes %d must be at least 1", c.passes)
			}
			return lowrank.Subspace{Rank: c.rank, Passes: c.passes, Seed: c.seed, Shift: c.shift}, nil
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
		lowrank.ShiftFitted:   "least squares, near the diagonal of A",
		lowrank.ShiftMidpoint: "least spectral error, which the diagonal and the Frobenius norm pay for",
		lowrank.ShiftNone:     "without",
		lowrank.ShiftPaper:    "as published",
	}
	shifts := append([]lowrank.Shift{lowrank.ShiftFitted}, others...)
	var means []string
	for _, s := range shifts {
		means = append(means, meaning[s])
	}
	addChoice(cmd, &c.shift, "shift", "how the multiple of the identity is chosen", shifts, means...)
}

// addRuleFlag offers rules for landmarks, the first by default.
func addRuleFlag(c *lowrankTask, cmd *cobra.Command, rules ...lowrank.Rule) {
	meaning := map[lowrank.Rule]string{
		lowrank.RuleAuto:          "dpp, rpc or uniform, the first that evaluates a quarter of the kernel entries of the fit or less",
		lowrank.RulePivoted:       "randomly pivoted Cholesky, for a small trace of A − Â",
		lowrank.RuleDeterminantal: "determinantal, of the leading eigenvectors, for a small norm",
	}
	var means []string
	for _, rule := range rules {
		means = append(means, meaning[rule])
	}
	addChoice(cmd, &c.rule, "rule", "how landmarks are chosen", rules, means...)
}

func addMatrixFlags(c *lowrankTask, cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.matrix, "matrix", nil, "`files` that hold the matrix itself, instead of rows for a kernel")
	cmd.Flags().StringVar(&c.mapText, "map", "", "`function` of each entry of --matrix: "+strings.Join(kernelgen.MapNames(), ", ")+", or one of a multiple, as in 'exp(scale=-10)'; see nystream help maps")
	completeFiles(cmd, dataExtensions, "matrix")
	c.addCompletion(cmd, oneOf(kernelgen.MapNames()), "map")
}

// landmark returns the method of fit landmark, to a rank or to a tolerance.
func (c *lowrankTask) landmark() (lowrank.Method, error) {
	if c.tolerance != 0 {
		return lowrank.Adaptive{ErrorTol: c.tolerance, Norm: c.norm, Rank: c.rank, Memory: int64(c.memory),
			Rule: c.rule, Seed: c.seed, Shift: c.shift}, nil
	}
	return lowrank.Landmark{Rank: c.rank, Landmarks: c.landmarks, Core: c.core, Rule: c.rule, Seed: c.seed, Shift: c.shift}, nil
}

// refinable refuses a number of passes below 1.
func (c *lowrankTask) refinable() error {
	if c.given("refine") && c.refine < 1 {
		return fmt.Errorf("--refine %d must be at least 1", c.refine)
	}
	return nil
}
