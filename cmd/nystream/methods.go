package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
)

// methodInfo is a method of fit: its words on the command line, and what it
// runs.
type methodInfo struct {
	name, arguments, short, long string
	sketchUsage, nnzUsage        string // "" if there is no such flag
	tolerance                    bool   // takes --tol
	symmetric                    bool   // may give one factor and a shift
	twoSided                     bool   // may give two factors
	addFlags                     func(c *fitCommand, cmd *cobra.Command)
	solver                       func(c *fitCommand) solver
}

// solver is a method, or why the command line cannot have it.
type solver struct {
	lowrank.Method
	refused error
}

// inDouble is a method that computes in float64, and why.
func (c *fitCommand) inDouble(m lowrank.Method, why string) solver {
	s := solver{Method: m}
	if c.tiles() != lowrank.Float64 {
		s.refused = fmt.Errorf("--precision %s: %s", c.tiles(), why)
	}
	return s
}

var methods = []methodInfo{
	methodAuto,
	{
		name: "landmark", arguments: "DATA... [--right RIGHT...]",
		short: "Keep all landmark columns and fit the core by least squares; the most accurate",
		long: `Approximate the kernel matrix of the rows of DATA, or with --right the one between the
rows of DATA and of RIGHT, from nnz·rank landmark rows, all of which are kept. One
pass over each source; another two when factors are written. With --tol instead of
--rank the rank is the smallest whose estimated error is within the tolerance; --refine
goes on from there with exact passes over all entries.`,
		sketchUsage: "core points are nnz times this `number`; 0 means 10 times the rank",
		nnzUsage:    "landmarks per column of U; 0 means 4",
		symmetric:   true, twoSided: true,
		tolerance: true,
		addFlags: func(c *fitCommand, cmd *cobra.Command) {
			addShiftFlag("centred (least spectral error)", "fitted (least squares, near the diagonal of A)")(c, cmd)
			addLandmarksFlag(c, cmd, lowrank.ChoiceAuto, lowrank.ChoiceUniform, lowrank.ChoiceDeterminantal, lowrank.ChoicePivoted, lowrank.ChoiceLeverage)
			addRefineFlag(c, cmd)
		},
		solver: landmarkSolverOf,
	},
	{
		name: "s3spsd", arguments: "DATA...",
		short: "Sparse-sign sketch with a shift, for kernels without negative eigenvalues (Xie et al. 2023, Alg. 5)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA from a
sparse-sign sketch of it, with a multiple of the identity (Xie et al. 2023,
Algorithm 5). One pass; another two when factors are written.`,
		sketchUsage: sketchUsage,
		nnzUsage:    nnzUsage,
		symmetric:   true,
		addFlags:    addShiftFlag("decoupled", "paper (as published)", "none"),
		solver: func(c *fitCommand) solver {
			rule := map[string]lowrank.ShiftRule{"decoupled": lowrank.ShiftDecoupled, "paper": lowrank.ShiftPaper, "none": lowrank.ShiftNone}
			return solver{Method: lowrank.S3SPSD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Shift: rule[c.shift.value], Precision: c.tiles()}}
		},
	},
	{
		name: "ssrsvd", arguments: "LEFT... [--right RIGHT...] | --matrix FILE...",
		short: "Sparse-sign randomized SVD of any kernel matrix, or of a matrix on disk (Xie et al. 2023, Alg. 4)",
		long: `Approximate the kernel matrix between the rows of LEFT and those of RIGHT (of LEFT
again without --right), or f of the entries of a matrix on disk with --matrix FILE
--map f, by a singular value decomposition (Xie et al. 2023, Algorithm 4; for a
matrix all of whose entries are read, Algorithm 1). One pass over each source;
another two when factors are written. --refine goes on from there with a block Krylov
iteration on all entries: rows in memory, time in proportion to both numbers of rows,
and two passes come near the least error that the rank allows.`,
		sketchUsage: sketchUsage,
		nnzUsage:    nnzUsage,
		twoSided:    true,
		addFlags: func(c *fitCommand, cmd *cobra.Command) {
			addMatrixFlags(c, cmd)
			addRefineFlag(c, cmd)
		},
		solver: func(c *fitCommand) solver {
			if len(c.matrix) > 0 {
				f, _ := kernelgen.ParseMap(c.mapping) // checked when the job was made
				return solver{Method: lowrank.SSRSVDMatrix{Rank: c.rank, Sketch: c.sketch, Map: f, Seed: c.seed}}
			}
			if c.refine != 0 {
				return c.refined(lowrank.Subspace{Start: lowrank.SSRSVD{Sketch: c.sketch, NNZ: c.nnz}, TwoFactors: true})
			}
			return solver{Method: lowrank.SSRSVD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Precision: c.tiles()}}
		},
	},
	{
		name: "nystrom", arguments: "DATA...",
		short: "Nyström method: as many landmarks as the rank, uniform, by leverage or by pivots (Drineas & Mahoney 2005)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA from as many
landmark rows as the rank, by the Nyström method (Drineas and Mahoney 2005), without
a multiple of the identity; with --nnz from nnz times as many, truncated to the rank.
One pass; another two when factors are written.`,
		nnzUsage:  oneLandmark,
		symmetric: true,
		addFlags: func(c *fitCommand, cmd *cobra.Command) {
			addLandmarksFlag(c, cmd, lowrank.ChoiceUniform, lowrank.ChoiceLeverage, lowrank.ChoicePivoted, lowrank.ChoiceDeterminantal, lowrank.ChoiceAuto)
		},
		solver: func(c *fitCommand) solver {
			return solver{Method: lowrank.Nystrom{Rank: c.rank, NNZ: c.nnz, Choice: c.landmarkChoice(), Seed: c.seed, Precision: c.tiles()}}
		},
	},
	{
		name: "fastspsd", arguments: "DATA...",
		short: "Nyström landmarks with a core fitted by least squares on more rows (Wang et al. 2016)",
		long: `Approximate the positive semi-definite kernel matrix of the rows of DATA from as many
landmark rows as the rank, with a core fitted by least squares on these and on
uniformly drawn rows (Wang, Luo and Zhang 2016), without a multiple of the identity;
with --nnz from nnz times as many, truncated to the rank. One pass; another two when
factors are written.`,
		sketchUsage: "`number` of rows, besides the landmarks, that the core is fitted on; 0 means 5 times the number of landmarks",
		nnzUsage:    oneLandmark,
		symmetric:   true,
		solver: func(c *fitCommand) solver {
			return solver{Method: lowrank.FastSPSD{Rank: c.rank, NNZ: c.nnz, Sketch: c.sketch, Seed: c.seed, Precision: c.tiles()}}
		},
	},
	methodRPCholesky,
	methodRFF,
	methodPolySketch,
	{
		name: "subspace", arguments: "DATA...",
		short: "Block Krylov iteration on all entries of A, from a landmark fit; the least error, for up to about 100,000 rows",
		long: `Approximate the kernel matrix of the rows of DATA by a block Krylov iteration that
starts from a landmark fit: each of --passes exact passes computes half of all its
entries. The time grows with the square of the number of rows, the memory with rows
times rank times passes, and the model holds all rows. One pass over the files;
another two when factors are written.`,
		sketchUsage: "core points of the landmark fit at the start, nnz times this `number`; 0 means 5 times its rank",
		nnzUsage:    "landmarks per column of the landmark fit at the start; 0 means 4",
		symmetric:   true,
		addFlags: func(c *fitCommand, cmd *cobra.Command) {
			addShiftFlag("centred (least spectral error)", "none (near the best of its rank)")(c, cmd)
			cmd.Flags().IntVar(&c.passes, "passes", 3, "most exact `passes` over all entries of A; fewer when the residuals are below 1e-6")
		},
		solver: func(c *fitCommand) solver {
			rule := map[string]lowrank.SubspaceShift{"centred": lowrank.SubspaceCentred, "none": lowrank.SubspaceNone}
			s := c.inDouble(lowrank.Subspace{Rank: c.rank, Passes: c.passes, Start: lowrank.Landmark{Sketch: c.sketch, NNZ: c.nnz}, Seed: c.seed, Shift: rule[c.shift.value]}, exactInDouble)
			if c.passes < 1 {
				s.refused = fmt.Errorf("--passes %d must be at least 1", c.passes)
			}
			return s
		},
	},
}

