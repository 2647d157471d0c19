package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// written are the files of a run that is killed while it puts them under their names, in the
// order of the renames. The page has times in it, and so other bytes in each run.
var written = []struct {
	name string
	page bool
}{{name: "u.parquet"}, {name: "plot.svg"}, {name: "page.html", page: true}, {name: "m.npz"}}

// renames is how often a run is killed before each of the renames.
const renames = 8

// commitCalls are the calls before which a run is killed besides the renames: with those that
// make files, write, sync, link and remove them, a kill falls before and after each step.
var commitCalls = []string{"linkat", "unlinkat", "fsync", "flock", "write", "openat", "close"}

// commitTally counts what kills left.
type commitTally struct {
	kills, old, new int // all files as before, all of the killed run
	between         int // some of each; those that are new come before those that are old
	noticed         int // of these, with new factors beside the old model, that verify refuses
	wrong           int // pairs that verify judges wrongly, or files that are damaged
	left            int // runs after which temporary files stay when the next one has ended
}

func (t *commitTally) add(u commitTally) {
	t.kills += u.kills
	t.old += u.old
	t.new += u.new
	t.between += u.between
	t.noticed += u.noticed
	t.wrong += u.wrong
	t.left += u.left
}

// committed is a run that is killed at its end.
type committed struct {
	*options
	data     string
	old, new map[string][]byte // files of an earlier run, of another seed, and of this one
	work     string
}

// runCommits kills a fit with factors, a picture and a page before every call of the system
// that has to do with its files, over the files of an earlier run.
func runCommits(ctx context.Context, o *options) error {
	if _, err := exec.LookPath("strace"); err != nil {
		return errors.New("-commits needs strace, which kills at a call of the system: apt-get install strace")
	}
	c := &committed{options: o, data: o.path(o.formats[0]), work: filepath.Join(o.folder, "committed")}
	for seed, files := range map[string]*map[string][]byte{"2": &c.old, "1": &c.new} {
		if err := os.RemoveAll(c.work); err != nil {
			return err
		}
		if err := os.MkdirAll(c.work, 0o777); err != nil {
			return err
		}
		if out, err := c.fit(ctx, seed).CombinedOutput(); err != nil {
			return fmt.Errorf("undisturbed: %w: %s", err, out)
		}
		*files = make(map[string][]byte)
		for _, w := range written {
			data, err := os.ReadFile(filepath.Join(c.work, w.name))
			if err != nil {
				return err
			}
			(*files)[w.name] = data
		}
	}
	var all commitTally
	row := func(name string, t commitTally) {
		fmt.Printf("%-10s %6d %6d %6d %8d %8d %6d %6d\n", name, t.kills, t.old, t.new, t.between, t.noticed, t.wrong, t.left)
	}
	fmt.Printf("%-10s %6s %6s %6s %8s %8s %6s %6s\n", "before", "kills", "old", "new", "between", "noticed", "wrong", "left")
	for _, w := range written {
		var t commitTally
		for range renames {
			if _, err := c.once(ctx, "renameat", 1, &t, "-P", w.name); err != nil {
				return fmt.Errorf("killed before the rename of %s: %w; the run is in %s", w.name, err, c.work)
			}
		}
		row(w.name, t)
		all.add(t)
	}
	for _, call := range commitCalls {
		t, err := c.each(ctx, call)
		if err != nil {
			return fmt.Errorf("killed before %s: %w; the run is in %s", call, err, c.work)
		}
		row(call, t)
		all.add(t)
	}
	row("all", all)
	if all.wrong+all.left > 0 {
		return fmt.Errorf("%d files or pairs are wrong, and %d runs leave temporary files behind", all.wrong, all.left)
	}
	return nil
}

// fit returns the fit that is killed.
func (c *committed) fit(ctx context.Context, seed string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.command, c.args(seed)...)
	cmd.Dir = c.work
	return cmd
}

