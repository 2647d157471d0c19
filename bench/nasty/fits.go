package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// outcome is how a run ended.
type outcome int

const (
	done outcome = iota
	refused
	wrong
)

// most is how long a run may take.
const most = time.Minute

// fits returns the arguments of all runs.
func fits() (all []string) {
	for _, kernel := range []string{"rbf(gamma=1)", "rbf", "linear", "poly(degree=2)", "laplace", "cosine", "matern32(length=1)", "sigmoid"} {
		for _, method := range []string{"auto --tol 0.01", "auto --tol 0.1 --norm frobenius", "auto --rank 3", "landmark --rank 3", "landmark --rank 16 --nnz 1",
			"landmark --rank 50", "s3spsd --rank 3", "ssrsvd --rank 3", "nystrom --rank 3", "rpcholesky --rank 3", "subspace --rank 3"} {
			name, settings, _ := strings.Cut(method, " ")
			all = append(all, fmt.Sprintf("fit %s rows.npy %s --kernel %s --factors u.npy", name, settings, kernel))
		}
		for _, method := range []string{"ksvd rows.npy --rank 2", "ksvd rows.npy --rank 2 --method nystrom", "landmark rows.npy --right rows.npy --rank 3",
			"ism rows.csv --columns c* --label label --dim 1", "askls rows.csv --columns c* --label label", "operator pca rows.npy", "operator cca rows.npy --right rows.npy"} {
			all = append(all, fmt.Sprintf("fit %s --kernel %s", method, kernel))
		}
	}
	return append(all, "fit ksvd rows.npy --rank 2 --kernel sne(gamma=1)", "fit rff rows.npy --rank 10 --kernel rbf", "fit transport rows.npy --right rows.npy")
}

// fit runs a fit, and embeds the rows by its model. It returns what is wrong.
func (l *lab) fit(ctx context.Context, args string) (what string, how outcome) {
	defer l.clear()
	out, what, how := l.run(ctx, append(strings.Fields(args), "-o", "m.npz", "--format", "json", "--quiet"))
	if how != done {
		return what, how
	}
	if what := addsUp(out); what != "" {
		return what, wrong
	}
	if strings.Contains(args, "--right") || strings.Contains(args, " rows.csv ") {
		return "", done
	}
	if _, what, how := l.run(ctx, []string{"transform", "m.npz", "rows.npy", "-o", "t.npy", "--quiet"}); how != done {
		return "transform: " + what, how
	}
	return l.finite(ctx)
}

// run runs the command. An error of it is meant unless it panics.
func (l *lab) run(ctx context.Context, args []string) (out []byte, what string, how outcome) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	c := exec.CommandContext(limited, l.command, args...)
	var stdout, stderr bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = l.folder, &stdout, &stderr
	err := c.Run()
	what, _, _ = strings.Cut(stderr.String(), "\n")
	var exit *exec.ExitError
	switch {
	case limited.Err() != nil:
		return nil, fmt.Sprintf("not within %v", most), wrong
	case strings.Contains(stderr.String(), "goroutine "):
		return nil, what, wrong
	case errors.As(err, &exit) && exit.ExitCode() <= 4:
		if left := l.left(args); left != "" {
			return nil, "it failed and left " + left, wrong
		}
		return nil, what, refused
	case err != nil:
		return nil, err.Error(), wrong
	}
	return stdout.Bytes(), "", done
}

// left names a file of an output that a run that failed has left.
func (l *lab) left(args []string) string {
	entries, err := os.ReadDir(l.folder)
	if err != nil {
		return err.Error()
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, ".") || slices.Contains([]string{"u.npy", "t.npy"}, name) || name == "m.npz" && args[0] == "fit" {
			return name
		}
	}
	return ""
}

// clear removes what a run has left.
func (l *lab) clear() {
	entries, _ := os.ReadDir(l.folder)
	for _, e := range entries {
		if !slices.Contains([]string{"rows.npy", "rows.csv"}, e.Name()) {
			os.Remove(filepath.Join(l.folder, e.Name()))
		}
	}
}

// allowedTrace is how much of the trace of a matrix the values of a model may be, with what
// least squares and a sample of the rows make of it.
const allowedTrace = 1.1

// addsUp returns what is wrong with the values of a model, as a report has them.
func addsUp(report []byte) string {
	var r struct {
		TraceKept float64 `json:"trace_kept"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return "the report is no JSON: " + err.Error()
	}
	if r.TraceKept > allowedTrace {
		return fmt.Sprintf("the values are %.3g of the trace", r.TraceKept)
	}
	return ""
}

// finite reports whether the rows that were embedded are numbers.
func (l *lab) finite(ctx context.Context) (what string, how outcome) {
	src, err := blockstore.Open(ctx, []string{filepath.Join(l.folder, "t.npy")}, blockstore.Options{})
	if err != nil {
		return err.Error(), wrong
	}
	x, err := stream.ReadAll(ctx, src)
	if err == nil {
		err = sketch.CheckFinite(x)
	}
	if err != nil {
		return err.Error(), wrong
	}
	return "", done
}
