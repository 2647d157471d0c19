package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// scene is a command that runs while system calls fail, and the files that are there before.
// X stands for the rows; other paths are relative to the folder of the run.
type scene struct {
	name   string
	before []string // commands that write states
	line   string
	after  string   // writes the model, if line does not
	files  []string // outputs of line; old ones are there
}

const (
	shortFit   = " X --kernel rbf(gamma=0.5) --rank 20 --quiet "
	scaledFit  = "fit s3spsd" + shortFit + "--scale standard "
	checkpoint = scaledFit + "--checkpoint ck --checkpoint-every 1ms -o m.npz"
	shardFit   = "fit s3spsd" + shortFit + "--states st --shard "
	mergeShard = "merge --states st -o m.npz --quiet"
)

var scenes = []scene{
	{name: "factors", line: "fit landmark" + shortFit + "-o m.npz --factors u.npy --plot p.svg", files: []string{"m.npz", "u.npy", "p.svg"}},
	{name: "checkpoint", line: checkpoint, files: []string{"m.npz"}},
	{name: "resumed", before: []string{scaledFit + "--shard 1/1 --states ck", scaledFit + "--shard 1/2 --states ck"}, line: checkpoint, files: []string{"m.npz"}},
	{name: "shard", before: []string{shardFit + "1/3", shardFit + "3/3"}, line: shardFit + "2/3", after: mergeShard},
	{name: "merge", before: []string{shardFit + "1/2", shardFit + "2/2"}, line: mergeShard, files: []string{"m.npz"}},
}

// call is a system call and the error that it returns.
type call struct {
	name, fault string
	data        bool // only for the rows and the states: the loader reads as well
}

var failingCalls = []call{
	{name: "read", fault: "EIO", data: true}, {name: "pread64", fault: "EIO", data: true}, {name: "newfstatat", fault: "EIO", data: true},
	{name: "fstat", fault: "EIO", data: true}, {name: "getdents64", fault: "EIO"}, {name: "openat", fault: "EMFILE"},
	{name: "write", fault: "ENOSPC"}, {name: "pwrite64", fault: "ENOSPC"}, {name: "fsync", fault: "EIO"}, {name: "close", fault: "EIO"},
	{name: "renameat", fault: "ENOSPC"}, {name: "linkat", fault: "EPERM"}, {name: "unlinkat", fault: "EIO"}, {name: "mkdirat", fault: "ENOSPC"},
}

// oldOutput is the content of outputs that a run may replace.
var oldOutput = []byte("an output of an earlier run")

// failing is a scene in which calls fail.
type failing struct {
	*lab
	scene
	path     string            // of the rows
	template string            // the folder before a run
	want     map[string][]byte // the outputs of an undisturbed run
}

// faults runs all scenes and lets each system call fail in turn. A run must end with 0 and the
// right bytes, or with an error and the old files. The same command must then succeed.
func faults(ctx context.Context, l *lab) error {
	formats := killedFormats
	if l.every > 1 {
		formats = []string{"npy"}
	}
	for _, format := range formats {
		path, err := l.data(ctx, uniform(l.rows, 10, 7, format))
		if err != nil {
			return err
		}
		for _, s := range scenes {
			f := &failing{lab: l, scene: s, path: path, template: l.in() + "-template"}
			err := f.prepare(ctx)
			if err == nil {
				err = f.each(ctx, format)
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, format, err)
			}
		}
	}
	return nil
}

