package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
)

// outputs of a fit, in the order of their renames. The page holds times, so its bytes vary.
var committed = []string{"u.parquet", "plot.svg", page, "m.npz"}

const page = "page.html"

// renames is how often a fit is killed before the rename of each output.
const renames = 8

// commitCalls are the calls before which a fit is killed besides the renames. They make files,
// write, sync, link and remove them, so a kill falls before and after each step.
var commitCalls = []string{"linkat", "unlinkat", "fsync", "flock", "write", "openat", "close"}

// commit is a fit that is killed at its end, over the outputs of an earlier one of another seed.
type commit struct {
	*lab
	path     string
	old, new map[string][]byte // outputs
}

// commits kills a fit before every system call that handles its outputs. Each output must be old
// or new, renamed in order, and verify must refuse a model beside the factors of another fit. The
// same command must then leave its outputs and nothing else.
func commits(ctx context.Context, l *lab) error {
	path, err := l.data(ctx, uniform(l.rows, 10, 7, "npy"))
	if err != nil {
		return err
	}
	c := &commit{lab: l, path: path}
	if c.old, err = c.made(ctx, "2"); err != nil {
		return err
	}
	if c.new, err = c.made(ctx, "1"); err != nil {
		return err
	}
	for _, output := range committed {
		for range renames {
			if _, err := c.once(ctx, "renameat", 1, "-P", output); err != nil {
				return err
			}
		}
	}
	for _, call := range commitCalls {
		for k, killed := l.nextCall(0), true; killed; k = l.nextCall(k) {
			if killed, err = c.once(ctx, call, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// fit returns the fit with a seed.
func (c *commit) fit(seed string) process {
	return c.fields("fit landmark X --kernel rbf(gamma=0.5) --rank 20 --quiet -o m.npz --factors u.parquet --plot plot.svg --report page.html --seed "+seed, c.path)
}

// made returns the outputs of an undisturbed fit.
func (c *commit) made(ctx context.Context, seed string) (map[string][]byte, error) {
	if err := c.reset(nil); err != nil {
		return nil, err
	}
	if _, err := c.succeed(ctx, c.fit(seed)); err != nil {
		return nil, err
	}
	return read(c.work, committed...)
}

// once kills the fit before the k-th call and judges what is left. It reports whether the fit was
// killed.
func (c *commit) once(ctx context.Context, call string, k int, options ...string) (killed bool, err error) {
	name := strings.Join(append([]string{call, fmt.Sprint(k)}, options...), " ")
	return killed, c.try(ctx, name, func() (string, error) {
		if err := c.reset(c.old); err != nil {
			return "", err
		}
		options = append(options, "-o", os.DevNull) // with --seccomp-bpf strace does not kill at later calls
		e, err := c.run(ctx, c.fit("1").straced(call, "signal=KILL", k, options...))
		switch {
		case err != nil || e.code == 0:
			return "", err
		case e.code > 0 && e.code != 128+9:
			return "", fmt.Errorf("it ends with %d: %s", e.code, e.text)
		}
		killed = true
		outcome, err := c.judge(ctx)
		if err == nil {
			err = c.again(ctx)
		}
		return outcome, err
	})
}

// judge looks at the outputs that a kill left, and at what verify says of the model and factors.
func (c *commit) judge(ctx context.Context) (outcome string, err error) {
	var isNew []bool
	renamed := 0
	for i, name := range committed {
		content, err := os.ReadFile(c.in(name))
		if err != nil {
			return "", fmt.Errorf("an old output is gone: %w", err)
		}
		isNew = append(isNew, !bytes.Equal(content, c.old[name]))
		if !isNew[i] {
			continue
		}
		if whole := bytes.HasSuffix(bytes.TrimSpace(content), []byte("</html>")); !bytes.Equal(content, c.new[name]) && (name != page || !whole) {
			return "", fmt.Errorf("%s is neither old nor new", name)
		}
		if renamed++; renamed <= i {
			return "", fmt.Errorf("%s is new, and an output before it is old", name)
		}
	}
	outcome = map[int]string{0: "old", len(committed): "new"}[renamed]
	e, err := c.run(ctx, c.fields("verify m.npz X --error sampled --sample 64 --quiet", c.path))
	apart, refused := isNew[0] != isNew[len(isNew)-1], strings.Contains(e.text, "is not the file that was written with")
	switch {
	case err != nil:
		return "", err
	case e.code != 0 && !refused:
		return "", fmt.Errorf("verify ends with %d: %s", e.code, e.text)
	case refused != apart:
		return "", fmt.Errorf("model and factors are of different fits: %t; verify refuses them: %t", apart, refused)
	}
	return cmp.Or(outcome, "between"), nil
}

// again makes the fit once more, undisturbed.
func (c *commit) again(ctx context.Context) error {
	if _, err := c.succeed(ctx, c.fit("1")); err != nil {
		return fmt.Errorf("once more: %w", err)
	}
	for _, name := range committed {
		content, err := os.ReadFile(c.in(name))
		if err != nil || name != page && !bytes.Equal(content, c.new[name]) {
			return fmt.Errorf("once more: %s is another one", name)
		}
	}
	entries, err := os.ReadDir(c.work)
	if err == nil && len(entries) > len(committed) {
		err = fmt.Errorf("temporary files are left: %v", entries)
	}
	return err
}
