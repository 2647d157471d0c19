package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// openSession starts the session of a command line, whose flags are set.
func (a *app) openSession(cmd *cobra.Command) {
	a.session = &blockstore.Session{Stores: newStores(cmd.Context(), a.stall)}
	if dir := cmd.Flag("spool-dir"); dir != nil {
		a.session.SpoolDir = dir.Value.String()
		a.session.Quota = blockstore.HalfFree(a.session.SpoolDir)
	}
	if size := cmd.Flag("max-spool-size"); size != nil && size.Changed {
		a.session.Quota = blockstore.NewQuota(int64(*flags.Of(size).Value.(*flags.Size)))
	}
}

// execute runs a command line with the verbs of root.
func (a *app) execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	switch {
	case flags.AsksCompletion(args):
		flags.RegisterCompletions(root)
	case slices.Contains(args, "--version") || slices.Contains(args, "-v"):
		root.Version = version + ", build " + build()
	}
	a.commandLine = plainWords(args)
	defer func() { _ = a.session.Close() }() // what is left of copies goes with the process
	cmd, failed := root.ExecuteContextC(ctx)
	a.progress.end()
	a.progress = nil
	if failed == nil {
		return exitOK
	}
	if a.cmd != nil { // which is another one if merge runs a fit
		cmd = a.cmd
	}
	return a.fail(ctx, cmd, failed)
}

// newRoot returns the root command with some verbs.
func newRoot(a *app, verbs ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:               "nystream",
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.begin,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flags.Explain)
	root.SetGlobalNormalizationFunc(flags.Normalize)
	root.Flags().BoolP("version", "v", false, "print the version and the build, which states of passes are kept for")
	a.addGlobalFlags(root)
	root.AddCommand(verbs...)
	return root
}