const (
	sketchUsage = "columns of the sketch for the core, at least the rank; 0 means 5 times the rank"
	nnzUsage    = "nonzeros in each column of a sketch; 0 means 4"
)

// addShiftFlag offers rules, each a word and perhaps what it means.
func addShiftFlag(rules ...string) func(c *fitCommand, cmd *cobra.Command) {
	var words []string
	for _, r := range rules {
		word, _, _ := strings.Cut(r, " ")
		words = append(words, word)
	}
	return func(c *fitCommand, cmd *cobra.Command) {
		addExplained(cmd, &c.shift, "shift", "how the multiple of the identity is chosen: "+strings.Join(rules, ", "), words...)
	}
}

// addLandmarksFlag offers choices of landmarks, the first by default.
func addLandmarksFlag(c *fitCommand, cmd *cobra.Command, choices ...lowrank.LandmarkChoice) {
	meaning := map[lowrank.LandmarkChoice]string{
		lowrank.ChoiceAuto:          "auto (the best of uniform, rpc and dpp on sampled rows)",
		lowrank.ChoiceUniform:       "uniform",
		lowrank.ChoiceLeverage:      "leverage (in proportion to ridge leverage scores)",
		lowrank.ChoicePivoted:       "rpc (randomly pivoted Cholesky, for a small trace of A − Â)",
		lowrank.ChoiceDeterminantal: "dpp (determinantal, of the leading eigenvectors, for a small norm)",
	}
	var words, usage []string
	for _, choice := range choices {
		words, usage = append(words, choice.String()), append(usage, meaning[choice])
	}
	addExplained(cmd, &c.landmarks, "landmarks", "how landmarks are chosen: "+strings.Join(usage, ", "), words...)
}

// landmarkChoice is what --landmarks says.
func (c *fitCommand) landmarkChoice() lowrank.LandmarkChoice {
	for choice := range lowrank.ChoiceAuto {
		if choice.String() == c.landmarks.value {
			return choice
		}
	}
	return lowrank.ChoiceAuto
}

func addMatrixFlags(c *fitCommand, cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.matrix, "matrix", nil, "`files` that hold the matrix itself, instead of rows for a kernel")
	cmd.Flags().StringVar(&c.mapping, "map", "", "`function` of each entry of --matrix: "+strings.Join(kernelgen.MapNames(), ", ")+", or one of a multiple, as in 'exp(scale=-10)'; see nystream help maps")
	completeFiles(cmd, dataExtensions, "matrix")
	mustRegister(cmd.RegisterFlagCompletionFunc("map", cobra.FixedCompletions(kernelgen.MapNames(), cobra.ShellCompDirectiveNoFileComp)))
}

func methodNames() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return append(names, ksvdName, ismName)
}

// methodTable lists the methods for help texts.
func methodTable() string {
	var b strings.Builder
	for _, m := range methods {
		fmt.Fprintf(&b, "    %-10s %s\n", m.name, m.short)
	}
	fmt.Fprintf(&b, "    %-10s %s\n", ksvdName, ksvdShort)
	fmt.Fprintf(&b, "    %-10s %s\n", ismName, ismShort)
	return b.String()
}
