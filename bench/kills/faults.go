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
	"time"
)

// scene is a command line that is run while calls of the system fail, and what is there
// before it.
type scene struct {
	name   string
	before [][]string // command lines that make what is there
	args   []string
	after  []string // makes the model, if args do not
	files  []string // what args write; old ones are there
}

// scenes returns those of rows in a file. Paths of results are relative to the folder
// that they run in.
func scenes(data string) []scene {
	fit := func(method string, more ...string) []string {
		args := []string{"fit", method, data, "--kernel", "rbf(gamma=0.5)", "--rank", "20", "--quiet"}
		return append(args, more...)
	}
	shard := func(part string) []string { return fit("s3spsd", "--shard", part, "--states", "st") }
	merge := []string{"merge", "--states", "st", "-o", "m.npz", "--quiet"}
	checkpoint := []string{"--scale", "standard", "--checkpoint", "ck", "--checkpoint-every", "1ms", "-o", "m.npz"}
	return []scene{
		{name: "factors", args: fit("landmark", "-o", "m.npz", "--factors", "u.npy", "--plot", "p.svg"), files: []string{"m.npz", "u.npy", "p.svg"}},
		{name: "checkpoint", args: fit("s3spsd", checkpoint...), files: []string{"m.npz"}},
		{name: "resumed", before: [][]string{fit("s3spsd", "--scale", "standard", "--shard", "1/1", "--states", "ck"), fit("s3spsd", "--scale", "standard", "--shard", "1/2", "--states", "ck")},
			args: fit("s3spsd", checkpoint...), files: []string{"m.npz"}},
		{name: "shard", before: [][]string{shard("1/3"), shard("3/3")}, args: shard("2/3"), after: merge},
		{name: "merge", before: [][]string{shard("1/2"), shard("2/2")}, args: merge, files: []string{"m.npz"}},
	}
}

// call is a call of the system and the error that it fails with.
type call struct {
	name, fault string
	data        bool // only of the file of the rows and of states: the loader reads as well
}

var calls = []call{
	{name: "read", fault: "EIO", data: true}, {name: "pread64", fault: "EIO", data: true}, {name: "newfstatat", fault: "EIO", data: true},
	{name: "fstat", fault: "EIO", data: true}, {name: "getdents64", fault: "EIO"}, {name: "openat", fault: "EMFILE"},
	{name: "write", fault: "ENOSPC"}, {name: "pwrite64", fault: "ENOSPC"}, {name: "fsync", fault: "EIO"}, {name: "close", fault: "EIO"},
	{name: "renameat", fault: "ENOSPC"}, {name: "linkat", fault: "EPERM"}, {name: "unlinkat", fault: "EIO"}, {name: "mkdirat", fault: "ENOSPC"},
}

// eachCall is up to which number every call of a kind fails, in a run of its own; of
// later ones about one in four.
const eachCall = 24

// faultTally counts runs in which a call failed.
type faultTally struct {
	faults  int
	done    int // ended as if nothing had failed, with the same bytes
	refused int // ended with an error, and the files were the old ones
	runtime int // of the runtime of Go, which does not go on when it cannot wake its poller
}

func (t *faultTally) add(u faultTally) {
	t.faults += u.faults
	t.done += u.done
	t.refused += u.refused
	t.runtime += u.runtime
}

// failing runs a scene while calls fail.
type failing struct {
	*options
	scene
	template, work string            // folders: what is there before, and that of a run
	want           map[string][]byte // files of an undisturbed run
}

// old is what is in files that a run may replace.
var old = []byte("what an earlier run has written")

// runFaults runs all scenes with all calls failing, one after the other.
func runFaults(ctx context.Context, o *options) error {
	if _, err := exec.LookPath("strace"); err != nil {
		return errors.New("-faults needs strace, which makes calls of the system fail: apt-get install strace")
	}
	var all faultTally
	fmt.Printf("%-10s %-8s %-10s %6s %6s %8s %8s\n", "scene", "format", "call", "faults", "done", "refused", "runtime")
	for _, format := range o.formats {
		for _, s := range scenes(o.path(format)) {
			f := &failing{options: o, scene: s, template: filepath.Join(o.folder, "template"), work: filepath.Join(o.folder, "work")}
			if err := f.prepare(ctx); err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, format, err)
			}
			for _, c := range calls {
				t, err := f.each(ctx, c)
				if err != nil {
					return fmt.Errorf("%s, %s, %s fails: %w; the run is in %s", s.name, format, c.name, err, f.work)
				}
				if t.faults > 0 {
					fmt.Printf("%-10s %-8s %-10s %6d %6d %8d %8d\n", s.name, format, c.name, t.faults, t.done, t.refused, t.runtime)
				}
				all.add(t)
			}
		}
	}
	fmt.Printf("%-10s %-8s %-10s %6d %6d %8d %8d\n", "all", "", "", all.faults, all.done, all.refused, all.runtime)
	return nil
}

