// Plans compares the times that nystream plan gives with those that the fits take, over 40
// cases of method and shape:
//
//	go run ./bench/plans                     40 cases, on one thread
//	go run ./bench/plans -only landmark,rff  those of some methods
//
// Both are CPU seconds of one thread, as other work on the machine matters least to them. A
// plan is measured anew beside every fit, since it looks at the speed of the machine at that
// moment. A fit is timed three times, and the median counts. What a process takes to begin,
// the time of nystream version, is taken away from the fit. The factor is that between the
// larger and the smaller.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

func main() { program.Main("plans", parse, run) }

type options struct {
	only   []string
	out    string
	within float64
}

func parse(args []string) (o options, err error) {
	f := program.Flags("plans", &o.out)
	only := f.String("only", "", "methods, all by default")
	f.Float64Var(&o.within, "within", 1.5, "the factor that is allowed")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	o.only = program.List(*only)
	var methods []string
	for _, c := range cases {
		methods = append(methods, c.method)
	}
	return o, program.Known(o.only, methods)
}

// lab holds what the cases need.
type lab struct {
	options
	began float64 // seconds that a process takes to begin
}

func (l *lab) path(parts ...string) string {
	return filepath.Join(append([]string{l.out}, parts...)...)
}

func run(ctx context.Context, o options) error {
	l := &lab{options: o}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.path("nystream"), "github.com/nystream/nystream/cmd/nystream")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the command: %w", err)
	}
	_, took, err := l.nystream(ctx, "--version")
	if err != nil {
		return err
	}
	l.began = took
	return l.all(ctx)
}

// all runs the cases and prints a table.
func (l *lab) all(ctx context.Context) error {
	began := time.Now()
	fmt.Println("| method | rows | columns | settings | planned s | real s | factor |\n|---|---:|---:|---|---:|---:|---:|")
	var factors []float64
	for _, c := range cases {
		if len(l.only) > 0 && !slices.Contains(l.only, c.method) {
			continue
		}
		planned, real, err := l.compare(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		factor := max(planned/real, real/planned)
		factors = append(factors, factor)
		fmt.Printf("| %s | %d | %d | %s | %.3g | %.3g | %.2f |\n", c.method, c.rows, c.columns, c.settings, planned, real, factor)
	}
	good := 0
	for _, f := range factors {
		if f <= l.within {
			good++
		}
	}
	slices.Sort(factors)
	fmt.Printf("\n%d of %d within a factor of %g; median %.2f, worst %.2f. Measured in %.0f s.\n", good, len(factors), l.within,
		factors[len(factors)/2], factors[len(factors)-1], time.Since(began).Seconds())
	return nil
}

// compare returns the seconds that are planned and those that the fit takes.
func (l *lab) compare(ctx context.Context, c fitCase) (planned, real float64, err error) {
	data, err := l.rows(c.rows, c.columns)
	if err != nil {
		return 0, 0, err
	}
	args := []string{"fit", c.method, data}
	if c.right > 0 {
		right, err := l.rows(c.right, c.columns)
		if err != nil {
			return 0, 0, err
		}
		args = append(args, "--right", right)
	}
	args = append(append(args, "--threads", "1", "--format", "json"), strings.Fields(c.settings)...)
	out, _, err := l.nystream(ctx, append([]string{"plan"}, args...)...)
	if err != nil {
		return 0, 0, err
	}
	var plan struct {
		EstimatedSeconds float64 `json:"estimated_seconds"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		return 0, 0, err
	}
	times := make([]float64, 3)
	for i := range times {
		if _, times[i], err = l.nystream(ctx, append(args, "-o", l.path("model.npz"))...); err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(times)
	return plan.EstimatedSeconds, math.Max(1e-3, times[1]-l.began), nil
}

// nystream runs the command and returns what it prints and the CPU seconds it took.
func (l *lab) nystream(ctx context.Context, args ...string) ([]byte, float64, error) {
	cmd := exec.CommandContext(ctx, l.path("nystream"), args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("nystream %s: %w\n%s", strings.Join(args, " "), err, errors.String())
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// rows returns the file of so many rows, drawn uniformly.
func (l *lab) rows(n, d int) (string, error) {
	path := l.path(fmt.Sprintf("%dx%d.npy", n, d))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(d), Rows: int64(n)})
	if err != nil {
		return "", err
	}
	defer w.Abort() // does nothing after Commit
	if err := w.Write(&stream.Batch{X: datasets.Uniform(n, d, 7)}, n); err != nil {
		return "", err
	}
	return path, w.Commit()
}
