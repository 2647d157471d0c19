package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/demo"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

func newDemoCommand(a *app) *cobra.Command { return demo.New(demoHost{a}) }

// demoHost is what the demo sees of the command.
type demoHost struct{ *app }

func (h demoHost) Seed() uint64                            { return h.seed }
func (h demoHost) Seconds() float64                        { return h.seconds() }
func (h demoHost) PeakRSS() int64                          { return peakRSS() }
func (h demoHost) Print(v any, t *show.Text) error         { return h.print(v, t) }
func (h demoHost) Usagef(format string, args ...any) error { return usagef(format, args...) }
func (h demoHost) CheckFolder(flag, path string) error     { return checkBeside(flag, path) }

// Run runs a command line of this program, and reads what it prints.
func (h demoHost) Run(ctx context.Context, args []string, result any) error {
	var out strings.Builder
	inner := newApp(ctx, h.in, &out, h.err)
	defer func() { inner.progress.end() }()
	root := newRootCommand(inner)
	inner.setArgs(root, slices.Concat(args, h.globals()))
	if err := root.ExecuteContext(blockstore.Remember(ctx)); err != nil {
		return err
	}
	return json.Unmarshal([]byte(out.String()), result)
}

// globals returns the global flags of the demo, as its commands get them.
func (h demoHost) globals() []string {
	flags := []string{"--provenance=false", // the folder that it would name is renamed
		"--format", "json", "--threads", strconv.Itoa(h.threads), "--log-format", h.logFormat.String(), "--log-every", h.logEvery.String()}
	if h.memory > 0 {
		flags = append(flags, "--memory", strconv.FormatInt(int64(h.memory), 10))
	}
	if h.quiet {
		flags = append(flags, "--quiet")
	}
	return flags
}
