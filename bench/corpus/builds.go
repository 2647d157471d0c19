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
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// reads are the command lines that show all that a build reads of a file: the schema, and the
// values of all columns as text and as bits. The last word names what is written.
var reads = [][]string{{"inspect", "--format", "json"}, {"convert", "-o", "out.csv"}, {"convert", "-o", "out.npy"}}

// compareBuilds prints the files of a folder that two builds of the command read differently.
// It returns an error if there are any.
func compareBuilds(ctx context.Context, folder string, builds ...string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		data := strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".options")
		return data != path && slices.Contains(paths, data) // a sidecar
	})
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
	if bad > 0 || len(files) == 0 {
		return errors.New("the builds differ, or there are no files")
	}
	return nil
}

// difference returns the first difference between what two builds read of a file, or "".
func difference(ctx context.Context, builds []string, file string) (string, error) {
	for _, words := range reads {
		args := []string{words[0], file, "--threads", "1"}
		if encoding, err := os.ReadFile(file + ".options"); err == nil {
			args = append(args, "--encoding", string(encoding))
		}
		var read [2][]byte
		for i, build := range builds {
			var err error
			if read[i], err = readBy(ctx, build, append(args, words[1:]...)); err != nil {
				return "", err
			}
		}
		if what := firstDifference(read[0], read[1]); what != "" {
			return words[0] + " " + words[2] + ": " + what, nil
		}
	}
	return "", nil
}

// readBy runs a build and returns its messages, its exit code and what it writes. What convert
// prints has times.
func readBy(ctx context.Context, build string, args []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "nystream-builds-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var all bytes.Buffer
	c := exec.CommandContext(ctx, build, args...)
	c.Dir, c.Stderr = dir, &all
	if args[0] == "inspect" {
		c.Stdout = &all
	}
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	written, _ := os.ReadFile(filepath.Join(dir, args[len(args)-1])) // nothing after a refusal
	return fmt.Appendf(all.Bytes(), "exit code %d\n%s", c.ProcessState.ExitCode(), written), nil
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
