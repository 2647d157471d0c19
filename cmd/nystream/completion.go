package main

import (
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
)

// The extensions that completion offers: of all files that are read, and the usual one of each format that is written.
var (
	dataExtensions   = append(extensions(blockstore.Formats(), blockstore.Extensions, math.MaxInt), "gz", "zst", "bz2")
	outputExtensions = extensions(blockstore.OutputFormats(), blockstore.OutputExtensions, 1)
	modelExtensions  = []string{"npz"}
)

// extensions returns the first extensions of formats, at most so many of each, without their dots.
func extensions(formats []string, of func(format string) []string, most int) (list []string) {
	for _, format := range formats {
		all := of(format)
		for _, extension := range all[:min(most, len(all))] {
			list = append(list, extension[1:])
		}
	}
	return list
}

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
	var list []string
	for _, k := range kernelgen.Builtins() {
		list = append(list, cobra.CompletionWithDesc(k.Name+"(", k.Usage+" = "+k.Formula))
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
