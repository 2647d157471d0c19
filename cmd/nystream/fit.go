package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

// fitCommand is one command line of fit, or of plan fit.
type fitCommand struct {
	*app
	method methodInfo
	data   dataFlags
	rows   preparationFlags
	right  []string // files of the right source
	matrix []string // files of an explicit matrix

	kernel, mapping      string
	rank, sketch, nnz    int
	ranked               bool // --rank was given
	shift, precision     choice
	landmarks            choice // of nystrom
	features, weights    choice // of rff, of polysketch
	passes               int    // exact passes, of subspace
	refine               int    // exact passes from the model of a method on
	tolerance            float64
	output               string
	factors, left, other string // files for U, for U of two, for V
	planning             bool
}

func newFitCommand(a *app) *cobra.Command {
	return newMethodsCommand(a, &cobra.Command{
		Use:   "fit METHOD DATA...",
		Short: "Fit a low-rank model to the rows of files",
		Long: `Fit a low-rank model of the kernel matrix between the rows of DATA, and write it to
an .npz archive. METHOD says how; landmark is the one to begin with:

` + methodTable() + `
The kernels are listed by nystream help kernels, the functions for --map by
nystream help maps.`,
	}, false)
}

// newMethodsCommand makes parent a command with a sub-command for each method.
func newMethodsCommand(a *app, parent *cobra.Command, planning bool) *cobra.Command {
	// The parent only ever runs when the method is missing or wrong.
	parent.Args = cobra.ArbitraryArgs
	parent.FParseErrWhitelist.UnknownFlags = true
	parent.RunE = func(_ *cobra.Command, args []string) error {
		known := strings.Join(methodNames(), ", ")
		if len(args) == 0 {
			return usagef("a method is missing, one of %s: nystream fit landmark DATA...", known)
		}
		return usagef("%q is not a method; the methods are %s%s", args[0], known, didYouMean(args[0], methodNames()))
	}
	for _, m := range methods {
		c := &fitCommand{app: a, method: m, planning: planning}
		parent.AddCommand(c.command())
	}
	parent.AddCommand(newKSVDCommand(a, planning), newISMCommand(a, planning))
	return parent
}

func (c *fitCommand) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:               c.method.name + " " + c.method.arguments,
		Short:             c.method.short,
		Long:              c.method.long,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeData,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.ranked = cmd.Flags().Changed("rank")
			return c.run(cmd.Context(), args)
		},
	}
	c.addFlags(cmd)
	c.data.add(cmd, allArgs)
	c.rows.add(cmd)
	return cmd
}

func (c *fitCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.kernel, "kernel", "", "`kernel` such as 'rbf(sigma2=0.2)', 'matern52(length=median)' or '0.5*linear() + laplace(gamma=1)'; nystream help kernels lists them")
	f.IntVar(&c.rank, "rank", 0, "`number` of columns of U; also --n-components")
	mustRegister(cmd.RegisterFlagCompletionFunc("kernel", completeKernels))
	if c.method.tolerance {
		f.Float64Var(&c.tolerance, "tol", 0, "relative spectral `error` to reach, such as 0.01, instead of --rank, which then is the most")
	}
	if c.method.sketchUsage != "" {
		f.IntVar(&c.sketch, "sketch", 0, c.method.sketchUsage)
	}
	if c.method.nnzUsage != "" {
		f.IntVar(&c.nnz, "nnz", 0, c.method.nnzUsage)
	}
	addChoice(cmd, &c.precision, "precision", "arithmetic of the kernel entries of a pass; float32 is faster, and refused when it is not good enough for the fit",
		lowrank.Float64.String(), lowrank.Float32.String())
	addModelFlag(cmd, &c.output)
	if c.method.symmetric {
		addFactorFlag(cmd, &c.factors, "factors", "write U, one row per input row,")
	}
	if c.method.twoSided {
		f.StringSliceVar(&c.right, "right", nil, "`files` whose rows are the columns of A; repeat it or use commas for several")
		completeFiles(cmd, dataExtensions, "right")
		addFactorFlag(cmd, &c.left, "left-factors", "write U of A ≈ U·diag(values)·Vᵀ, one row per row of DATA,")
		addFactorFlag(cmd, &c.other, "right-factors", "write V of A ≈ U·diag(values)·Vᵀ, one row per column of A,")
	}
	if c.method.addFlags != nil {
		c.method.addFlags(c, cmd)
	}
}

// addModelFlag adds the flag that names the file of the model.
func addModelFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVarP(value, "output", "o", "", "model `file`, .npz")
	completeFiles(cmd, modelExtensions, "output")
}

// addFactorFlag adds a flag that names a file for rows of numbers.
func addFactorFlag(cmd *cobra.Command, value *string, name, what string) {
	cmd.Flags().StringVar(value, name, "", what+" to `file` (."+strings.Join(outputExtensions, " .")+")")
	completeFiles(cmd, outputExtensions, name)
}

