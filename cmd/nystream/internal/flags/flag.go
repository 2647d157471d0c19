// Package flags declares the flags of the command, once each: what they are called, what
// they are for, and what depends on them. Help, completion, the manual, settings, refusals,
// and the identity of a fit are made from the declarations.
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
	Arg         string // what its value is called in help; "" for a switch
	Usage       string // at most ten words
	Doc         string // the rest, for nystream help CMD and the manual
	Group       Group
	First       bool // on the first screen of help
	Effect      Effect
	For         For    // inputs that it has a meaning for; 0 for all
	Needs       string // the flag without which it is refused
	Field       string // the Go field in messages of libraries, if it has another name: ErrorTol of --tol
	Value       pflag.Value
	Complete    Completion

	flag  *pflag.Flag
	order int // of declaration, in its set
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

// Groups are all groups, in the order of help.
var Groups = []Group{Model, Data, Output, Runs, Global}

func (g Group) String() string { return [...]string{"Model", "Data", "Output", "Runs", "Global"}[g] }

// Effect is what the value of a flag changes.
type Effect int

const (
	// Result changes the numbers of a result. It is part of the identity of states.
	Result Effect = iota
	// Locates says where data are, and how files are laid out. States know the rows themselves.
	Locates
	// Writes names an output, or says how it is written.
	Writes
	// Process changes how the process runs, and what it prints.
	Process
)

// For are kinds of input.
type For int

const (
	Rows   For = 1 << iota // of data files
	Graph                  // the edges of one
	Matrix                 // a matrix itself
	Saved                  // a model file
)

// of names an input in errors.
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

// Of returns the declaration of a flag, nil for flags of cobra.
func Of(f *pflag.Flag) *Flag {
	if v, ok := f.Value.(*declared); ok {
		return v.Flag
	}
	return nil
}

// declared is a value that knows its declaration.
type declared struct {
	pflag.Value
	*Flag
}

// String is that of the value, "" for an empty list: pflag would print one through a large buffer. It asks a zero value too.
func (v *declared) String() string {
	if list, ok := v.Value.(pflag.SliceValue); v.Value == nil || ok && len(list.GetSlice()) == 0 {
		return ""
	}
	return v.Value.String()
}

// Describe gives the flag other words than it has in other commands.
func (f *Flag) Describe(arg, usage string) {
	f.Arg, f.Usage = arg, usage
	f.flag.Usage = f.usage()
}

// Default gives the flag another default than it has in other commands.
func (f *Flag) Default(word string) {
	mustRegister(f.Value.Set(word))
	f.flag.DefValue = word
}

// usage returns the usage with the words of a choice.
func (f *Flag) usage() string {
	if c, ok := f.Value.(chooser); ok {
		return f.Usage + ": " + strings.Join(c.words(), ", ")
	}
	return f.Usage
}

// Given reports whether the flag was set, on the command line or by a setting.
func (f *Flag) Given() bool { return f.flag.Changed }

// Text returns the value as a command line has it.
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

// Set is the flags of a command.
type Set struct {
	cmd   *cobra.Command
	flags *pflag.FlagSet
	count int // of declared flags
}

// New returns the flags of a command, none yet.
func New(cmd *cobra.Command) *Set { return &Set{cmd: cmd, flags: cmd.Flags()} }

// NewPersistent returns the flags of a command and of all below it.
func NewPersistent(cmd *cobra.Command) *Set { return &Set{cmd: cmd, flags: cmd.PersistentFlags()} }

// Add declares flags. It panics if a name is taken.
func (s *Set) Add(list ...Flag) {
	for i := range list {
		f := &list[i]
		f.order = s.count
		s.count++
		f.flag = s.flags.VarPF(&declared{f.Value, f}, f.Name, f.Short, f.usage())
		if f.Value.Type() == "bool" {
			f.flag.NoOptDefVal = "true"
		}
		if f.flag.DefValue == "[]" || f.flag.DefValue == "0" || f.flag.DefValue == "false" {
			f.flag.DefValue = ""
		}
		f.Complete.mark(s.flags, f.Name)
	}
}

// Flag returns the declaration of a flag, which must be there.
func (s *Set) Flag(name string) *Flag { return Of(s.flags.Lookup(name)) }

// Given reports whether a flag was set, on the command line or by a setting.
func (s *Set) Given(name string) bool { return s.flags.Changed(name) }

// First returns the first of some flags that was given, or "".
func (s *Set) First(names ...string) string {
	for _, name := range names {
		if s.Given(name) {
			return name
		}
	}
	return ""
}

// Give sets a flag as the command line does.
func (s *Set) Give(name, text string) error {
	if s.flags.Lookup(name) == nil {
		return fmt.Errorf("%s has no flag --%s", s.cmd.CommandPath(), name)
	}
	return s.flags.Set(name, text)
}

// Visit calls do with each flag, in the order of their names.
func (s *Set) Visit(do func(f *Flag)) { visit(s.flags, do) }

// Results returns the flags that decide a result, given or not, each with its value. They are part of the
// identity of states.
func (s *Set) Results() (lines []string) {
	s.Visit(func(f *Flag) {
		if f.Effect == Result {
			lines = append(lines, "--"+f.Name+" "+f.Text())
		}
	})
	return lines
}

// VisitGiven calls do with each flag that was given, those of the commands above included.
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
		if declaration := Of(f); declaration != nil {
			do(declaration)
		}
	})
}

// Check refuses flags without a meaning for an input, which a user calls by a word such as --graph, and
// flags that need another one.
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

// NoDefault has help show no default, where the flag must be given or another one decides.
func (f *Flag) NoDefault() { f.flag.DefValue = "" }
