// Command nystream factors and embeds matrices that are too large to form, from
// files. Run nystream --help for the verbs. This package knows the families and the
// verbs, which do not know each other; internal has them, and none holds an algorithm.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/family/askls"
	"github.com/nystream/nystream/cmd/nystream/internal/family/ism"
	"github.com/nystream/nystream/cmd/nystream/internal/family/ksvd"
	"github.com/nystream/nystream/cmd/nystream/internal/family/lowrank"
	"github.com/nystream/nystream/cmd/nystream/internal/family/operator"
	"github.com/nystream/nystream/cmd/nystream/internal/family/ridge"
	"github.com/nystream/nystream/cmd/nystream/internal/family/transport"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/cmd/nystream/internal/verb"
	"github.com/nystream/nystream/solvers/nyblas"
)

func main() {
	blas64.Use(nyblas.Implementation{})
	ctx, ignore := app.HeedSignals()
	ctx, in := app.WatchLifeline(ctx, os.Stdin)
	code := run(ctx, app.PlainWords(os.Args[1:]), in, os.Stdout, os.Stderr)
	ignore()
	os.Exit(code)
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which --memory sets
	defer garbage.Loosen()                               // which a large plan tightens
	a := app.New(ctx, in, out, err)
	return a.Execute(ctx, newRootCommand(a), args)
}

// families are all that the command knows, in the order in which one should try them.
var families = []*fit.Family{ridge.Family, lowrank.Family, transport.Family, ksvd.Family, askls.Family, operator.Family, ism.Family}

// newRootCommand returns the root command with all verbs.
func newRootCommand(a *app.App) *cobra.Command {
	var readers []*saved.Family
	for _, f := range families {
		readers = append(readers, &f.Family)
	}
	root := app.NewRoot(a, fit.NewCommand(a, families), verb.NewTransform(a, readers), verb.NewPredict(a, readers), verb.NewVerify(a, readers),
		fit.NewPlan(a, families), fit.NewMerge(a), verb.NewInspect(a, readers), verb.NewConvert(a), verb.NewDemo(a, newRootCommand),
		app.NewVersion(), verb.NewManual())
	root.AddCommand(flags.NewTopics()...)
	root.InitDefaultCompletionCmd()
	flags.SetHelp(root)
	flags.AddTexts(root)
	return root
}
