package main

import (
	"bytes"
	"context"
	"os"
	"strings"
)

// committed are the outputs of a fit in the order of their renames. The page contains times, so its bytes vary.
var committed = []string{"u.parquet", "plot.svg", page, "m.npz"}

const page = "page.html"

// renames is the number of kills before the rename of each output.
const renames = 8

// commitCalls are the other calls before which a fit is killed. They create, write, sync and remove files, so a kill
// falls before and after each step.
var commitCalls = []string{"unlinkat", "fsync", "flock", "write", "openat", "close"}

// commit is a fit that is killed at its end, over the outputs of an earlier one with another seed.
type commit struct {
	*lab
	path     string
	old, new map[string][]byte // outputs
}

// commits kills a fit before every system call that handles its outputs. Each output must be old
// or new, renamed in order, and verify must refuse a model beside the factors of another fit. The
// same command must then leave its outputs and nothing else.
func commits(ctx context.Context, l *lab) {
	c := &commit{lab: l, path: l.data(ctx, uniform(l.rows, 10, 7, "npy"))}
	l.succeed(ctx, c.fit("2"))
	c.old = read(l.work, committed...)
	l.reset(nil)
	l.succeed(ctx, c.fit("1"))
	c.new = read(l.work, committed...)
	for _, output := range committed {
		for range renames {
			l.try(ctx, "rename of "+output, func() string {
				outcome, _ := c.once(ctx, "renameat", 1, "-P", output)
				return outcome
			})
		}
	}
	for _, call := range commitCalls {
		l.eachOf(ctx, call, func(k int) (string, bool) { return c.once(ctx, call, k) })
	}
}

// fit returns the fit with the given seed.
func (c *commit) fit(seed string) process {
	const outputs = " -o m.npz --factors u.parquet --plot plot.svg --report page.html"
	return c.fields("fit landmark X --kernel rbf(gamma=0.5) --rank 20 --quiet --seed "+seed+outputs, c.path)
}

// once kills the fit before the k-th call, judges the remaining files and repeats the fit. occurs reports whether there
// is a k-th call.
func (c *commit) once(ctx context.Context, call string, k int, options ...string) (outcome string, occurs bool) {
	c.reset(c.old)
	options = append(options, "-o", os.DevNull) // with --seccomp-bpf, strace does not kill at later calls
	e := c.run(ctx, c.fit("1").straced(call, "signal=KILL", k, options...))
	switch {
	case e.code == 0:
		return "", false
	case e.code > 0 && e.code != 128+9:
		failf("it ends with %d: %s", e.code, e.text)
	}
	outcome = c.judge(ctx)
	c.succeed(ctx, c.fit("1"))
	for name, content := range read(c.work, committed...) {
		if name != page && !bytes.Equal(content, c.new[name]) {
			failf("once more: %s is another one", name)
		}
	}
	if entries, err := os.ReadDir(c.work); err != nil || len(entries) > len(committed) {
		failf("temporary files are left: %v %v", entries, err)
	}
	return outcome, true
}

// judge checks the outputs after a kill, and the result of verify for the model and factors.
func (c *commit) judge(ctx context.Context) (outcome string) {
	renamed, left := make(map[string]bool), read(c.work, committed...)
	for i, name := range committed {
		content := left[name]
		whole := bytes.Equal(content, c.new[name])
		if name == page {
			whole = bytes.HasSuffix(bytes.TrimSpace(content), []byte("</html>"))
		}
		switch {
		case bytes.Equal(content, c.old[name]):
			continue
		case !whole:
			failf("%s is neither old nor new", name)
		case len(renamed) < i:
			failf("%s is new, and an output before it is old", name)
		}
		renamed[name] = true
	}
	e := c.run(ctx, c.fields("verify m.npz X --error sampled --sample 64 --quiet", c.path))
	apart := renamed["m.npz"] != renamed["u.parquet"]
	refused := strings.Contains(e.text, "is not the file that was written with")
	switch {
	case e.code != 0 && !refused:
		failf("verify ends with %d: %s", e.code, e.text)
	case refused != apart:
		failf("model and factors are of different fits: %t; verify refuses them: %t", apart, refused)
	case len(renamed) == 0:
		return "old"
	case len(renamed) == len(committed):
		return "new"
	}
	return "between"
}
