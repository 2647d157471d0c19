// Command nystream factors and embeds matrices that are too large to form, from
// files. Run nystream --help for the verbs; each is in a file of its own here,
// and none holds an algorithm.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/solvers/nyblas"
)

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
