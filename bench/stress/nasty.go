package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/nasty"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// nastyFits are the fits of every family with every kernel.
func nastyFits() (all []string) {
	kernels := []string{"rbf(gamma=1)", "rbf", "linear", "poly(degree=2)", "laplace", "cosine", "matern32(length=1)",
		"sigmoid"}
	symmetric := []string{"auto X --tol 0.01", "auto X --tol 0.1 --norm frobenius", "auto X --rank 3",
		"landmark X --rank 3", "landmark X --rank 16 --landmarks 16", "landmark X --rank 50", "s3spsd X --rank 3",
		"ssrsvd X --rank 3", "nystrom X --rank 3", "rpcholesky X --rank 3", "subspace X --rank 3"}
	others := []string{"ksvd X --rank 2", "ksvd X --rank 2 --method nystrom", "landmark X --right rows.npy --rank 3",
		"ism rows.csv --columns x* --label name --dim 1", "askls rows.csv --columns x* --label name", "operator pca X",
		"operator cca X --right rows.npy"}
	for _, kernel := range kernels {
		for _, method := range symmetric {
			all = append(all, fmt.Sprintf("fit %s --kernel %s --factors u.npy", method, kernel))
		}
		for _, method := range others {
			all = append(all, fmt.Sprintf("fit %s --kernel %s", method, kernel))
		}
	}
	return append(all, "fit ksvd X --rank 2 --kernel sne(gamma=1)", "fit rff X --rank 10 --kernel rbf",
		"fit transport X --right rows.npy")
}

// allowedTrace is the largest part of the trace of a matrix that the values of a model may be: an
// estimate from a sample of the rows is above 1 at times.
const allowedTrace = 1.1

// fitNasty fits every family to all kinds of rows and embeds the rows by the model. A fit is done
// or refused. It must not panic, take minutes, leave outputs when it fails, embed rows in numbers
// that are not finite, or have values of a symmetric matrix that exceed its trace.
func fitNasty(ctx context.Context, l *lab) {
	for _, k := range nasty.Kinds {
		x := k.Rows(0)
		l.reset(nil)
		writeBatch(l.in("rows.npy"), blockstore.Schema{Columns: xNames(x.Cols)}, x)
		writeLabelled(l.in("rows.csv"), x, func(i int) string { return string(rune('a' + i%2)) })
		rows := read(l.work, "rows.npy", "rows.csv")
		for _, line := range nastyFits() {
			if l.random.IntN(l.every) == 0 {
				l.try(ctx, k.Name+": "+line, func() string {
					l.reset(rows)
					return l.nasty(ctx, line)
				})
			}
		}
	}
}

// nasty makes a fit, and embeds the rows by its model.
func (l *lab) nasty(ctx context.Context, line string) (outcome string) {
	report, outcome := l.tried(ctx, line+" -o m.npz --format json --quiet", "m.npz", "u.npy")
	if outcome == "refused" {
		return outcome
	}
	var says struct {
		TraceKept float64 `json:"trace_kept"`
	}
	check(json.Unmarshal(report, &says))
	if says.TraceKept > allowedTrace {
		failf("the values are %.3g of the trace", says.TraceKept)
	}
	if strings.Contains(line, "--right") || strings.Contains(line, " rows.csv ") {
		return "done"
	}
	if _, outcome = l.tried(ctx, "transform m.npz X -o t.npy --quiet", "t.npy"); outcome == "done" {
		src, err := blockstore.Open(ctx, []string{l.in("t.npy")}, blockstore.Options{})
		check(err)
		embedded, err := stream.ReadAll(ctx, src)
		check(err)
		check(sketch.CheckFinite(embedded))
	}
	return outcome
}

// tried runs the command. A run that fails must leave no outputs.
func (l *lab) tried(ctx context.Context, line string, outputs ...string) (report []byte, outcome string) {
	e := l.run(ctx, l.fields(line, "rows.npy"))
	if e.code == 0 {
		return e.out, "done"
	}
	if e.code < 0 || e.code > 4 {
		failf("it ends with %d: %s", e.code, e.text)
	}
	left, _ := filepath.Glob(l.in(".*"))
	for _, name := range outputs {
		if _, err := os.Stat(l.in(name)); err == nil {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		failf("it fails and leaves %q", left)
	}
	return nil, "refused"
}
