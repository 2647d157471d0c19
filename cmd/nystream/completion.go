package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
)

// The extensions that completion offers.
var (
	dataExtensions   = []string{"parquet", "pq", "arrow", "feather", "ipc", "arrows", "npy", "npz", "nys", "csv", "tsv", "txt", "jsonl", "ndjson", "json", "libsvm", "svm", "gz", "zst", "bz2"}
	outputExtensions = []string{"parquet", "arrow", "npy", "csv", "tsv", "jsonl", "libsvm", "nys", "arrows"}
	modelExtensions  = []string{"npz"}
)

// argPositions says which arguments of a verb are data files.
type argPositions func(args []string) []string

func allArgs(args []string) []string { return args }

func afterModel(args []string) []string { return args[min(1, len(args)):] }

// completionTime and completionBytes bound what a completion may cost: text
// files have to be read to know their columns.
const (
	completionTime  = 2 * time.Second
	completionBytes = 32 << 20
)

// Cobra keeps the completions of flags in a global map, whose keys hold the whole app. So they
// are registered only when a shell asks for one.

// addCompletion records how flags of cmd are completed.
func (a *app) addCompletion(cmd *cobra.Command, complete cobra.CompletionFunc, flags ...string) {
	a.completions = append(a.completions, func() {
		for _, name := range flags {
			mustRegister(cmd.RegisterFlagCompletionFunc(name, complete))
		}
	})
}

// registerCompletions registers the recorded completions, and the words of every choice below root.
func (a *app) registerCompletions(root *cobra.Command) {
	for _, register := range a.completions {
		register()
	}
	everyCommand(root, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if c, ok := f.Value.(interface{ words() []string }); ok {
				mustRegister(cmd.RegisterFlagCompletionFunc(f.Name, oneOf(c.words())))
			}
		})
	})
}

// asksCompletion reports whether a command line is a shell's request for completions.
func asksCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// oneOf completes one of the words.
func oneOf(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// addCompletions offers column names from the files already typed.
func (d *dataFlags) addCompletions(a *app, cmd *cobra.Command, files argPositions) {
	a.addCompletion(cmd, func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return d.completeColumns(files(args), typed)
	}, "columns", "label", "keep")
	a.addCompletion(cmd, oneOf(blockstore.Formats()), "input-format")
	a.addCompletion(cmd, oneOf([]string{",", ";", "tab", "space"}), "delimiter")
}

// completeColumns completes the last item of a list of columns.
func (d *dataFlags) completeColumns(files []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var list []string
	for _, name := range d.columnNames(files) {
		list = append(list, before+name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// columnNames lists the columns of files, or nothing when that would take long.
func (d *dataFlags) columnNames(files []string) []string {
	if len(files) == 0 || slices.ContainsFunc(files, slowToOpen) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	columns, _, err := blockstore.Columns(ctx, files, d.layout())
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// slowToOpen reports whether a path is a pipe, an object or a large file of text.
func slowToOpen(path string) bool {
	if blockstore.IsRemote(path) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil {
		return path == "-"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".npy", ".nys":
		return false
	}
	return !info.Mode().IsRegular() && !info.IsDir() || info.Size() > completionBytes
}

// completeData completes data files.
func completeData(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return dataExtensions, cobra.ShellCompDirectiveFilterFileExt
}

// completeModelThenData completes a model, and then data files.
func completeModelThenData(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return modelExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
	return completeData(cmd, args, typed)
}

// completeKernels completes the names of kernels.
func completeKernels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return kernelCompletions(func(kernelgen.Builtin) bool { return true })
}

// completeSmoothKernels completes the names of kernels that have a derivative.
func completeSmoothKernels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return kernelCompletions(func(b kernelgen.Builtin) bool { return b.Smooth })
}

func kernelCompletions(wanted func(kernelgen.Builtin) bool) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, k := range kernelgen.Builtins() {
		if wanted(k) {
			list = append(list, cobra.CompletionWithDesc(k.Name+"(", k.Usage+" = "+k.Formula))
		}
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeFiles completes the values of flags by extension.
func completeFiles(cmd *cobra.Command, extensions []string, flags ...string) {
	for _, name := range flags {
		mustRegister(cmd.MarkFlagFilename(name, extensions...))
	}
}

// mustRegister panics when a completion is registered for a flag that is not
// there, or twice.
func mustRegister(err error) {
	if err != nil {
		panic("nystream: " + err.Error())
	}
}
