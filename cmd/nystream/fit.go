package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/model"
)

func newFitCommand(a *app) *cobra.Command {
	return newMethodsCommand(a, &cobra.Command{
		Use:   "fit METHOD DATA...",
		Short: "Fit a low-rank model to the rows of files",
		Long: `Fit a low-rank model of the kernel matrix between the rows of DATA, and write it to
an .npz archive. METHOD says how; landmark is the one to begin with:

` + methodTable() + `
The kernels are listed by nystream help kernels, the functions for --map by
nystream help maps.

A fit that takes long is kept with --checkpoint ck: the same command goes on where it
was killed or interrupted. Several machines share a fit with --shard and --states: each
does a part of the next pass, and nystream merge makes the model, or the same fit with
--states alone. nystream plan fit tells how many rounds of shards there are, or why the
fit cannot be shared out. Models have the same bytes either way.`,
	}, false)
}

// methodTable lists the methods for help texts.
func methodTable() string {
	var b strings.Builder
	for _, f := range families {
		for _, m := range f.fitters {
			fmt.Fprintf(&b, "    %-10s %s\n", m.name, m.short)
		}
	}
	return b.String()
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
	for _, f := range families {
		for _, m := range f.fitters {
			parent.AddCommand(m.command(&job{app: a, method: m.name, planning: planning}))
		}
	}
	return parent
}

// command returns the sub-command that runs a job.
func (m *fitter) command(j *job) *cobra.Command {
	cmd := &cobra.Command{
		Use:               m.name + " " + m.arguments,
		Short:             m.short,
		Long:              m.long,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeData,
		RunE:              func(cmd *cobra.Command, args []string) error { return j.do(cmd.Context(), args) },
	}
	j.given, j.flags = cmd.Flags().Changed, cmd.Flags()
	m.addFlags(j, cmd)
	return cmd
}

// addFlags adds the flags of the sub-command, and makes the task that they are of.
func (m *fitter) addFlags(j *job, cmd *cobra.Command) {
	j.data.add(j.app, cmd)
	j.rows.add(cmd)
	j.states.add(cmd)
	j.draws.add(cmd)
	j.shown = make(map[model.Side]*sampled)
	cmd.Flags().StringVarP(&j.output, "output", "o", "", "model `file`, .npz")
	completeFiles(cmd, modelExtensions, "output")
	j.addOutputFormat(cmd)
	j.task = m.task(j, cmd)
}

// Flags that several families have.

func (j *job) addKernel(cmd *cobra.Command, such string) {
	cmd.Flags().StringVar(&j.kernelText, "kernel", "", "`kernel` such as "+such+"; nystream help kernels lists them")
	j.addCompletion(cmd, completeKernels, "kernel")
}

func (j *job) addRank(cmd *cobra.Command, what string) {
	cmd.Flags().IntVar(&j.rank, "rank", 0, "`number` of "+what+"; also --n-components")
}

func (j *job) addRight(cmd *cobra.Command, what string) {
	cmd.Flags().StringSliceVar(&j.rightFiles, "right", nil, "`files` whose rows are "+what+"; repeat it or use commas for several")
	completeFiles(cmd, dataExtensions, "right")
}

// addFactors adds a flag that names a file for coordinates of the rows of a side.
func (j *job) addFactors(cmd *cobra.Command, flag, letter string, side model.Side, what string) {
	j.addRowsFile(cmd, what, &factorFile{flag: flag, what: letter, side: side})
}

// addClusters adds the flag that names a file for the clusters of the left rows.
func (j *job) addClusters(cmd *cobra.Command, what string) {
	j.addRowsFile(cmd, what, &factorFile{flag: "clusters-output", what: "clusters in", kind: model.Class})
}

// addRowsFile adds a flag that names a file for a value or more of each row.
func (j *job) addRowsFile(cmd *cobra.Command, what string, f *factorFile) {
	j.factors = append(j.factors, f)
	extensions := strings.Join(outputExtensions, " .")
	cmd.Flags().StringVar(&f.path, f.flag, "", what+" to `file` (."+extensions+"), or - for the standard output")
	completeFiles(cmd, outputExtensions, f.flag)
}
