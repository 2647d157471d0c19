// Package flags declares the flags of the command, each once: name, documentation and effects. Help, completion, the
// manual, settings, refusals, and the identity of a fit are derived from the declarations.
package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flag is the declaration of a flag.
type Flag struct {
	Name, Short string
	Arg         string // name of its value in help; "" for a switch
	Usage       string // at most ten words
	Doc         string // the rest, for nystream help CMD and the manual
	Group       Group
	First       bool // on the first screen of help
	Effect      Effect
	For         For    // inputs for which it has an effect; 0 for all
	Needs       string // a flag without which it is refused
	Field       string // the Go field in messages of libraries, if it has another name: ErrorTol of --tol
	Value       pflag.Value
	Complete    Completion

	flag  *pflag.Flag
	order int // of declaration within its set
}

// Group is a heading of help.
type Group int

const (
	Model Group = iota
	Data
	Output
	Runs
	Global
)

// Groups lists all groups in the order of help.
var Groups = []Group{Model, Data, Output, Runs, Global}

func (g Group) String() string { return [...]string{"Model", "Data", "Output", "Runs", "Global"}[g] }

// Effect is the kind of effect of a flag.
type Effect int

const (
	// Result affects the numbers of a result. It is part of the identity of states.
	Result Effect = iota
	// Locates locates data, or describes the layout of files. States identify the rows themselves.
	Locates
	// Writes names an output or its form.
	Writes
	// Process affects how the process runs, and what it prints.
	Process
)

// For is a set of kinds of input.
type For int

const (
	Rows   For = 1 << iota // of data files
	Graph                  // the edges of a graph
	Matrix                 // a matrix itself
	Saved                  // a model file
)

// of describes an input in errors.
func (f For) of() string {
	if f == Rows|Graph|Matrix {
		return "data"
	}
	var words []string
	for i, word := range []string{"rows of DATA", "a graph", "a matrix", "a model"} {
		if f&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, " or ")
}

// Declaration returns the declaration of a flag, nil for flags of cobra.
func Declaration(f *pflag.Flag) *Flag {
	if v, ok := f.Value.(*declaredValue); ok {
		return v.Flag
	}
	return nil
}

// declaredValue is a value with a link to its declaration.
type declaredValue struct {
	pflag.Value
	*Flag
}

// String returns the text of the value, "" for an empty list, which pflag would print through a large buffer. pflag
// also calls it on a zero value.
func (v *declaredValue) String() string {
	if list, ok := v.Value.(pflag.SliceValue); v.Value == nil || ok && len(list.GetSlice()) == 0 {
		return ""
	}
	return v.Value.String()
}

// Describe replaces the words of the flag in one command.
func (f *Flag) Describe(arg, usage string) {
	f.Arg, f.Usage = arg, usage
	f.flag.Usage = f.usage()
}

// Default replaces the default of the flag in one command.
func (f *Flag) Default(word string) {
	must(f.Value.Set(word))
	f.flag.DefValue = word
}

// usage returns the usage, with the words of a choice.
func (f *Flag) usage() string {
	if c, ok := f.Value.(chooser); ok {
		return f.Usage + ": " + strings.Join(c.words(), ", ")
	}
	return f.Usage
}

// Given reports whether the flag was set, on the command line or by a setting.
func (f *Flag) Given() bool { return f.flag.Changed }

// Text returns the value in the syntax of the command line.
func (f *Flag) Text() string {
	switch v := f.Value.(type) {
	case interface{ Exact() string }:
		return v.Exact()
	case pflag.SliceValue:
		return ListText(v.GetSlice())
	}
	return f.Value.String()
}

// Word returns the flag with its value, as one word of a command line.
func (f *Flag) Word() string { return "--" + f.Name + "=" + f.Text() }

// Set holds the flags of a command.
type Set struct {
	cmd   *cobra.Command
	flags *pflag.FlagSet
	count int // number of declared flags
}

// New returns an empty set for the flags of a command.
func New(cmd *cobra.Command) *Set { return &Set{cmd: cmd, flags: cmd.Flags()} }

// NewPersistent returns an empty set for the flags of a command and all below it.
func NewPersistent(cmd *cobra.Command) *Set { return &Set{cmd: cmd, flags: cmd.PersistentFlags()} }

// Add declares flags. It panics for a duplicate name.
func (s *Set) Add(list ...Flag) {
	for i := range list {
		f := &list[i]
		f.order = s.count
		s.count++
		f.flag = s.flags.VarPF(&declaredValue{f.Value, f}, f.Name, f.Short, f.usage())
		if f.Value.Type() == "bool" {
			f.flag.NoOptDefVal = "true"
		}
		if f.flag.DefValue == "[]" || f.flag.DefValue == "0" || f.flag.DefValue == "false" {
			f.flag.DefValue = ""
		}
		f.Complete.mark(s.flags, f.Name)
	}
}

// Flag returns the declaration of an existing flag.
func (s *Set) Flag(name string) *Flag { return Declaration(s.flags.Lookup(name)) }

// Given reports whether a flag was set, on the command line or by a setting.
func (s *Set) Given(name string) bool { return s.flags.Changed(name) }

// First returns the first of the named flags that was set, or "".
func (s *Set) First(names ...string) string {
	for _, name := range names {
		if s.Given(name) {
			return name
		}
	}
	return ""
}

// Assign sets a flag as if on the command line.
func (s *Set) Assign(name, text string) error {
	if s.flags.Lookup(name) == nil {
		return fmt.Errorf("%s has no flag --%s", s.cmd.CommandPath(), name)
	}
	return s.flags.Set(name, text)
}

// Visit calls do with each flag, sorted by name.
func (s *Set) Visit(do func(f *Flag)) { visit(s.flags, do) }

// Results returns all flags that affect a result, with their values. They are part of the identity of states.
func (s *Set) Results() (lines []string) {
	s.Visit(func(f *Flag) {
		if f.Effect == Result {
			lines = append(lines, "--"+f.Name+" "+f.Text())
		}
	})
	return lines
}

// VisitGiven calls do with each flag that was set, including those of parent commands.
func (s *Set) VisitGiven(do func(f *Flag)) {
	visit(s.cmd.Flags(), func(f *Flag) {
		if f.Given() {
			do(f)
		}
	})
}

// visit calls do with the declared flags of a set.
func visit(flags *pflag.FlagSet, do func(f *Flag)) {
	flags.VisitAll(func(f *pflag.Flag) {
		if declaration := Declaration(f); declaration != nil {
			do(declaration)
		}
	})
}

// Check refuses flags without an effect for an input, and flags that need a missing one. called is the user's word for
// the input, such as --graph.
func (s *Set) Check(input For, called string) error {
	var wrong error
	s.VisitGiven(func(f *Flag) {
		switch {
		case wrong != nil:
		case f.Needs != "" && !s.Given(f.Needs):
			wrong = Usagef("--%s goes with --%s", f.Name, f.Needs)
		case f.For != 0 && f.For&input == 0:
			wrong = Usagef("--%s is for %s: leave it out with %s", f.Name, f.For.of(), called)
		}
	})
	return wrong
}

// NoDefault hides the default in help, for a flag that is required or depends on another one.
func (f *Flag) NoDefault() { f.flag.DefValue = "" }
