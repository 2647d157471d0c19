package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// killedFits are fits that write states. X stands for the rows, whose last column is a class.
var killedFits = []string{
	"fit s3spsd X --kernel rbf(gamma=0.5) --rank 60",
	"fit landmark X --kernel rbf(gamma=median) --rank 60 --scale standard",
	"fit ssrsvd X --kernel laplace(gamma=0.2) --rank 40",
	"fit nystrom X --kernel matern52(length=median) --rank 200 --nulls drop",
	"fit ksvd X --right X --kernel rbf(gamma=0.5) --rank 40 --method ssrsvd",
	"fit ism X --label x9 --engine linear --landmarks 50 --iterations 4",
}

// killedFormats are those of the rows.
var killedFormats = []string{"parquet", "npy", "csv"}

// interrupts is the part of SIGINT among the signals; the others are SIGKILL.
const interrupts = 0.25

// kills kills fits at random moments, at least n times in all. It starts each again until it
// ends. Every state must be readable after every signal, the model must have the bytes of a fit
// without signals, and no state may be left.
func kills(ctx context.Context, l *lab) error {
	cells := len(killedFits) * len(killedFormats)
	for _, line := range killedFits {
		for _, format := range killedFormats {
			v := &victim{lab: l, line: line, name: strings.Fields(line)[1] + ", " + format}
			if !l.wanted(v.name) {
				continue
			}
			var err error
			if v.path, err = l.data(ctx, uniform(l.rows, 10, 7, format)); err == nil {
				err = v.kill(ctx, (l.n+cells-1)/cells)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
		}
	}
	return nil
}

// victim is a fit that is killed.
type victim struct {
	*lab
	name, line, path string
	alone            time.Duration // what it takes without signals
	killed           int
}

// fit returns the fit.
func (v *victim) fit(more string) process { return v.fields(v.line+" --format json "+more, v.path) }

// kill sends so many SIGKILLs at least.
func (v *victim) kill(ctx context.Context, least int) error {
	e, err := v.succeed(ctx, v.fit("-o m.npz"))
	if err != nil {
		return err
	}
	v.alone = e.took
	want, err := read(v.work, "m.npz")
	for v.killed < least && err == nil {
		if err = v.reset(nil); err == nil {
			err = v.untilDone(ctx, want)
		}
	}
	return err
}

// untilDone starts the fit until no signal ends it, and compares the model.
func (v *victim) untilDone(ctx context.Context, want map[string][]byte) error {
	states := blockstore.States(v.in("states"))
	for {
		signal, after := os.Kill, time.Duration(v.random.Float64()*float64(v.alone))
		if v.random.Float64() < interrupts {
			signal = os.Interrupt
		}
		e, err := v.run(ctx, v.fit("-o m.npz --checkpoint states --checkpoint-every 20ms").signalled(signal, after))
		if err != nil {
			return err
		}
		if strings.Contains(e.text, "resumed at row") || strings.Contains(e.text, "was done before") {
			v.outcomes["resumed"]++
		}
		all, unreadable := stream.ListStates(states)
		for _, s := range all {
			unreadable = errors.Join(unreadable, s.Err)
		}
		v.outcomes["states read"] += len(all)
		switch {
		case e.code == 0:
			v.count(v.name, "the same model", v.complete(states, want))
			return nil
		case e.code == interrupted && signal == os.Interrupt:
			v.count(v.name, "interrupted", unreadable)
		case e.code < 0 && e.disturbed:
			v.killed++
			v.count(v.name, "killed", unreadable)
		default:
			return fmt.Errorf("it ends with %d: %s", e.code, e.text)
		}
	}
}

// complete returns what is wrong when a fit has ended.
func (v *victim) complete(states *blockstore.StateFolder, want map[string][]byte) error {
	left, err := states.Names()
	switch {
	case err != nil:
		return err
	case len(left) > 0:
		return fmt.Errorf("states are left: %v", left)
	case differing(v.work, want) != "":
		return errors.New("the model differs from that of a fit without signals")
	}
	return nil
}
