package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// worker says how the workers run nystream.
type worker struct {
	Path   string // of nystream there, "" to look for it
	Folder string // in which the pipeline was started
	Build  string // of nystream where the pipeline was started: what its --version prints
	AtOnce int
}

// newWorker returns how workers run what the command at path is here.
func newWorker(path string) (w worker, err error) {
	w = worker{Path: *nystream, AtOnce: *atOnce}
	if w.Path == "" && local() {
		w.Path = path
	}
	if w.Folder, err = os.Getwd(); err != nil {
		return w, err
	}
	w.Build, err = buildOf(path)
	return w, err
}

// in returns a path that is relative to the folder of the pipeline.
func (w *worker) in(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.Folder, path)
}

// builds are those of the commands that this process has asked.
var builds sync.Map

// buildOf returns what a command prints for --version.
func buildOf(path string) (string, error) {
	if known, ok := builds.Load(path); ok {
		return known.(string), nil
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	text := strings.TrimSpace(string(out))
	builds.Store(path, text)
	return text, nil
}

// attempts is how often a part is tried whose process is killed: by the system for want of
// memory, or when a machine is taken back. What is an error is one the second time too.
const attempts = 3

// run runs nystream on a worker and returns what it prints. Another build than that where
// the pipeline was started is refused: its results may differ.
func (w *worker) run(ctx context.Context, args []string) ([]byte, error) {
	path, err := command(w.Path)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // only for messages
	build, err := buildOf(path)
	if err == nil && build != w.Build {
		err = fmt.Errorf("it is %s, and where the pipeline was started it is %s: give all machines the same", build, w.Build)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, on %s: %w", path, host, err)
	}
	for attempt := 1; ; attempt++ {
		cmd := process(ctx, path, args)
		var out, complaint bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = w.Folder, &out, &complaint
		err := cmd.Run()
		if err == nil {
			return out.Bytes(), nil
		}
		err = fmt.Errorf("%s %s, on %s: %w: %s", path, args[0], host, err, strings.TrimSpace(complaint.String()))
		if attempt == attempts || !killed(err) || ctx.Err() != nil {
			return nil, err
		}
		count(ctx, "retried", 1)
	}
}