// prepare makes what is there before a run, and what an undisturbed one makes.
func (f *failing) prepare(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(f.template), os.MkdirAll(f.template, 0o777)); err != nil {
		return err
	}
	for _, args := range f.before {
		if err := f.undisturbed(ctx, f.template, args); err != nil {
			return err
		}
	}
	if f.name == "resumed" { // the second pass is there in part
		os.Remove(filepath.Join(f.template, "ck", "0002-fit.1-of-1.state"))
	}
	for _, name := range f.files {
		if err := os.WriteFile(filepath.Join(f.template, name), old, 0o666); err != nil {
			return err
		}
	}
	if err := f.reset(); err != nil {
		return err
	}
	if err := f.finish(ctx); err != nil {
		return err
	}
	f.want = make(map[string][]byte)
	for _, name := range append(f.files, "m.npz") {
		data, err := os.ReadFile(filepath.Join(f.work, name))
		if err != nil {
			return err
		}
		f.want[name] = data
	}
	return nil
}

// reset makes the folder of a run what it is before.
func (f *failing) reset() error {
	return errors.Join(os.RemoveAll(f.work), os.CopyFS(f.work, os.DirFS(f.template)))
}

// finish runs the command line, and the one after it, undisturbed.
func (f *failing) finish(ctx context.Context) error {
	err := f.undisturbed(ctx, f.work, f.args)
	if err == nil && f.after != nil {
		err = f.undisturbed(ctx, f.work, f.after)
	}
	return err
}

func (f *failing) undisturbed(ctx context.Context, folder string, args []string) error {
	cmd := exec.CommandContext(ctx, f.command, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("undisturbed: %w: %s", err, out)
	}
	return nil
}

// each lets the first call fail, then the second, until there are no more.
func (f *failing) each(ctx context.Context, c call) (t faultTally, err error) {
	for k := 1; ; k++ {
		if k > eachCall {
			k += k / 4
		}
		hit, err := f.once(ctx, c, k, &t)
		if err != nil {
			return t, fmt.Errorf("the time %d: %w", k, err)
		}
		if !hit {
			return t, nil
		}
		t.faults++
	}
}

// once makes a run in which the k-th call of each thread fails, and looks at what it
// leaves. It reports whether there were so many calls.
func (f *failing) once(ctx context.Context, c call, k int, t *faultTally) (hit bool, err error) {
	if err := f.reset(); err != nil {
		return false, err
	}
	messages, code, log, err := f.traced(ctx, c, k)
	if err != nil || !strings.Contains(log, "(INJECTED)") {
		return false, err
	}
	crashed := strings.Contains(messages, "netpollBreak write failed")
	if !crashed && strings.Contains(messages, "goroutine ") {
		return true, fmt.Errorf("it panics: %s", messages)
	}
	now := f.wrote()
	switch {
	case code == 0 && now == "old":
		return true, errors.New("it ends with 0 and has written nothing")
	case now == "mixed":
		return true, fmt.Errorf("it ends with %d, and its files are neither all old nor all new: %s", code, messages)
	case code == 0:
		t.done++
	case crashed:
		t.runtime++
	default:
		t.refused++
	}
	return true, f.again(ctx, c, code == 0 || now == "new", crashed)
}

// again makes the run once more, undisturbed, unless it is done: then it may have to be
// ended.
func (f *failing) again(ctx context.Context, c call, done, crashed bool) error {
	var err error
	switch {
	case !done:
		err = f.finish(ctx)
	case f.after != nil:
		err = f.undisturbed(ctx, f.work, f.after)
	}
	if err != nil {
		return err
	}
	for name, want := range f.want {
		if got, err := os.ReadFile(filepath.Join(f.work, name)); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("afterwards %s is another one (%v)", name, err)
		}
	}
	entries, err := os.ReadDir(f.work)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") && !crashed && c.name != "unlinkat" {
			return fmt.Errorf("%s is left", e.Name())
		}
	}
	return err
}

// wrote tells what is in the files that the run writes: "old", "new" or "mixed", or ""
// if it writes states alone.
func (f *failing) wrote() (all string) {
	for i, name := range f.files {
		data, err := os.ReadFile(filepath.Join(f.work, name))
		kind := "mixed"
		switch {
		case err != nil:
		case bytes.Equal(data, old):
			kind = "old"
		case bytes.Equal(data, f.want[name]):
			kind = "new"
		}
		if i > 0 && kind != all {
			return "mixed"
		}
		all = kind
	}
	return all
}

// traced runs the command line while strace lets calls fail. It returns what it writes
// to the standard error, the exit code and the log of strace.
func (f *failing) traced(ctx context.Context, c call, k int) (messages string, code int, log string, err error) {
	const patience = 3 * time.Minute
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it hangs: no end after %v", patience))
	defer cancel()
	path := filepath.Join(f.folder, "strace.log")
	args := []string{"-f", "--seccomp-bpf", "-qq", "-o", path, "-e", "signal=none", "-e", "trace=" + c.name, "-e", fmt.Sprintf("inject=%s:error=%s:when=%d", c.name, c.fault, k)}
	if c.data {
		for _, p := range f.read() {
			args = append(args, "-P", p)
		}
	}
	cmd := exec.CommandContext(ctx, "strace", append(append(args, f.command), f.args...)...)
	cmd.Dir = f.work
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", 0, "", context.Cause(ctx)
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		return "", 0, "", err
	}
	text, err := os.ReadFile(path)
	return stderr.String(), code, string(text), err
}

// read returns the paths that a run reads: the rows, and states.
func (f *failing) read() []string {
	paths := []string{f.args[2]}
	for _, folder := range []string{"ck", "st"} {
		states, err := filepath.Glob(filepath.Join(f.work, folder, "*.state"))
		if err != nil {
			panic("kills: " + err.Error()) // of a wrong pattern
		}
		paths = append(paths, states...)
	}
	return paths
}
