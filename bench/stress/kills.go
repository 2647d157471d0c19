package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// killedFits are fits that write states. X stands for the rows, with a class in the last column.
var killedFits = []string{
	"fit s3spsd X --kernel rbf(gamma=0.5) --rank 60",
	"fit landmark X --kernel rbf(gamma=median) --rank 60 --scale standard",
	"fit ssrsvd X --kernel laplace(gamma=0.2) --rank 40",
	"fit nystrom X --kernel matern52(length=median) --rank 200 --nulls drop",
	"fit ksvd X --right X --kernel rbf(gamma=0.5) --rank 40 --method ssrsvd",
	"fit ism X --label x9 --engine linear --landmarks 50 --iterations 4",
}

// killedFormats are the formats of the rows.
var killedFormats = []string{"parquet", "npy", "csv"}

// interrupts is the fraction of SIGINT among the signals; the others are SIGKILL.
const interrupts = 0.25

// kills kills fits at random times, at least n times in total, and restarts each until it ends. Every state must be
// readable after every signal, the model must have the bytes of a fit without signals, and no state may remain.
func kills(ctx context.Context, l *lab) {
	cells := len(killedFits) * len(killedFormats)
	for _, line := range killedFits {
		for _, format := range killedFormats {
			name := strings.Fields(line)[1] + " " + format
			if !l.wanted(name) {
				continue
			}
			path := l.data(ctx, uniform(l.rows, 10, 7, format))
			v := &victim{lab: l, line: line + " -o m.npz --format json", path: path}
			l.reset(nil)
			v.alone = l.succeed(ctx, l.fields(v.line, v.path)).took
			v.want = read(l.work, "m.npz")
			failures := len(l.failures)
			for least := (l.n + cells - 1) / cells; v.killed < least && len(l.failures) == failures; {
				l.reset(nil)
				for ended := false; !ended; {
					l.try(ctx, name, func() (outcome string) {
						ended = true // unless a signal ends it
						outcome, ended = v.start(ctx)
						return outcome
					})
				}
			}
		}
	}
}

// victim is a fit that is killed.
type victim struct {
	*lab
	line, path string
	alone      time.Duration     // duration without signals
	want       map[string][]byte // the model without signals
	killed     int
}

// start starts the fit, which resumes from its states, and sends a signal.
func (v *victim) start(ctx context.Context) (outcome string, ended bool) {
	signal, after := os.Kill, time.Duration(v.random.Float64()*float64(v.alone))
	if v.random.Float64() < interrupts {
		signal = os.Interrupt
	}
	e := v.run(ctx, v.fields(v.line+" --checkpoint states --checkpoint-every 20ms", v.path).signalled(signal, after))
	if e.code < 0 && e.disturbed {
		v.killed++
	}
	states := blockstore.States(v.in("states"))
	all, err := stream.ListStates(states)
	check(err)
	for _, s := range all {
		check(s.Err)
	}
	v.outcomes["states read"] += len(all)
	if strings.Contains(e.text, "resumed at row") || strings.Contains(e.text, "was done before") {
		v.outcomes["resumed"]++
	}
	switch {
	case e.code < 0 && e.disturbed:
		return "killed", false
	case e.code == interrupted && signal == os.Interrupt:
		return "interrupted", false
	case e.code != 0:
		failf("it ends with %d: %s", e.code, e.text)
	case len(all) > 0:
		failf("%d states are left", len(all))
	case differing(v.work, v.want) != "":
		failf("the model differs from that of a fit without signals")
	}
	return "the same model", true
}
