package fit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// programRunner runs the shards of passes by an external program. The program runs a command for each line of its
// standard input, with {} replaced by the line, as xargs -I{} and GNU parallel do. It succeeds if all commands do.
type programRunner struct {
	program []string
	shards  int
	command func(shards int) []string // the command of a shard
	err     io.Writer
}

// placeholder is the placeholder for a line of standard input.
const placeholder = "{}"

func newRunner(j *Job) (*programRunner, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &programRunner{program: strings.Fields(j.States.runner), shards: j.States.shards, err: j.App.Err}
	words := []string{self, "fit"}
	j.Set.VisitGiven(func(f *flags.Flag) {
		if f.Effect == flags.Process && f.Group != flags.Runs && f.Name != "quiet" && f.Name != "format" {
			words = append(words, f.Word())
		}
	})
	words = append(words, "--quiet", "--format=json", "--states="+j.States.Folder)
	r.command = func(shards int) []string {
		return append(words[:len(words):len(words)], fmt.Sprintf("--shard=%s/%d", placeholder, shards))
	}
	for _, word := range r.command(1) {
		if strings.Count(word, placeholder) > 0 && word != "--shard="+placeholder+"/1" {
			return nil, flags.Usagef("--runner replaces %s by the number of a shard, and %q has it already; give it another name", placeholder, word)
		}
	}
	return r, nil
}

// Fold runs the program once, for the missing parts.
func (r *programRunner) Fold(ctx context.Context, missing *stream.MissingError) error {
	parts, of := missing.Parts, missing.TotalParts // those of an earlier run
	if len(parts) == 0 {
		of = r.shards
		for p := range of {
			parts = append(parts, p+1)
		}
	}
	var lines bytes.Buffer
	for _, p := range parts {
		fmt.Fprintln(&lines, p)
	}
	words := append(slices.Clone(r.program), r.command(of)...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = &lines, r.err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("--runner %s: %w", words[0], err)
	}
	return nil
}
