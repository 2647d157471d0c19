// Command kills kills fits at random moments, with SIGKILL, runs them again until they
// are done, and compares their models with those of fits that nobody disturbed: the
// bytes have to be the same, and after each kill every state has to be readable.
//
//	go run ./bench/kills                               300 kills, over all methods and formats
//	go run ./bench/kills -kills 2000 -rows 1000000     more of them, in longer passes
//	go run ./bench/kills -interrupt                    SIGINT, after which a fit writes its state
//	go run ./bench/kills -methods s3spsd -formats csv -nystream ./nystream
//
// With -faults it lets calls of the system fail instead, by strace, in the real program:
// every k-th write, sync, rename, read and so on, for each k, of a fit with factors, of
// one with a checkpoint, fresh and resumed, of a shard and of a merge. Each has to end
// well, with the same bytes, or with an error and the old files; and run once more it
// gives the same bytes.
//
//	go run ./bench/kills -faults -formats npy
//
// With -commits it kills a fit that has factors, a picture and a page over those of an earlier
// run, by strace, before every rename, link, removal, sync and so on, and looks at the pairs
// of model and factors that are left: what does not belong together verify has to refuse.
//
//	go run ./bench/kills -commits -formats npy
//
// With -stops it interrupts long runs, in decompositions, in passes and before a named
// pipe that nobody writes, and prints how long each takes to end.
//
//	go run ./bench/kills -stops -formats npy -kills 40
//
// With -changes it changes files of each format, in each way, at random moments of fits of
// several passes: each has to end with the bytes of a fit of the old file or of the new one,
// or with an error that names the file.
//
//	go run ./bench/kills -changes -kills 720
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
)

func main() { program.Main("kills", parseOptions, run) }

// options say what to kill.
type options struct {
	methods, formats []string
	total, rows      int // kills in all
	interrupt        bool
	faults           bool
	stops            bool
	commits          bool
	changes          bool
	every            string
	seed             uint64
	command          string // the program; built if not given
	folder           string // for data, states and models
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("kills", &o.folder)
	methods := f.String("methods", strings.Join(methodNames(), ","), "methods of fit")
	kinds := f.String("formats", "", "formats of the data; all unless given: "+strings.Join(formats, ",")+"; with -changes "+strings.Join(changedKinds, ","))
	f.IntVar(&o.total, "kills", 300, "kills in all, at least")
	f.BoolVar(&o.interrupt, "interrupt", false, "interrupt with SIGINT instead: what was done until then is kept")
	f.BoolVar(&o.faults, "faults", false, "let calls of the system fail instead of killing")
	f.BoolVar(&o.commits, "commits", false, "kill before each call that has to do with outputs, and look at the pairs that are left")
	f.BoolVar(&o.stops, "stops", false, "interrupt long runs and print how long they take to end")
	f.BoolVar(&o.changes, "changes", false, "change files during fits instead of killing")
	f.IntVar(&o.rows, "rows", 0, "rows of the data; 0 for 400000, or 40000 with -faults, -stops and -changes, 2000 with -commits")
	f.StringVar(&o.every, "every", "20ms", "time between states: --checkpoint-every")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the moments")
	f.StringVar(&o.command, "nystream", "", "the program to kill; it is built if not given")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	all := formats
	if o.changes {
		all = changedKinds
	}
	if *kinds == "" {
		*kinds = strings.Join(all, ",")
	}
	o.methods, o.formats = program.List(*methods), program.List(*kinds)
	switch {
	case o.rows == 0 && o.commits:
		o.rows = 2000
	case o.rows == 0 && (o.faults || o.stops || o.changes):
		o.rows = 40_000
	case o.rows == 0:
		o.rows = 400_000
	}
	if o.total < 1 || o.rows < 1000 {
		return nil, fmt.Errorf("-kills %d and -rows %d: at least 1 and 1000", o.total, o.rows)
	}
	return o, errors.Join(program.Known(o.methods, methodNames()), program.Known(o.formats, all))
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.folder, 0o777); err != nil {
		return err
	}
	if err := o.build(ctx); err != nil {
		return err
	}
	if o.changes {
		return runChanges(ctx, o)
	}
	if err := o.writeData(); err != nil {
		return err
	}
	switch {
	case o.faults:
		return runFaults(ctx, o)
	case o.commits:
		return runCommits(ctx, o)
	case o.stops:
		return runStops(ctx, o)
	}
	return runKills(ctx, o)
}

// runKills kills fits of all methods and formats.
func runKills(ctx context.Context, o *options) error {
	random := rand.New(rand.NewPCG(o.seed, 0))
	cells := len(o.methods) * len(o.formats)
	var all tally
	fmt.Printf("%-10s %-8s %8s %6s %8s %6s %6s %8s\n", "method", "format", "seconds", "kills", "resumed", "states", "models", "the same")
	for _, method := range o.methods {
		for _, format := range o.formats {
			v := &victim{options: o, method: method, format: format, random: random}
			if err := v.run(ctx, (o.total+cells-1)/cells); err != nil {
				return fmt.Errorf("%s, %s: %w", method, format, err)
			}
			fmt.Printf("%-10s %-8s %8.2f %6d %8d %6d %6d %8d\n", method, format, v.alone.Seconds(), v.kills, v.resumed, v.states, v.models, v.same)
			all.add(v.tally)
		}
	}
	fmt.Printf("%-10s %-8s %8s %6d %8d %6d %6d %8d\n", "all", "", "", all.kills, all.resumed, all.states, all.models, all.same)
	if all.same < all.models {
		return fmt.Errorf("%d of %d models differ from those of undisturbed fits", all.models-all.same, all.models)
	}
	return nil
}

// build builds the program if none is named.
func (o *options) build(ctx context.Context) error {
	if o.command != "" {
		return nil
	}
	o.command = filepath.Join(o.folder, "nystream")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", o.command, "github.com/nystream/nystream/cmd/nystream")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
