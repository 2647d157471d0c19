package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/nystream/nystream/bench/internal/program"
)

// measured is what became of a case, in bytes.
type measured struct {
	first   int64 // peak of the first run
	least   int64 // that it was allowed
	need    int64 // that it said it needs, 0 if it was not refused
	allowed int64 // that the last run was allowed
	peak    int64 // of the last run
}

// share returns the larger of the peaks beside what was allowed.
func (m measured) share() float64 {
	share := float64(m.peak) / float64(m.allowed)
	if m.need > 0 { // the first run was refused, after all that it took to know
		share = max(share, float64(m.first)/float64(max(m.least, m.need)))
	}
	return share
}

// measure runs a case, and once more with what it needs if it is refused.
func (l *lab) measure(ctx context.Context, c memoryCase) (m measured, err error) {
	if err := l.prepare(ctx, c.file); err != nil {
		return m, err
	}
	m.least = int64(l.least) << 20
	m.allowed = m.least
	if m.peak, m.need, err = l.nystream(ctx, c, m.least); err != nil {
		return m, err
	}
	m.first = m.peak
	if m.need == 0 {
		return m, nil
	}
	for range 2 { // of a pipe the plan is known when it is on disk
		m.allowed = m.need
		peak, need, err := l.nystream(ctx, c, m.need)
		if m.peak = peak; err != nil || need == 0 {
			return m, err
		}
		if !c.piped {
			break
		}
		m.need = need
	}
	return m, fmt.Errorf("with the %d bytes that it said it needs it is refused", m.allowed)
}

// prepare writes a file of data unless it is there, in another process: the peak of a
// process that a large one begins is not its own.
func (l *lab) prepare(ctx context.Context, name string) error {
	path := l.path(name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-write", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		os.Remove(path)
		return fmt.Errorf("writing %s: %w\n%s", name, err, out)
	}
	return nil
}

// needs finds what a refused run needs.
var needs = regexp.MustCompile(`needs ([\d.]+ [KMG]?i?B)`)

// nystream runs a case with so much memory. It returns the peak of the process, and how much
// the run needs if it is refused.
func (l *lab) nystream(ctx context.Context, c memoryCase, memory int64) (peak, need int64, err error) {
	args := append(strings.Fields(c.command), "--memory", strconv.FormatInt(memory, 10), "--quiet")
	if c.command[:3] == "fit" {
		args = append(args, "-o", l.path("model.npz"))
	}
	for i, word := range args {
		switch {
		case word == "DATA" && c.piped:
			args[i] = "-"
		case word == "DATA":
			args[i] = l.path(c.file)
		case strings.HasPrefix(word, "OUT"):
			args[i] = l.path(strings.ToLower(word))
		}
	}
	cmd := exec.CommandContext(ctx, l.path("nystream"), args...)
	var messages strings.Builder
	cmd.Stderr = &messages
	if c.piped {
		f, err := os.Open(l.path(c.file))
		if err != nil {
			return 0, 0, err
		}
		defer f.Close()
		w, err := cmd.StdinPipe()
		if err != nil {
			return 0, 0, err
		}
		go func() {
			_, _ = f.WriteTo(w) // a refused run reads no more of it
			w.Close()
		}()
	}
	err = cmd.Run()
	if cmd.ProcessState != nil {
		peak = program.Peak(cmd.ProcessState)
	}
	if err == nil {
		return peak, 0, nil
	}
	found := needs.FindStringSubmatch(messages.String())
	var exit *exec.ExitError
	if !errors.As(err, &exit) || found == nil {
		return peak, 0, fmt.Errorf("%w\n%s", err, messages.String())
	}
	bytes, err := humanize.ParseBytes(found[1])
	if err != nil {
		return peak, 0, err
	}
	return peak, int64(bytes), nil
}
