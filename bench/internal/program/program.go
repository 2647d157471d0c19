// Package program is what the programs of bench share: flags, function main, the build of the
// command nystream, peak memory and processor time.
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

// Main is the function main of a program: it parses the command line, and runs what
// it asks for until that is done or the user interrupts it. Products of matrices are
// those of package nyblas, as in the command. An error is written to the standard
// error; the program ends with 2 if it is of the command line, and else with 1.
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

// Flags returns those of a program, of which one, -out, is known: the folder for the
// results, by default one of the system's temporary files.
func Flags(name string, out *string) *flag.FlagSet {
	f := FileFlags(name)
	f.StringVar(out, "out", filepath.Join(os.TempDir(), "nystream-"+name), "directory for the results")
	return f
}

// FileFlags returns those of a program that names each file it writes.
func FileFlags(name string) *flag.FlagSet { return flag.NewFlagSet(name, flag.ContinueOnError) }

// Parse parses flags. Arguments that are none are an error.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q: %s takes flags only", f.Args(), f.Name())
	}
	return nil
}

// List returns the words of a list with commas.
func List(words string) []string {
	return strings.FieldsFunc(words, func(r rune) bool { return r == ',' })
}

// Known returns an error about the first of the words that is not among those known.
func Known(words, known []string) error {
	for _, word := range words {
		if !slices.Contains(known, word) {
			return fmt.Errorf("%q: there are %s", word, strings.Join(known, ", "))
		}
	}
	return nil
}
