package fit

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
)

func NewCommand(a *app.App, families []*Family) *cobra.Command {
	return newMethodsCommand(a, families, &cobra.Command{
		Use:     "fit METHOD DATA...",
		GroupID: flags.ModelsGroup,
	}, false)
}

// newMethodsCommand turns parent into a command with a sub-command for each method.
func newMethodsCommand(a *app.App, families []*Family, parent *cobra.Command, planning bool) *cobra.Command {
	// The parent runs if the method is missing or unknown, or comes from a folder of states.
	parent.Args = cobra.ArbitraryArgs
	parent.FParseErrWhitelist.UnknownFlags = true
	var states stateFlags
	var methods []string
	if !planning {
		set := flags.New(parent)
		states.addShard(set)
		new(rows.DataFlags).AddCopies(set)
	}
	parent.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && states.Stops() && states.Folder != "":
			fit, err := readSavedFit(states.Folder)
			if err != nil {
				return err
			}
			return fit.run(cmd.Context(), a, cmd)
		case len(args) == 0:
			return flags.Usagef("a method is missing\n\n%s\n", flags.CommandList(cmd))
		}
		return flags.Usagef("%q is not a method; the methods are %s%s", args[0], strings.Join(methods, ", "), flags.DidYouMean(args[0], methods))
	}
	parent.AddGroup(&cobra.Group{ID: "methods", Title: "Methods, in the order in which to try them:"})
	for _, v := range verbs(families) {
		methods = append(methods, v.Name)
		parent.AddCommand(v.command(&Job{App: a, Method: v.Name, planning: planning}))
	}
	return parent
}

// Flags common to several families.

func (j *Job) AddKernel(usage, such string) {
	j.Set.Add(flags.Flag{Name: "kernel", Arg: "kernel", Usage: usage, Doc: "such as " + such + "; nystream help kernels lists them",
		First: true, For: flags.Rows, Value: flags.String(&j.KernelText, ""), Complete: flags.Kernels})
}

func (j *Job) AddRank(usage, doc string) {
	j.Set.Add(flags.Flag{Name: "rank", Arg: "number", Usage: usage, Doc: strings.TrimPrefix(doc+"; also --n-components", "; "), First: true, Value: flags.Int(&j.Rank, 0)})
}

func (j *Job) AddRight(usage string) {
	j.Set.Add(flags.Flag{Name: "right", Arg: "files", Usage: usage, Group: flags.Data, Effect: flags.Locates, For: flags.Rows, Value: flags.Strings(&j.RightFiles), Complete: flags.DataFiles})
}

// AddFactors adds a flag for the output file of the coordinates of the rows of a side.
func (j *Job) AddFactors(flag, letter string, side model.Side, usage string) {
	j.addRowsFile(usage, &FactorFile{flag: flag, what: letter, Side: side})
}

// AddClusters adds the flag for the output file of the clusters of the left rows.
func (j *Job) AddClusters(usage string) {
	j.addRowsFile(usage, &FactorFile{flag: "clusters-output", what: "clusters in", kind: model.Class})
}

// addRowsFile adds a flag for an output file with one or more values for each row.
func (j *Job) addRowsFile(usage string, f *FactorFile) {
	if j.Factors == nil {
		rows.AddOutputFormat(j.App, j.Set)
	}
	j.Factors = append(j.Factors, f)
	j.Set.Add(flags.Flag{Name: f.flag, Arg: "file", Usage: usage, Doc: "." + strings.Join(flags.OutputExtensions, " .") + ", or - for the standard output",
		Group: flags.Output, First: f.flag == "factors", Effect: flags.Writes, Value: flags.String(&f.Path, ""), Complete: flags.OutputFiles})
}

func NewPlan(a *app.App, families []*Family) *cobra.Command {
	plan := &cobra.Command{
		Use:     "plan fit METHOD DATA...",
		GroupID: flags.ModelsGroup,
		Args:    cobra.ArbitraryArgs,
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
