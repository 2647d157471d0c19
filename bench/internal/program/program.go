// Package program has the parts common to the programs of bench: flags, function main, the build of the command
// nystream, peak memory and processor time.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Main is the main function of a program. It parses the command line, and calls run with a context that ends on an
// interrupt. Matrix products are those of package nyblas, as in the command. It prints errors to standard error, and
// exits with 2 for errors of the command line and 1 for others.
func Main[O any](name string, parse func(args []string) (O, error), run func(context.Context, O) error) {
	blas64.Use(nyblas.Implementation{})
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) { // the flags have been printed
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err = run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Flags returns the flags of a program, with -out: the folder for the results, by default a temporary folder.
func Flags(name string, out *string) *flag.FlagSet {
	f := FileFlags(name)
	f.StringVar(out, "out", filepath.Join(os.TempDir(), "nystream-"+name), "directory for the results")
	return f
}

// FileFlags returns the flags of a program that names each output file.
func FileFlags(name string) *flag.FlagSet { return flag.NewFlagSet(name, flag.ContinueOnError) }

// Parse parses flags. It fails for other arguments.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q: %s takes flags only", f.Args(), f.Name())
	}
	return nil
}

// List splits a comma-separated list.
func List(words string) []string {
	return strings.FieldsFunc(words, func(r rune) bool { return r == ',' })
}

// Known returns an error for the first word that is not known.
func Known(words, known []string) error {
	for _, word := range words {
		if !slices.Contains(known, word) {
			return fmt.Errorf("%q: there are %s", word, strings.Join(known, ", "))
		}
	}
	return nil
}
