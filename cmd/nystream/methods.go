package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
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

// solver plans and runs one method.
type solver interface {
	plan(e stream.Engine, s shape) (*lowrank.Plan, error)
	fit(ctx context.Context, e stream.Engine, s sources, k kernelgen.Kernel) (*fitted, error)
}

// shape is the size of the data: right is 0 for one source.
type shape struct {
	left, right int64
	columns     int
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
			return spsdSolver{lowrank.S3SPSD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Shift: rule[c.shift.value], Precision: c.tiles()}}
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
				return matrixSolver{lowrank.SSRSVDMatrix{Rank: c.rank, Sketch: c.sketch, Map: f, Seed: c.seed}}
			}
			if c.refine != 0 {
				return c.refinedSVD(lowrank.SSRSVD{Sketch: c.sketch, NNZ: c.nnz})
			}
			return svdSolver{lowrank.SSRSVD{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Precision: c.tiles()}}
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
			return nystromSolver{lowrank.Nystrom{Rank: c.rank, NNZ: c.nnz, Choice: c.landmarkChoice(), Seed: c.seed, Precision: c.tiles()}}
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
			return fastSolver{lowrank.FastSPSD{Rank: c.rank, NNZ: c.nnz, Sketch: c.sketch, Seed: c.seed, Precision: c.tiles()}}
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
			return subspaceSolver{lowrank.Subspace{Rank: c.rank, Passes: c.passes, Sketch: c.sketch, NNZ: c.nnz, Seed: c.seed, Shift: rule[c.shift.value]}, c.tiles(), c.passes, "--passes"}
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

// kernelFit is a fit of a kernel matrix in the common shape.
func kernelFit(f *lowrank.Fit, err error) (*fitted, error) {
	if err != nil {
		return nil, err
	}
	return &fitted{kernel: f.Model, notes: f.Notes, entries: f.KernelEntries, estimate: f.ErrorEstimate, spectral: f.SpectralEstimate, trace: f.TraceResidual,
		condition: f.Condition, bound: f.OrthogonalityBound, single: f.PrecisionBound}, nil
}

type spsdSolver struct{ lowrank.S3SPSD }

func (s spsdSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, n.columns)
}

func (s spsdSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	return kernelFit(s.Fit(ctx, e, src.left, k))
}

type nystromSolver struct{ lowrank.Nystrom }

func (s nystromSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, n.columns)
}

func (s nystromSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	return kernelFit(s.Fit(ctx, e, src.left, k))
}

type fastSolver struct{ lowrank.FastSPSD }

func (s fastSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, n.columns)
}

func (s fastSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	return kernelFit(s.Fit(ctx, e, src.left, k))
}

// subspaceSolver refuses what is for other methods.
type subspaceSolver struct {
	lowrank.Subspace
	precision lowrank.Precision
	passes    int    // as given: 0 is not the default here
	flag      string // that gave them
}

func (s subspaceSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	if s.precision != lowrank.Float64 {
		return nil, fmt.Errorf("--precision %s: exact passes compute in float64, since they would only reach the error of the entries", s.precision)
	}
	if s.passes < 1 {
		return nil, fmt.Errorf("%s %d must be at least 1", s.flag, s.passes)
	}
	return s.Plan(e, n.left, n.columns)
}

func (s subspaceSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	f, err := s.Fit(ctx, e, src.left, k)
	if err != nil {
		return nil, err
	}
	return subspaceFit(f)
}

// subspaceFit is a fit with exact passes in the common shape.
func subspaceFit(f *lowrank.SubspaceFit) (*fitted, error) {
	out, err := kernelFit(f.Fit, nil)
	if err == nil {
		out.exact = &exactPasses{Made: f.ExactPasses, Residual: show.Number(f.Residual())}
	}
	return out, err
}

type svdSolver struct{ lowrank.SSRSVD }

func (s svdSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, n.right, n.columns)
}

func (s svdSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	return kernelFit(s.Fit(ctx, e, src.left, src.rightSource(), k))
}

type matrixSolver struct{ lowrank.SSRSVDMatrix }

func (s matrixSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, int64(n.columns))
}

func (s matrixSolver) fit(ctx context.Context, e stream.Engine, src sources, _ kernelgen.Kernel) (*fitted, error) {
	return kernelFit(s.Fit(ctx, e, src.left))
}
