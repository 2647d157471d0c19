package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// savedFit is the command line of a fit as its states keep it, without what says where
// results go and how the process runs.
type savedFit struct {
	Method string   `json:"method"`
	Data   []string `json:"data"`
	Flags  []string `json:"flags"`
}

// ofProcess are flags that say where results go and how the process runs; they are not part
// of a saved fit.
var ofProcess = []string{"help", "config", "threads", "memory", "format", "quiet", "log-format", "log-every", "stall", "provenance", "output", "factors", "left-factors", "right-factors", "clusters-output", "left-output", "right-output", "plot", "report",
	"checkpoint", "checkpoint-every", "states", "shard", "keep-states", "join", "shards", "runner", "spool-dir", "max-spool-size", "output-format", "compression"}

// savedFit returns the command line at hand.
func (j *job) savedFit() *savedFit {
	s := &savedFit{Method: j.method, Data: j.args, Flags: []string{fmt.Sprintf("--seed=%d", j.app.seed)}}
	visitGiven(j.flags, func(f *pflag.Flag) {
		if f.Name != "seed" && !slices.Contains(ofProcess, f.Name) {
			s.Flags = append(s.Flags, "--"+f.Name+"="+flagValue(f))
		}
	})
	return s
}

// visitGiven calls do with each flag that was given, on the command line or, unless it is
// global, by a preset, of which Visit does not know.
func visitGiven(flags *pflag.FlagSet, do func(f *pflag.Flag)) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			do(f)
		}
	})
}

// flagValue returns the value of a flag as a user would write it.
func flagValue(f *pflag.Flag) string {
	switch v := f.Value.(type) {
	case pflag.SliceValue:
		return listValue(v.GetSlice())
	case interface{ exact() string }:
		return v.exact()
	}
	return f.Value.String()
}

// listValue returns words as flags for lists take them.
func listValue(words []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(words); err != nil {
		panic("nystream: " + err.Error()) // a Builder takes everything
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// mergeCommand is one command line of merge.
type mergeCommand struct {
	app            *app
	states, output string
	right          []string
	keep           bool
	draws          drawFlags
}

func newMergeCommand(a *app) *cobra.Command {
	c := &mergeCommand{app: a}
	cmd := &cobra.Command{
		Use:               "merge [DATA...]",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeData,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.states, "states", "", "`folder` of the states")
	f.StringVarP(&c.output, "output", "o", "", "model `file`, .npz")
	f.StringSliceVar(&c.right, "right", nil, "`files` of --right or --with, if their paths have changed")
	f.BoolVar(&c.keep, "keep-states", false, "keep the states after the fit")
	c.draws.add(cmd)
	mustRegister(cmd.MarkFlagDirname("states"))
	completeFiles(cmd, modelExtensions, "output")
	completeFiles(cmd, dataExtensions, "right")
	return cmd
}

func (c *mergeCommand) run(cmd *cobra.Command, data []string) error {
	err := refuse([]contradiction{
		{c.states == "", "--states is missing: the folder with the states of the shards"},
		{c.output == "", "-o is missing: the model file, such as -o model.npz"},
		{cmd.Flags().Changed("seed"), "--seed is that of the shards: leave it out"},
	})
	if err != nil {
		return err
	}
	fit, err := c.savedFit()
	if err != nil {
		return err
	}
	flags := []string{"--states=" + c.states, "--output=" + c.output, fmt.Sprintf("--keep-states=%v", c.keep)}
	add := func(f *pflag.Flag) { flags = append(flags, "--"+f.Name+"="+f.Value.String()) }
	visitGiven(cmd.InheritedFlags(), add)
	for _, name := range []string{"plot", "report"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			add(f)
		}
	}
	err = c.fit(cmd.Context(), fit.args(data, c.right, flags))
	if err != nil && len(data) == 0 && fit.gone() {
		return fmt.Errorf("%w; if the data are elsewhere here than for the shards, name them: nystream merge DATA... --states %s", err, c.states)
	}
	return err
}

// fit runs the command line of a fit.
func (c *mergeCommand) fit(ctx context.Context, args []string) error {
	root := newRootCommand(c.app)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// gone reports whether files of the fit are not where they were for its shards.
func (s *savedFit) gone() bool {
	files := slices.Clone(s.Data)
	for _, f := range s.Flags {
		if name, list, _ := strings.Cut(f, "="); slices.Contains(sourceFlags, name) {
			words, err := csv.NewReader(strings.NewReader(list)).Read()
			files = append(files, words...)
			if err != nil {
				return false
			}
		}
	}
	return slices.ContainsFunc(files, func(path string) bool {
		_, err := os.Stat(path)
		return !blockstore.IsRemote(path) && errors.Is(err, fs.ErrNotExist)
	})
}

// sourceFlags name the files of a second source, or of a matrix instead of DATA.
var sourceFlags = []string{"--right", "--with", "--matrix"}

// args returns the command line, with more flags, and with other data if any are named.
func (s *savedFit) args(data, right, flags []string) []string {
	own := slices.Clone(s.Flags)
	for i, f := range own {
		name, _, _ := strings.Cut(f, "=")
		switch {
		case name == "--matrix" && len(s.Data) == 0 && len(data) > 0:
			own[i], data = name+"="+listValue(data), nil
		case name != "--matrix" && slices.Contains(sourceFlags, name) && len(right) > 0:
			own[i] = name + "=" + listValue(right)
		}
	}
	if len(data) == 0 {
		data = s.Data
	}
	return slices.Concat([]string{"fit", s.Method}, own, flags, []string{"--"}, data)
}

// savedFit returns the fit that the states are of.
func (c *mergeCommand) savedFit() (*savedFit, error) {
	flags := stateFlags{folder: c.states}
	if err := flags.checkFolder(); err != nil {
		return nil, err
	}
	states, err := stream.ListStates(blockstore.States(c.states))
	if err != nil {
		return nil, stream.NewDataError("--states "+c.states, "%w", err)
	}
	if len(states) == 0 {
		return nil, stream.NewDataError("--states "+c.states, "there are no states in this folder").
			Do("shards make them: nystream fit METHOD DATA... --shard 1/8 --states %s", c.states)
	}
	one, err := ofOneFit(states)
	if err != nil {
		return nil, stream.NewDataError("--states "+c.states, "%w", err)
	}
	fit := new(savedFit)
	if err := json.Unmarshal([]byte(one.Text), fit); err != nil || fit.Method == "" {
		return nil, stream.NewDataError("--states "+c.states, "state %s has no command line of a fit", one.Name).Do("end it with nystream fit --states")
	}
	return fit, nil
}

// ofOneFit returns a state of the fit that more than half of the states that can be read
// are of. The fit itself tells of those that it does not use.
func ofOneFit(states []stream.StateInfo) (*stream.StateInfo, error) {
	known := make(map[string]int) // states by identity
	var first *stream.StateInfo
	for i, s := range states {
		if s.Err == nil {
			known[s.Identity]++
			first = cmp.Or(first, &states[i])
		}
	}
	if first == nil {
		return nil, fmt.Errorf("%w; none can be read: remove them, and run the shards again", states[0].Err)
	}
	readable := 0
	for _, n := range known {
		readable += n
	}
	var other *stream.StateInfo
	for i, s := range states {
		switch {
		case s.Err != nil:
		case 2*known[s.Identity] > readable:
			return &states[i], nil
		case s.Identity != first.Identity:
			other = &states[i]
		}
	}
	return nil, fmt.Errorf("states %s and %s are of different fits; keep each fit in a folder of its own", first.Name, other.Name)
}
