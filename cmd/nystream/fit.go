package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/model"
)

func newFitCommand(a *app, families []*family) *cobra.Command {
	return newMethodsCommand(a, families, &cobra.Command{
		Use: "fit METHOD DATA...",
	}, false)
}

// newMethodsCommand makes parent a command with a sub-command for each method.
func newMethodsCommand(a *app, families []*family, parent *cobra.Command, planning bool) *cobra.Command {
	// The parent only ever runs when the method is missing or wrong.
	parent.Args = cobra.ArbitraryArgs
	parent.FParseErrWhitelist.UnknownFlags = true
	parent.RunE = func(_ *cobra.Command, args []string) error {
		names := methodNames(families)
		known := strings.Join(names, ", ")
		if len(args) == 0 {
			return usagef("a method is missing, one of %s: nystream fit landmark DATA...", known)
		}
		return usagef("%q is not a method; the methods are %s%s", args[0], known, didYouMean(args[0], names))
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
	j.app.addOutputFormat(cmd)
	j.task = m.task(j, cmd)
	j.task.complete(j)
}

// Flags that several families have.

func (j *job) addKernel(cmd *cobra.Command, such string) {
	cmd.Flags().StringVar(&j.kernelText, "kernel", "", "`kernel` such as "+such+"; nystream help kernels lists them")
	j.app.addCompletion(cmd, completeKernels, "kernel")
}

func (j *job) addRank(cmd *cobra.Command, what string) {
	cmd.Flags().IntVar(&j.rank, "rank", 0, "`number` of "+what+" (also --n-components)")
}

func (j *job) addRight(cmd *cobra.Command, what string) {
	cmd.Flags().StringSliceVar(&j.rightFiles, "right", nil, "`files` whose rows are "+what)
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
