package flags

import (
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/kernelgen"
)

// Completion describes how a shell completes the value of a flag: files with extensions, folders, or a function. The
// zero value completes any file.
type Completion struct {
	Extensions []string // without dots
	Folders    bool
	Func       cobra.CompletionFunc
}

// The extensions of all files that can be read, the usual one of each output format, and others.
var (
	DataExtensions   = append(extensions(blockstore.Formats(), blockstore.Extensions, math.MaxInt), "gz", "zst", "bz2")
	OutputExtensions = extensions(blockstore.OutputFormats(), blockstore.OutputExtensions, 1)
	ModelExtensions  = []string{"npz"}
	GraphExtensions  = []string{"csv", "tsv", "txt", "mtx", "edges", "gz", "zst", "bz2"}
)

// How flags are completed.
var (
	DataFiles   = Completion{Extensions: DataExtensions}
	OutputFiles = Completion{Extensions: OutputExtensions}
	ModelFiles  = Completion{Extensions: ModelExtensions}
	GraphFiles  = Completion{Extensions: GraphExtensions}
	Folders     = Completion{Folders: true}
	Kernels     = Completion{Func: completeKernels}
)

// OneOf completes one of some words.
func OneOf(words []string) Completion {
	return Completion{Func: cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)}
}

// extensions returns up to most extensions of each format, without their dots.
func extensions(formats []string, of func(format string) []string, most int) (list []string) {
	for _, format := range formats {
		all := of(format)
		for _, extension := range all[:min(most, len(all))] {
			list = append(list, extension[1:])
		}
	}
	return list
}

// mark passes files and folders to cobra.
func (c Completion) mark(flags *pflag.FlagSet, name string) {
	switch {
	case len(c.Extensions) > 0:
		must(flags.SetAnnotation(name, cobra.BashCompFilenameExt, c.Extensions))
	case c.Folders:
		must(flags.SetAnnotation(name, cobra.BashCompSubdirsInDir, []string{}))
	}
}

// RegisterCompletions registers the functions that complete flags below root. Cobra keeps them in a global map whose
// keys hold the whole command, so call this only for a completion request.
func RegisterCompletions(root *cobra.Command) {
	EveryCommand(root, func(cmd *cobra.Command) {
		visit(cmd.LocalFlags(), func(f *Flag) {
			complete := f.Complete.Func
			if c, ok := f.Value.(chooser); ok {
				complete = OneOf(c.words()).Func
			}
			if complete != nil {
				must(cmd.RegisterFlagCompletionFunc(f.Name, complete))
			}
		})
	})
}

// AsksCompletion reports whether a command line is a shell's request for completions.
func AsksCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// CompleteData completes data files.
func CompleteData(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return DataExtensions, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteModelThenData completes a model, followed by data files.
func CompleteModelThenData(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return ModelExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
	return CompleteData(cmd, args, typed)
}

// completeKernels completes the names of kernels.
func completeKernels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, k := range kernelgen.Builtins() {
		list = append(list, cobra.CompletionWithDesc(k.Name+"(", k.Usage+" = "+k.Formula))
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// must panics if a flag is missing or registered twice.
func must(err error) {
	if err != nil {
		panic("nystream: " + err.Error())
	}
}
