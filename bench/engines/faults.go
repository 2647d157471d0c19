package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// fault is what happens to the worker of part 2.
type fault struct {
	name   string
	script string // of a shell, which is done in the place of the command in "$@"
	lines  string // what sed makes of the numbers of parts, where that is what went wrong
	names  string // what a refusal says, a regular expression
	// again says that the same command, given once more, makes the right model.
	again bool
}

var faults = []fault{
	{name: "killed in the middle", again: true, names: `signal 9|Killed|KILLED|137|ExitCode=0:9`,
		script: `if mkdir "$RUN/killed" 2>/dev/null; then "$@" & sleep 0.01; kill -9 $!; kill -9 $WORKER; fi; exec "$@"`},
	{name: "done twice at once", lines: "/^2$/p", names: `it has seen block`, script: `"$@" >/dev/null 2>&1 & "$@"; code=$?; wait; exit $code`},
	{name: "an error", script: `echo 'no such disk' >&2; exit 9`, names: `no such disk`},
	{name: "not done", script: `exit 0`, lines: "/^2$/d", names: `part 2 of \d+ is missing|no state has seen block`},
	{name: "other rows", script: `cd "$RUN/elsewhere" && exec "$@"`, names: `is of other rows`},
	{name: "other arithmetic", script: `NYSTREAM_SIMD=go exec "$@"`, names: `arithmetic of (go|avx|neon)`},
	{name: "another build", script: `shift; exec "$OTHER" "$@"`, names: `with "build [\w-]+", and this|, build [\w-]+, and where`},
}

// faulty is the fit that a worker fails in: of two rounds.
var faulty = fits[0]

// breaks writes worker.sh, which does what follows it, but for part 2 as a worker with the
// fault does, and a command nystream that is done by it. worker is how worker.sh calls the
// process that is killed with it.
func (r *trial) breaks(f *fault, worker string) error {
	r.fails = true
	worker = fmt.Sprintf("RUN='%s' OTHER='%s' WORKER=%s\ncase \"$*\" in *--shard?2/*) %s;; esac\nexec \"$@\"\n",
		r.folder, r.path("bin", "other"), cmp.Or(worker, "$$"), f.script)
	command := fmt.Sprintf("#!/bin/sh\nexec sh '%s' '%s' \"$@\"\n", r.in("worker.sh"), r.path("bin", "nystream"))
	return errors.Join(os.WriteFile(r.in("worker.sh"), []byte(worker), 0o666), os.Mkdir(r.in("bin"), 0o777),
		os.WriteFile(r.in("bin", "nystream"), []byte(command), 0o777))
}

// failing says what an engine makes of a fit while a worker fails.
func (l *lab) failing(ctx context.Context, e engine, broken *fault) (string, error) {
	want, err := l.reference(ctx, faulty)
	if err != nil {
		return "", err
	}
	r, err := l.newTrial(e.name+", "+broken.name, faulty)
	switch {
	case err == nil && e.lines && broken.lines != "":
		r.lines = broken.lines
	case err == nil:
		err = r.breaks(broken, e.worker)
	}
	if err != nil {
		return "", err
	}
	refused := e.fit(ctx, r)
	if refused == nil {
		return "right", r.is(want)
	}
	text := refused.Error() + "\n" + r.log.String()
	if _, err := os.Stat(r.in("m.npz")); err == nil {
		return "", fmt.Errorf("refused, and there is a model: %s", text)
	}
	named := regexp.MustCompile(broken.names).FindString(text)
	if broken.names == "" || named == "" {
		return "", fmt.Errorf("refused, and not for what was wrong: %s", text)
	}
	words := "refused: " + strings.TrimSpace(named)
	if !broken.again {
		return words, nil
	}
	r.log.Reset()
	if err := e.fit(ctx, r); err != nil {
		return "", fmt.Errorf("given again: %w: %s", err, &r.log)
	}
	return words + "; given again: right", r.is(want)
}