func (c *committed) args(seed string) []string {
	return []string{"fit", "landmark", c.data, "--kernel", "rbf(gamma=0.5)", "--rank", "20", "--quiet", "--seed", seed,
		"-o", "m.npz", "--factors", "u.parquet", "--plot", "plot.svg", "--report", "page.html"}
}

// each kills before the first call of a kind, then before the second, until the run ends by
// itself.
func (c *committed) each(ctx context.Context, call string) (t commitTally, err error) {
	for k := 1; ; k++ {
		if k > eachCall {
			k += k / 4
		}
		killed, err := c.once(ctx, call, k, &t)
		if err != nil || !killed {
			return t, err
		}
	}
}

// once kills before the k-th call of a thread, of those that more options of strace select, and
// looks at what is there. It reports whether there were so many calls.
func (c *committed) once(ctx context.Context, call string, k int, t *commitTally, more ...string) (killed bool, err error) {
	if err := c.reset(); err != nil {
		return false, err
	}
	args := []string{"-f", "-qq", "-o", os.DevNull, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, k)} // with --seccomp-bpf it would not kill at later calls
	args = append(args, more...)
	cmd := exec.CommandContext(ctx, "strace", append(append(args, c.command), c.args("1")...)...)
	cmd.Dir = c.work
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case !errors.As(err, &exit) || exit.ExitCode() > 0 && exit.ExitCode() != 128+9:
		return false, fmt.Errorf("%w: %s", err, out)
	}
	t.kills++
	if err := c.judge(ctx, t); err != nil {
		return true, fmt.Errorf("the time %d: %w", k, err)
	}
	return true, c.cleaned(ctx, t)
}

// reset puts the files of the earlier run into the folder, and nothing else.
func (c *committed) reset() error {
	err := errors.Join(os.RemoveAll(c.work), os.MkdirAll(c.work, 0o777))
	for name, data := range c.old {
		err = errors.Join(err, os.WriteFile(filepath.Join(c.work, name), data, 0o666))
	}
	return err
}

// judge looks at the files that a kill has left, and at what verify says of the pair of model
// and factors.
func (c *committed) judge(ctx context.Context, t *commitTally) error {
	isNew := make([]bool, len(written))
	count := 0
	for i, w := range written {
		data, err := os.ReadFile(filepath.Join(c.work, w.name))
		switch {
		case err != nil:
			return fmt.Errorf("an old file is gone: %w", err)
		case bytes.Equal(data, c.old[w.name]):
			continue
		case !bytes.Equal(data, c.new[w.name]) && !(w.page && bytes.HasSuffix(bytes.TrimSpace(data), []byte("</html>"))):
			t.wrong++
		}
		isNew[i] = true
		count++
		if count <= i {
			t.wrong++ // an earlier one is old
		}
	}
	switch count {
	case 0:
		t.old++
	case len(written):
		t.new++
	default:
		t.between++
	}
	apart := isNew[0] != isNew[len(written)-1]
	cmd := exec.CommandContext(ctx, c.command, "verify", "m.npz", c.data, "--error", "sampled", "--sample", "64", "--quiet")
	cmd.Dir = c.work
	out, err := cmd.CombinedOutput()
	refused := err != nil && strings.Contains(string(out), "is not the file that was written with")
	switch {
	case err != nil && !refused:
		return fmt.Errorf("verify: %w: %s", err, out)
	case refused != apart:
		t.wrong++
	case refused:
		t.noticed++
	}
	return nil
}

// cleaned makes the run once more, undisturbed, and looks whether its files are those of a run
// and nothing is left beside them.
func (c *committed) cleaned(ctx context.Context, t *commitTally) error {
	if out, err := c.fit(ctx, "1").CombinedOutput(); err != nil {
		return fmt.Errorf("once more: %w: %s", err, out)
	}
	entries, err := os.ReadDir(c.work)
	if err != nil {
		return err
	}
	if len(entries) != len(written) {
		t.left++
	}
	for _, w := range written {
		if data, err := os.ReadFile(filepath.Join(c.work, w.name)); err != nil || !w.page && !bytes.Equal(data, c.new[w.name]) {
			t.wrong++
		}
	}
	return nil
}
