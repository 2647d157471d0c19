package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// scene is a command that runs while system calls fail, with the existing files. X stands for the rows; other paths are
// relative to the folder of the run.
type scene struct {
	name   string
	before []string // commands that write states
	line   string
	after  string   // writes the model, if line does not
	files  []string // outputs of line; old ones exist
}

const (
	shortFit   = " X --kernel rbf(gamma=0.5) --rank 20 --quiet "
	scaledFit  = "fit s3spsd" + shortFit + "--scale standard "
	checkpoint = scaledFit + "--checkpoint ck --checkpoint-every 1ms -o m.npz"
	shardFit   = "fit s3spsd" + shortFit + "--states st --shard "
	mergeShard = "merge --states st -o m.npz --quiet"
)

var scenes = []scene{
	{name: "factors", line: "fit landmark" + shortFit + "-o m.npz --factors u.npy --plot p.svg",
		files: []string{"m.npz", "u.npy", "p.svg"}},
	{name: "checkpoint", line: checkpoint, files: []string{"m.npz"}},
	{name: "resumed", before: []string{scaledFit + "--shard 1/1 --states ck", scaledFit + "--shard 1/2 --states ck"},
		line: checkpoint, files: []string{"m.npz"}},
	{name: "shard", before: []string{shardFit + "1/3", shardFit + "3/3"}, line: shardFit + "2/3", after: mergeShard},
	{name: "merge", before: []string{shardFit + "1/2", shardFit + "2/2"}, line: mergeShard, files: []string{"m.npz"}},
}

// call is a system call and the error that it returns.
type call struct {
	name, fault string
	data        bool // only for the rows and the states, since the loader also reads
}

var failingCalls = []call{
	{"read", "EIO", true}, {"pread64", "EIO", true}, {"newfstatat", "EIO", true}, {"fstat", "EIO", true},
	{"getdents64", "EIO", false}, {"openat", "EMFILE", false}, {"write", "ENOSPC", false}, {"pwrite64", "ENOSPC", false},
	{"fsync", "EIO", false}, {"close", "EIO", false}, {"renameat", "ENOSPC", false}, {"linkat", "EPERM", false},
	{"unlinkat", "EIO", false}, {"mkdirat", "ENOSPC", false},
}

// failing is a scene with failing calls.
type failing struct {
	*lab
	scene
	path      string            // of the rows
	template  string            // the folder before a run
	old, want map[string][]byte // outputs before a run, and of an undisturbed one
	model     map[string][]byte // the final model
}

// faults runs all scenes and makes each system call fail in turn. A run must end with 0 and the right bytes, or with an
// error and the old files. The same command must then succeed.
func faults(ctx context.Context, l *lab) {
	formats := killedFormats
	if l.every > 1 {
		formats = []string{"npy"}
	}
	for _, format := range formats {
		for _, s := range scenes {
			name := s.name + " " + format
			if !l.wantsSome(name) {
				continue
			}
			f := &failing{lab: l, scene: s, path: l.data(ctx, uniform(l.rows, 10, 7, format)), template: l.in() + "-template"}
			f.prepare(ctx)
			for _, c := range failingCalls {
				l.eachOf(ctx, name+" "+c.name, func(k int) (string, bool) { return f.once(ctx, c, k) })
			}
			check(os.RemoveAll(f.template))
		}
	}
}

// prepare creates the folder before a run, and the outputs of an undisturbed run.
func (f *failing) prepare(ctx context.Context) {
	f.old = make(map[string][]byte)
	for _, name := range f.files {
		f.old[name] = []byte("an output of an earlier run")
	}
	f.reset(f.old)
	for _, line := range f.before {
		f.succeed(ctx, f.fields(line, f.path))
	}
	check(errors.Join(os.RemoveAll(f.template), os.CopyFS(f.template, os.DirFS(f.work))))
	f.finish(ctx, f.line)
	f.want, f.model = read(f.work, f.files...), read(f.work, "m.npz")
}

// finish runs a command, and the following one, undisturbed.
func (f *failing) finish(ctx context.Context, line string) {
	for _, line := range []string{line, f.after} {
		if line != "" {
			f.succeed(ctx, f.fields(line, f.path))
		}
	}
}

// once makes the k-th call of each thread fail. occurs reports whether there is a k-th call.
func (f *failing) once(ctx context.Context, c call, k int) (outcome string, occurs bool) {
	f.reset(nil)
	check(os.CopyFS(f.work, os.DirFS(f.template)))
	log := f.template + "-strace.log"
	defer os.Remove(log)
	options := []string{"--seccomp-bpf", "-e", "signal=none", "-o", log}
	if c.data {
		states, _ := filepath.Glob(f.in("*", "*.state"))
		for _, path := range append(states, f.path) {
			options = append(options, "-P", path)
		}
	}
	e := f.run(ctx, f.fields(f.line, f.path).straced(c.name, "error="+c.fault, k, options...))
	text, err := os.ReadFile(log)
	check(err)
	if !bytes.Contains(text, []byte("(INJECTED)")) {
		return "", false
	}
	return f.judge(ctx, e, c.name != "unlinkat"), true
}

// judge checks the outputs, and repeats an incomplete run undisturbed. A tidy run that ends by itself must leave no
// temporary file.
func (f *failing) judge(ctx context.Context, e processResult, tidy bool) (outcome string) {
	other, crashed := differing(f.work, f.want), pollerFailed(e.text)
	switch {
	case other != "" && differing(f.work, f.old) != "":
		failf("it ends with %d, and its files are neither all old nor all new: %s", e.code, e.text)
	case other != "" && e.code == 0:
		failf("it ends with 0 and has not written %s", other)
	case e.code == 0:
		outcome = "done"
	case crashed: // the Go runtime aborts if it cannot wake its poller
		outcome = "ended by the runtime"
	default:
		outcome = "refused"
	}
	again := f.line
	if e.code == 0 || len(f.files) > 0 && other == "" {
		again = ""
	}
	f.finish(ctx, again)
	if differing(f.work, f.want) != "" || differing(f.work, f.model) != "" {
		failf("afterwards the outputs differ from those of an undisturbed run")
	}
	if left, _ := filepath.Glob(f.in("*.tmp")); tidy && !crashed && len(left) > 0 {
		failf("%s are left", left)
	}
	return outcome
}
