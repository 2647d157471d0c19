package fit

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// mergeCommand holds the flags of one run of merge.
type mergeCommand struct {
	app            *app.App
	states, output string
	right          []string
	keep           bool
	draws          drawFlags
	set            *flags.Set
}

func NewMerge(a *app.App) *cobra.Command {
	c := &mergeCommand{app: a}
	cmd := &cobra.Command{
		Use:               "merge [DATA...]",
		GroupID:           flags.ModelsGroup,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteData,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.set = flags.New(cmd)
	c.set.Add(
		flags.Flag{Name: "states", Arg: "folder", Usage: "states of the shards", Group: flags.Runs, First: true, Effect: flags.Process, Value: flags.String(&c.states, ""), Complete: flags.Folders},
		flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "the model, .npz", Group: flags.Output, First: true, Effect: flags.Writes, Value: flags.String(&c.output, ""), Complete: flags.ModelFiles},
		flags.Flag{Name: "right", Arg: "files", Usage: "new paths of the files of --right or --with", Group: flags.Data, Effect: flags.Locates, Value: flags.Strings(&c.right), Complete: flags.DataFiles},
		flags.Flag{Name: "keep-states", Usage: "keep the states after the fit", Group: flags.Runs, Effect: flags.Process, Value: flags.Bool(&c.keep, false)},
	)
	c.draws.add(c.set)
	return cmd
}

func (c *mergeCommand) run(cmd *cobra.Command, data []string) error {
	refuse := c.set.Refuse()
	refuse.When(c.states == "", "--states is missing: the folder with the states of the shards")
	refuse.When(c.output == "", "-o is missing: the model file, such as -o model.npz")
	refuse.When(cmd.Flags().Changed("seed"), "--seed is that of the shards: leave it out")
	if err := refuse.Err(); err != nil {
		return err
	}
	folder := stateFlags{Folder: c.states}
	if err := folder.checkFolder(); err != nil {
		return err
	}
	fit, err := readSavedFit(c.states)
	if err != nil {
		return err
	}
	fit.Move(data, c.right)
	err = fit.run(cmd.Context(), c.app, cmd)
	if err != nil && len(data) == 0 && fit.FilesMissing() {
		return fmt.Errorf("%w; if the data have other paths here, name them: nystream merge DATA... --states %s", err, c.states)
	}
	return err
}
