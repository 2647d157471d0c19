package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// stopLimit is the longest time from an interrupt to the end of a run.
const stopLimit = time.Second

// longFits are large decompositions, passes, exact passes, and a fit that waits for another program. X stands for the
// rows; pipe is a named pipe without a writer.
var longFits = []string{
	"fit landmark X --kernel rbf(gamma=3) --rank 1500",
	"fit rff X --kernel rbf(gamma=3) --rank 2000",
	"fit nystrom X --kernel rbf(gamma=3) --rank 2000",
	"fit s3spsd X --kernel rbf(gamma=3) --rank 600",
	"fit ssrsvd X --kernel rbf(gamma=3) --rank 400",
	"fit rpcholesky X --kernel rbf(gamma=3) --rank 800",
	"fit subspace X --kernel rbf(gamma=3) --rank 100",
	"fit ksvd X --right X --method nystrom --kernel rbf(gamma=3) --rank 500",
	"fit operator X --lag 1 --kind koopman --kernel rbf(gamma=3) --rank 20 --engine landmark --landmarks 1500",
	"fit landmark pipe --kernel rbf(gamma=3) --rank 20",
}

// stops interrupts long fits at random times, at least n times in total. A fit must end within a second, with the exit
// code of an interrupt, and without output.
func stops(ctx context.Context, l *lab) {
	path := l.data(ctx, uniform(l.rows, 10, 7, "npy"))
	l.succeed(ctx, process{args: []string{"mkfifo", "pipe"}})
	fits := slices.DeleteFunc(slices.Clone(longFits), func(line string) bool { return !l.wanted(line) })
	var took []time.Duration
	for before := l.cases; l.cases-before < l.n && len(fits) > 0; {
		for _, line := range fits {
			l.try(ctx, line, func() string {
				after := 500*time.Millisecond + time.Duration(l.random.Int64N(int64(4*time.Second)))
				e := l.run(ctx, l.fields(line+" -o stopped.npz --quiet", path).signalled(os.Interrupt, after))
				left, _ := filepath.Glob(l.in("*stopped*"))
				switch {
				case e.code == 0: // it ended before the signal: try another time
					check(os.Remove(l.in("stopped.npz")))
					return ""
				case !e.disturbed || e.code != interrupted:
					failf("it ends with %d: %s", e.code, e.text)
				case len(left) > 0:
					failf("%q are left", left)
				case e.stopping > stopLimit:
					failf("it takes %v to end", e.stopping)
				}
				took = append(took, e.stopping)
				return "stopped"
			})
		}
	}
	if slices.Sort(took); len(took) > 0 {
		l.note("from SIGINT to the end: median %v, longest %v", took[len(took)/2], took[len(took)-1])
	}
}