// run does what the command line asks for.
func (c *fitCommand) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	j, err := c.newJob(args)
	if err != nil {
		return err
	}
	return runFit(ctx, c.app, j, args, c.planning)
}

// check refuses command lines that contradict themselves.
func (c *fitCommand) check(args []string) error {
	if err := refuse([]contradiction{
		{len(args) == 0 && len(c.matrix) == 0, "no data: name files, quoted globs, folders, or - for the standard input"},
		{len(c.matrix) > 0 && len(args)+len(c.right) > 0, "--matrix names the matrix itself: leave out DATA and --right, or leave out --matrix"},
		{len(c.matrix) > 0 && c.tiles() != lowrank.Float64, "--precision is for kernels: leave it out with --matrix"},
		{len(c.matrix) > 0 && c.refine != 0, "--refine is for kernels: the fit of a --matrix has read all its entries; leave it out"},
		{len(c.matrix) > 0 && c.kernel != "", "--matrix goes with --map, not with --kernel"},
		{len(c.matrix) == 0 && c.mapping != "", "--map goes with --matrix; for rows of DATA name a --kernel"},
		{len(c.matrix) == 0 && c.kernel == "", "--kernel is missing, such as --kernel 'rbf(gamma=median)'"},
		{slices.Contains(args, "-") && slices.Contains(c.right, "-"), "the standard input can serve only one side: name files for DATA or for --right"},
		{!c.ranked && c.tolerance == 0 && c.method.name != "auto", "--rank is missing: how many columns U shall have, such as --rank 50" + c.orTolerance()},
		{c.ranked && c.rank < 1, "--rank must be at least 1"},
		{c.tolerance != 0 && !(c.tolerance > 0 && c.tolerance < 1), "--tol must be above 0 and below 1, such as 0.01"},
		{c.tolerance != 0 && len(c.right) > 0, "--tol is for the symmetric matrix of one source: name a --rank with --right"},
		{c.tolerance != 0 && c.refine != 0, "--refine needs a --rank instead of --tol"},
		{len(c.right) > 0 && c.method.name == "landmark" && c.landmarks.index() > 1, "--landmarks is for the symmetric matrix of one source: with --right they are uniform"},
		{c.output == "" && !c.planning, "-o is missing: the model file, such as -o model.npz"},
		{c.factors != "" && len(c.right) > 0, "with --right there are two factors: name --left-factors, --right-factors or both"},
		{len(c.right) > 0 && c.shift.index() > 0, "--shift is for the symmetric matrix of one source: leave it out with --right"},
		{c.symmetric() && c.left+c.other != "", "the matrix is symmetric and has one factor: name --factors"},
	}); err != nil {
		return err
	}
	if err := c.data.check(); err != nil {
		return err
	}
	return c.checkOutputs(append(append(args[:len(args):len(args)], c.right...), c.matrix...))
}

// orTolerance tells of the alternative to --rank.
func (c *fitCommand) orTolerance() string {
	if c.method.tolerance {
		return "; or which error is small enough, such as --tol 0.01"
	}
	return ""
}

// tiles is the precision that was asked for.
func (c *fitCommand) tiles() lowrank.Precision { return lowrank.Precision(c.precision.index()) }

// symmetric says whether A is approximated by one factor.
func (c *fitCommand) symmetric() bool { return c.method.symmetric && len(c.right) == 0 }

// checkOutputs refuses outputs that could not be written.
func (c *fitCommand) checkOutputs(inputs []string) error {
	if c.output != "" {
		if err := checkOutput("-o", c.output, modelExtensions, inputs); err != nil {
			return err
		}
	}
	named := []string{}
	for _, f := range []struct{ flag, path string }{{"--factors", c.factors}, {"--left-factors", c.left}, {"--right-factors", c.other}} {
		if f.path == "" {
			continue
		}
		if err := checkOutput(f.flag, f.path, outputExtensions, inputs); err != nil {
			return err
		}
		named = append(named, f.path)
	}
	return checkDistinct(named...)
}

// names are the sources in the words of the report.
func (j *job) names() []string {
	switch {
	case len(j.cmd.matrix) > 0:
		return []string{"matrix"}
	case j.right != nil:
		return []string{"left", "right"}
	}
	return []string{"data"}
}

// describe is one line about a fit for titles.
func (j *job) describe(rows, cols int64) string {
	if len(j.cmd.matrix) > 0 {
		return fmt.Sprintf("%s model of %s of a %s × %s matrix", j.cmd.method.name, j.mapping, show.Count(rows), show.Count(cols))
	}
	return fmt.Sprintf("%s model of the %s × %s kernel matrix %s", j.cmd.method.name, show.Count(rows), show.Count(cols), j.kernel)
}
