package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
)

func newFitCommand(a *app, families []*family) *cobra.Command {
	return newMethodsCommand(a, families, &cobra.Command{
		Use: "fit METHOD DATA...",
	}, false)
}

// newMethodsCommand makes parent a command with a sub-command for each method.
func newMethodsCommand(a *app, families []*family, parent *cobra.Command, planning bool) *cobra.Command {
	// The parent runs when the method is missing or wrong, or is that of a folder of states.
	parent.Args = cobra.ArbitraryArgs
	parent.FParseErrWhitelist.UnknownFlags = true
	var states stateFlags
	if !planning {
		set := flags.New(parent)
		states.addShard(set)
		new(dataFlags).addCopies(set)
	}
	parent.RunE = func(cmd *cobra.Command, args []string) error {
		known := strings.Join(methodNames(families), ", ")
		switch {
		case len(args) == 0 && states.stops() && states.folder != "":
			fit, err := readSavedFit(states.folder)
			if err != nil {
				return err
			}
			return fit.run(cmd.Context(), a, cmd)
		case len(args) == 0:
			return flags.Usagef("a method is missing, one of %s: nystream fit landmark DATA...", known)
		}
		return flags.Usagef("%q is not a method; the methods are %s%s", args[0], known, flags.DidYouMean(args[0], methodNames(families)))
	}
	for _, f := range families {
		for _, m := range f.fitters {
			parent.AddCommand(m.command(&job{app: a, method: m.name, planning: planning}))
		}
	}
	return parent
}

// Flags that several families have.

func (j *job) addKernel(usage, such string) {
	j.set.Add(flags.Flag{Name: "kernel", Arg: "kernel", Usage: usage, Doc: "such as " + such + "; nystream help kernels lists them",
		First: true, For: flags.Rows, Value: flags.String(&j.kernelText, ""), Complete: flags.Kernels})
}

func (j *job) addRank(usage, doc string) {
	j.set.Add(flags.Flag{Name: "rank", Arg: "number", Usage: usage, Doc: strings.TrimPrefix(doc+"; also --n-components", "; "), First: true, Value: flags.Int(&j.rank, 0)})
}

func (j *job) addRight(usage string) {
	j.set.Add(flags.Flag{Name: "right", Arg: "files", Usage: usage, Group: flags.Data, Effect: flags.Locates, For: flags.Rows, Value: flags.Strings(&j.rightFiles), Complete: flags.DataFiles})
}

// addFactors adds a flag that names a file for coordinates of the rows of a side.
func (j *job) addFactors(flag, letter string, side model.Side, usage string) {
	j.addRowsFile(usage, &factorFile{flag: flag, what: letter, side: side})
}

// addClusters adds the flag that names a file for the clusters of the left rows.
func (j *job) addClusters(usage string) {
	j.addRowsFile(usage, &factorFile{flag: "clusters-output", what: "clusters in", kind: model.Class})
}

// addRowsFile adds a flag that names a file for a value or more of each row.
func (j *job) addRowsFile(usage string, f *factorFile) {
	if j.factors == nil {
		addOutputFormat(j.app, j.set)
	}
	j.factors = append(j.factors, f)
	j.set.Add(flags.Flag{Name: f.flag, Arg: "file", Usage: usage, Doc: "." + strings.Join(flags.OutputExtensions, " .") + ", or - for the standard output",
		Group: flags.Output, First: f.flag == "factors", Effect: flags.Writes, Value: flags.String(&f.path, ""), Complete: flags.OutputFiles})
}

func newPlanCommand(a *app, families []*family) *cobra.Command {
	plan := &cobra.Command{
		Use:  "plan",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			return flags.Usagef("plan needs a verb: nystream plan fit METHOD DATA...")
		},
	}
	plan.FParseErrWhitelist.UnknownFlags = true
	plan.AddCommand(newMethodsCommand(a, families, &cobra.Command{
		Use: "fit METHOD DATA...",
	}, true))
	return plan
}
