package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// reads are the command lines that show all that a build reads of a file: the schema, and the
// values of all columns as text and as bits. OUT stands for the file that is written.
var reads = [][]string{{"inspect", "--format", "json"}, {"convert", "-o", "out.csv"}, {"convert", "-o", "out.npy"}}

// compareBuilds prints the files of a folder that two builds of the command read differently.
// It returns an error if there are any.
func compareBuilds(ctx context.Context, builds [2]string, folder string) error {
	for i := range builds {
		var err error
		if builds[i], err = filepath.Abs(builds[i]); err != nil {
			return err
		}
	}
	files, err := dataFiles(folder)
	if err != nil {
		return err
	}
	found := make([]string, len(files))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		g.Go(func() (err error) {
			found[i], err = difference(ctx, builds, file)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	bad := 0
	for i, what := range found {
		if what != "" {
			bad++
			fmt.Printf("%s: %s\n", filepath.Base(files[i]), what)
		}
	}
	fmt.Printf("%d files, %d differ\n", len(files), bad)
	if bad > 0 {
		return errors.New("the builds differ")
	}
	return nil
}

// dataFiles returns the files of a folder without the sidecars of others.
func dataFiles(folder string) (files []string, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, e := range entries {
		names[e.Name()] = e.Type().IsRegular()
	}
	for _, e := range entries {
		data := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".json"), ".options")
		if names[e.Name()] && (data == e.Name() || !names[data]) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files, nil
}

// difference returns the first difference between what two builds read of a file, or "".
func difference(ctx context.Context, builds [2]string, file string) (string, error) {
	for _, args := range reads {
		args := append([]string{args[0], file, "--threads", "1"}, args[1:]...)
		if encoding, err := os.ReadFile(file + ".options"); err == nil {
			args = append(args, "--encoding", string(encoding))
		}
		var read [2][]byte
		for i, build := range builds {
			var err error
			if read[i], err = readBy(ctx, build, args); err != nil {
				return "", err
			}
		}
		if what := firstDifference(read[0], read[1]); what != "" {
			return args[0] + " " + args[len(args)-1] + ": " + what, nil
		}
	}
	return "", nil
}

// readBy runs a build and returns its exit code, its messages and what it writes. What convert
// prints has times.
func readBy(ctx context.Context, build string, args []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "nystream-builds-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var stdout, all bytes.Buffer
	c := exec.CommandContext(ctx, build, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &all
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	fmt.Fprintf(&all, "exit code %d\n", c.ProcessState.ExitCode())
	if args[0] == "inspect" {
		all.Write(stdout.Bytes())
	}
	written, _ := filepath.Glob(filepath.Join(dir, "out.*")) // none after a refusal
	for _, path := range written {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all.Write(content)
	}
	return all.Bytes(), nil
}

// firstDifference returns the first line in which two outputs differ, or "".
func firstDifference(a, b []byte) string {
	if bytes.Equal(a, b) {
		return ""
	}
	x, y := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	i := 0
	for i < min(len(x), len(y))-1 && bytes.Equal(x[i], y[i]) {
		i++
	}
	return fmt.Sprintf("line %d is %.200q, was %.200q", i+1, y[i], x[i])
}
