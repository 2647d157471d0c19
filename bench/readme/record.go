package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
)

// record is the recorded output of commands.
type record struct {
	header   string // date and machine
	commands []command
}

type command struct{ line, output string }

// readRecord reads a record. Its commands may lack output.
func readRecord(path string) (*record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &record{}
	for line := range strings.Lines(string(data)) {
		if text, is := strings.CutPrefix(line, "$ "); is {
			r.commands = append(r.commands, command{line: strings.TrimSpace(text)})
		} else if n := len(r.commands); n > 0 {
			r.commands[n-1].output += line
		} else {
			r.header += line
		}
	}
	if len(r.commands) == 0 {
		return nil, fmt.Errorf("%s has no line that begins with $", path)
	}
	return r, nil
}

// text returns the record in the format of its file.
func (r *record) text() string {
	var b strings.Builder
	b.WriteString(r.header)
	for _, c := range r.commands {
		b.WriteString("$ " + c.line + "\n" + c.output)
	}
	return b.String()
}

// lines returns all lines, trimmed.
func (r *record) lines() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(r.text()) {
		all[strings.TrimSpace(line)] = true
	}
	return all
}

// runAll runs the commands, and replaces their output.
func (r *record) runAll(ctx context.Context, root string) error {
	dir, err := os.MkdirTemp("", "nystream-readme")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "work")
	if err := linkData(work); err != nil {
		return err
	}
	if _, err := program.Build(ctx, dir, filepath.Join(root, "cmd", "nystream")); err != nil {
		return err
	}
	for i := range r.commands {
		if err := r.commands[i].run(ctx, root, work, dir); err != nil {
			return err
		}
	}
	r.header = fmt.Sprintf("# %s, %d processors, %s/%s, %s\n", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return nil
}

// linkData creates a folder with links to all data.
func linkData(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(datasets.Dir())
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(datasets.Dir(), e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return err
}

// run runs the command with the programs in bin. It drops progress output of programs in the repository.
func (c *command) run(ctx context.Context, root, work, bin string) error {
	shell := exec.CommandContext(ctx, "sh", "-c", c.line)
	temporary := filepath.Join(work, ".tmp") // for temporary results of programs
	if err := os.MkdirAll(temporary, 0o777); err != nil {
		return err
	}
	shell.Dir = work
	shell.Env = append(os.Environ(), "TMPDIR="+temporary, "REPOSITORY="+root, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if strings.HasPrefix(c.line, "go ") || strings.HasPrefix(c.line, "bash ") {
		shell.Dir, shell.Stderr = root, os.Stderr
	}
	err := shell.Run()
	c.output = out.String()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c.line, err, c.output)
	}
	return nil
}

// machine matches output that depends on the machine: times, memory, and the number of times parallel readers read a
// page.
var machine = regexp.MustCompile(`\d[\d.,]* ?(ns|µs|ms|s|min|h|B|kB|MB|GB|KiB|MiB|GiB)\b|\d[\d.,]* × (the|its) `)

// rerun returns a record, and its commands with their current output.
func rerun(ctx context.Context, root, path string) (old, now *record, err error) {
	if old, err = readRecord(path); err != nil {
		return nil, nil, err
	}
	now = &record{commands: slices.Clone(old.commands)}
	return old, now, now.runAll(ctx, root)
}

// compareRun runs the commands of a record, and compares their output except times and memory.
func compareRun(ctx context.Context, root, name string) error {
	old, now, err := rerun(ctx, root, filepath.Join(root, folder, name))
	if err != nil {
		return err
	}
	for i, c := range now.commands {
		was, is := machine.ReplaceAllString(old.commands[i].output, "·"), machine.ReplaceAllString(c.output, "·")
		if was != is {
			return fmt.Errorf("%s prints\n%sand the record has\n%s", c.line, c.output, old.commands[i].output)
		}
	}
	return nil
}
