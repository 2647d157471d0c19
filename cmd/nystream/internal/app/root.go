package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// openSession starts the session of a command line, after flags are set.
func (a *App) openSession(cmd *cobra.Command) {
	a.Session = &blockstore.Session{Stores: NewStores(cmd.Context(), a.stall)}
	if dir := cmd.Flag("spool-dir"); dir != nil {
		a.Session.SpoolDir = dir.Value.String()
		a.Session.Quota = blockstore.HalfFree(a.Session.SpoolDir)
	}
	if size := cmd.Flag("max-spool-size"); size != nil && size.Changed {
		a.Session.Quota = blockstore.NewQuota(int64(*flags.Declaration(size).Value.(*flags.Size)))
	}
}

// Execute runs a command line with the verbs of root.
func (a *App) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	switch {
	case flags.AsksCompletion(args):
		flags.RegisterCompletions(root)
	case slices.Contains(args, "--version") || slices.Contains(args, "-v"):
		root.Version = versionAndBuild()
	}
	a.CommandLine = PlainWords(args)
	defer func() { _ = a.Session.Close() }() // remaining copies end with the process
	cmd, failed := root.ExecuteContextC(ctx)
	a.Progress.End()
	a.Progress = nil
	if failed == nil {
		return ExitOK
	}
	if a.Cmd != nil { // differs from cmd if merge runs a fit
		cmd = a.Cmd
	}
	return a.fail(ctx, cmd, failed)
}

// NewRoot returns the root command with some verbs.
func NewRoot(a *App, verbs ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:               "nystream",
		Version:           Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.Begin,
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(flags.Explain)
	root.SetGlobalNormalizationFunc(flags.Normalize)
	root.Flags().BoolP("version", "v", false, "print version and build")
	a.addGlobalFlags(root)
	flags.AddGroups(root)
	root.AddCommand(verbs...)
	return root
}

// NewVersion returns the command that prints what --version prints.
func NewVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: flags.MoreGroup,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s version %s\n", cmd.Root().Name(), versionAndBuild())
			return err
		},
	}
}

func versionAndBuild() string { return Version + ", build " + Build() }