// each lets every call fail that the flags select.
func (f *failing) each(ctx context.Context, format string) error {
	for _, c := range failingCalls {
		for k, hit := f.nextCall(0), true; hit; k = f.nextCall(k) {
			hit = false
			if err := f.try(ctx, fmt.Sprintf("%s, %s, %s %d", f.scene.name, format, c.name, k), func() (outcome string, err error) {
				outcome, err = f.once(ctx, c, k)
				hit = outcome != ""
				return outcome, err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare makes the folder before a run, and the outputs of an undisturbed run.
func (f *failing) prepare(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(f.template), f.reset(nil)); err != nil {
		return err
	}
	for _, line := range f.before {
		if _, err := f.succeed(ctx, f.fields(line, f.path)); err != nil {
			return err
		}
	}
	for _, name := range f.files {
		if err := os.WriteFile(f.in(name), oldOutput, 0o666); err != nil {
			return err
		}
	}
	err := os.CopyFS(f.template, os.DirFS(f.work))
	if err == nil {
		err = f.finish(ctx)
	}
	if err != nil {
		return err
	}
	f.want, err = read(f.work, append(slices.Clone(f.files), "m.npz")...)
	return err
}

// finish runs the command undisturbed, and the one after it.
func (f *failing) finish(ctx context.Context) error {
	_, err := f.succeed(ctx, f.fields(f.line, f.path))
	if err == nil && f.after != "" {
		_, err = f.succeed(ctx, f.fields(f.after, f.path))
	}
	return err
}

// once lets the k-th call of each thread fail. The outcome is "" if there are fewer calls.
func (f *failing) once(ctx context.Context, c call, k int) (outcome string, err error) {
	if err := errors.Join(f.reset(nil), os.CopyFS(f.work, os.DirFS(f.template))); err != nil {
		return "", err
	}
	log := f.template + "-strace.log"
	defer os.Remove(log)
	options := []string{"--seccomp-bpf", "-e", "signal=none", "-o", log}
	if c.data {
		for _, path := range f.inputs() {
			options = append(options, "-P", path)
		}
	}
	e, err := f.run(ctx, f.fields(f.line, f.path).straced(c.name, "error="+c.fault, k, options...))
	if err != nil {
		return "", err
	}
	if text, err := os.ReadFile(log); err != nil || !bytes.Contains(text, []byte("(INJECTED)")) {
		return "", err
	}
	crashed, now := pollerFailed(e.text), f.outputs()
	switch {
	case e.code == 0 && now == "old":
		return "wrong", errors.New("it ends with 0 and has written nothing")
	case now == "mixed":
		return "wrong", fmt.Errorf("it ends with %d, and its files are neither all old nor all new: %s", e.code, e.text)
	case e.code == 0:
		outcome = "done"
	case crashed: // the Go runtime cannot go on when it cannot wake its poller
		outcome = "ended by the runtime"
	default:
		outcome = "refused"
	}
	return outcome, f.again(ctx, e.code == 0 || now == "new", !crashed && c.name != "unlinkat")
}

// again makes the run once more, undisturbed, unless it is done, and compares all files. tidy
// says that no temporary file may be left.
func (f *failing) again(ctx context.Context, done, tidy bool) (err error) {
	switch {
	case !done:
		err = f.finish(ctx)
	case f.after != "":
		_, err = f.succeed(ctx, f.fields(f.after, f.path))
	}
	if err != nil {
		return err
	}
	if name := differing(f.work, f.want); name != "" {
		return fmt.Errorf("afterwards %s differs from that of an undisturbed run", name)
	}
	if left, _ := filepath.Glob(f.in("*.tmp")); tidy && len(left) > 0 {
		return fmt.Errorf("%s are left", left)
	}
	return nil
}

// outputs returns "old", "new" or "mixed" for the outputs, and "" if there are states alone.
func (f *failing) outputs() (all string) {
	for i, name := range f.files {
		content, err := os.ReadFile(f.in(name))
		kind := "mixed"
		switch {
		case err != nil:
		case bytes.Equal(content, oldOutput):
			kind = "old"
		case bytes.Equal(content, f.want[name]):
			kind = "new"
		}
		if i > 0 && kind != all {
			return "mixed"
		}
		all = kind
	}
	return all
}

// inputs returns the paths that a run reads: the rows and the states.
func (f *failing) inputs() []string {
	paths := []string{f.path}
	for _, folder := range []string{"ck", "st"} {
		states, _ := filepath.Glob(f.in(folder, "*.state"))
		paths = append(paths, states...)
	}
	return paths
}
