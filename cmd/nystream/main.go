// Command nystream factors and embeds matrices that are too large to form, from
// files. Run nystream --help for the verbs; each is in a file of its own here,
// and none holds an algorithm.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/solvers/nyblas"
)

// version is what nystream --version prints.
const version = "0.1.0"

func main() {
	blas64.Use(nyblas.Implementation{})
	ctx, ignore := heedSignals()
	ctx, in := watchLifeline(ctx, os.Stdin)
	code := run(ctx, plainWords(os.Args[1:]), in, os.Stdout, os.Stderr)
	ignore()
	os.Exit(code)
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which --memory sets
	defer garbage.Loosen()                               // which a large plan tightens
	a := newApp(ctx, in, out, err)
	return a.execute(ctx, newRootCommand(a), args)
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

// families are all that the command knows.
var families = []*family{lowrankFamily, ksvdFamily, ismFamily, operatorFamily, asklsFamily, transportFamily, ridgeFamily}

// newRootCommand returns the root command with all verbs.
func newRootCommand(a *app) *cobra.Command {
	var readers []*savedFamily
	for _, f := range families {
		readers = append(readers, &f.savedFamily)
	}
	root := newRoot(a, newFitCommand(a, families), newTransformCommand(a, readers), newPredictCommand(a, readers), newVerifyCommand(a, readers),
		newInspectCommand(a, readers), newConvertCommand(a), newPlanCommand(a, families), newMergeCommand(a), newDemoCommand(a, newRootCommand), newManualCommand())
	root.AddCommand(flags.NewTopics()...)
	flags.SetHelp(root)
	flags.AddTexts(root, methodNames(families))
	return root
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
