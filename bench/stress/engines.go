package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
)

// parts is how many parts each pass is divided into.
const parts = 3

// sharedFit is a fit that is made in parts.
type sharedFit struct {
	name, line string // the line without the flags of the results
	factors    bool
	vary       bool // the data decide how many rounds it takes
}

// sharedFits are of all kinds that can be divided. All but nystrom take two rounds or more.
var sharedFits = []sharedFit{
	{name: "s3spsd, scaled, with factors", line: "s3spsd x.npy --kernel=rbf(gamma=0.5) --rank=6 --scale=standard", factors: true},
	{name: "landmark, scaled", line: "landmark x.npy --kernel=rbf(gamma=median) --rank=6 --scale=standard"},
	{name: "ssrsvd, two sources", line: "ssrsvd x.npy --right=y.npy --kernel=rbf(gamma=0.5) --rank=5"},
	{name: "ksvd, two sources", line: "ksvd x.npy --right=y.npy --method=ssrsvd --kernel=rbf(gamma=0.5) --rank=4"},
	{name: "nystrom", line: "nystrom x.npy --kernel=laplace(gamma=0.2) --rank=6"},
	{name: "rff, scaled", line: "rff x.npy --kernel=rbf(gamma=0.5) --rank=6 --scale=standard"},
	{name: "ism", line: "ism x.npy --label=x4 --dim=2 --engine=linear --iterations=2", vary: true},
}

// outputs are the files that a fit writes.
func (f *sharedFit) outputs() []string {
	if f.factors {
		return []string{"m.npz", "u.npy"}
	}
	return []string{"m.npz"}
}

// args are the arguments of nystream fit, but for the model.
func (f *sharedFit) args() []string {
	args := strings.Fields(f.line)
	if f.factors {
		args = append(args, "--factors", "u.npy")
	}
	return args
}

// fault is what happens to the worker of part 2.
type fault struct {
	name   string
	script string // of a shell that runs in the place of the command "$@"
	lines  string // a sed script on the numbers of parts with the same effect
	names  string // a regular expression that a refusal matches
	again  bool   // the same command, once more, makes the right model
}

var workerFaults = []fault{
	{name: "killed in the middle", again: true, names: `signal 9|Killed|KILLED|137|ExitCode=0:9`,
		script: `if mkdir "$RUN/killed" 2>/dev/null; then "$@" & sleep 0.01; kill -9 $!; kill -9 $WORKER; fi; exec "$@"`},
	{name: "done twice at once", lines: "/^2$/p", names: `it has seen block`, script: `"$@" >/dev/null 2>&1 & "$@"; code=$?; wait; exit $code`},
	{name: "an error", script: `echo 'no such disk' >&2; exit 9`, names: `no such disk`},
	{name: "not done", script: `exit 0`, lines: "/^2$/d", names: `part 2 of \d+ is missing|no state has seen block`},
	{name: "other rows", script: `cd "$RUN/elsewhere" && exec "$@"`, names: `is of other rows`},
	{name: "other arithmetic", script: `NYSTREAM_SIMD=go exec "$@"`, names: `arithmetic of (go|avx|neon)`},
	{name: "another build", script: `shift; exec "$OTHER" "$@"`, names: `with "build [\w-]+", and this|, build [\w-]+, and where`},
}

// shop has the command, its recipes and the rows for fits in parts.
type shop struct {
	*lab
	recipes string
	bin     string                       // the folder of the command, nystream-beam and other
	env     []string                     // of the engine that is started
	made    map[string]map[string][]byte // outputs of one process, by the name of the fit
}

// engines makes fits in parts by every engine that is installed, and one fit while a worker fails.
// Models and factors must have the bytes of one process, or the fit is refused for what was wrong.
func engines(ctx context.Context, l *lab) error {
	s, err := newShop(ctx, l)
	if err != nil {
		return err
	}
	for _, e := range allEngines {
		why := e.missing()
		if why == "" {
			err = s.share(ctx, e)
		} else {
			l.note("%s is not run: %s", e.name, why)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// newShop writes the rows, and a copy of the command that is another build by its build ID.
func newShop(ctx context.Context, l *lab) (*shop, error) {
	root, err := program.Root(ctx)
	if err != nil {
		return nil, err
	}
	s := &shop{lab: l, recipes: filepath.Join(root, "cmd", "nystream", "recipes"), bin: l.in("bin"), made: make(map[string]map[string][]byte)}
	command, err := os.ReadFile(l.command)
	if err != nil {
		return nil, err
	}
	id := regexp.MustCompile(`[\w-]{20}(/[\w-]{20}){3}`).Find(command[:min(len(command), 64<<10)])
	if id == nil {
		return nil, errors.New("the command has no build ID")
	}
	other := bytes.Replace(command, id, bytes.Repeat([]byte("x"), len(id)), 1)
	return s, errors.Join(os.Mkdir(s.bin, 0o777), os.Symlink(l.command, l.in("bin", "nystream")),
		os.WriteFile(l.in("bin", "other"), other, 0o777))
}

// share makes all fits with an engine, and the first one with every fault.
func (s *shop) share(ctx context.Context, e engine) error {
	if e.start != nil {
		stop, err := e.start(ctx, s)
		if err != nil {
			return err
		}
		defer stop()
	}
	for _, f := range sharedFits {
		if f.vary && e.counts { // such a recipe cannot make this fit
			continue
		}
		if err := s.try(ctx, e.name+", "+f.name, func() (string, error) { return s.attempt(ctx, e, f, nil) }); err != nil {
			return err
		}
	}
	for _, broken := range workerFaults {
		if err := s.try(ctx, e.name+", "+broken.name, func() (string, error) { return s.attempt(ctx, e, sharedFits[0], &broken) }); err != nil {
			return err
		}
	}
	return nil
}

// trial is a fit in parts, in a folder of its own.
type trial struct {
	*shop
	sharedFit
	folder string
	worker string       // the script that runs commands of a worker that fails, "" if none does
	lines  string       // the sed script on the numbers of parts
	log    bytes.Buffer // what the processes print
}

// newTrial makes the folder of a trial. Folder elsewhere is that of a worker that sees other rows.
func (s *shop) newTrial(ctx context.Context, f sharedFit) (*trial, error) {
	t := &trial{shop: s, sharedFit: f, folder: s.in("trial")}
	err := errors.Join(os.RemoveAll(t.folder), os.MkdirAll(t.path("elsewhere"), 0o777), os.Mkdir(t.path("st"), 0o777),
		os.Symlink("../st", t.path("elsewhere", "st")))
	for i, name := range []string{"x.npy", "y.npy", "elsewhere/x.npy"} {
		rows, missing := s.data(ctx, uniform(s.rows, 5, i+1, "npy"))
		err = errors.Join(err, missing, os.Symlink(rows, t.path(name)))
	}
	return t, err
}

// path returns a path in the folder of the trial.
func (t *trial) path(name ...string) string {
	return filepath.Join(append([]string{t.folder}, name...)...)
}

// program runs a program in the folder of the trial, with the command in PATH.
func (t *trial) program(ctx context.Context, args ...string) error {
	path := t.bin + ":" + os.Getenv("PATH")
	if t.worker != "" {
		path = t.path("bin") + ":" + path
	}
	e, err := t.shop.run(ctx, process{args: args, folder: t.folder, env: append(t.env, "PATH="+path, "NYSTREAM_PROVENANCE=false")})
	t.log.Write(e.out)
	t.log.WriteString(e.text)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("%s ends with %d", args[0], e.code)
	}
	return err
}

// oneProcess returns the outputs of one process.
func (s *shop) oneProcess(ctx context.Context, f sharedFit) (map[string][]byte, error) {
	if s.made[f.name] != nil {
		return s.made[f.name], nil
	}
	t, err := s.newTrial(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := t.program(ctx, slices.Concat([]string{s.command, "fit"}, f.args(), []string{"-o", "m.npz"})...); err != nil {
		return nil, fmt.Errorf("%w: %s", err, &t.log)
	}
	s.made[f.name], err = read(t.folder, f.outputs()...)
	return s.made[f.name], err
}

// compare returns an error unless the outputs are those of one process.
func (t *trial) compare(want map[string][]byte) error {
	if name := differing(t.folder, want); name != "" {
		return fmt.Errorf("%s differs from that of one process", name)
	}
	return nil
}

// breaks writes worker.sh, which runs the command that follows it; for part 2 it does so as a
// worker with the fault. It also writes a command nystream that worker.sh runs. killed is how a
// shell names the process that is killed with that of the part.
func (t *trial) breaks(f fault, killed string) error {
	t.worker = t.path("worker.sh")
	worker := fmt.Sprintf("RUN='%s' OTHER='%s' WORKER=%s\ncase \"$*\" in *--shard?2/*) %s;; esac\nexec \"$@\"\n",
		t.folder, filepath.Join(t.bin, "other"), cmp.Or(killed, "$$"), f.script)
	command := fmt.Sprintf("#!/bin/sh\nexec sh '%s' '%s' \"$@\"\n", t.worker, t.command)
	return errors.Join(os.WriteFile(t.worker, []byte(worker), 0o666), os.Mkdir(t.path("bin"), 0o777),
		os.WriteFile(t.path("bin", "nystream"), []byte(command), 0o777))
}

// attempt makes a fit with an engine, while a worker fails if there is a fault.
func (s *shop) attempt(ctx context.Context, e engine, f sharedFit, broken *fault) (string, error) {
	want, err := s.oneProcess(ctx, f)
	if err != nil {
		return "", err
	}
	t, err := s.newTrial(ctx, f)
	switch {
	case err != nil || broken == nil:
	case e.lines && broken.lines != "":
		t.lines = broken.lines
	default:
		err = t.breaks(*broken, e.worker)
	}
	if err != nil {
		return "", err
	}
	refused := e.fit(ctx, t)
	_, missing := os.Stat(t.path("m.npz"))
	text := fmt.Sprintf("%v\n%s", refused, &t.log)
	switch {
	case refused == nil:
		return "the same bytes", t.compare(want)
	case broken == nil:
		return "", errors.New(text)
	case missing == nil:
		return "", fmt.Errorf("refused, and there is a model: %s", text)
	case broken.names == "" || !regexp.MustCompile(broken.names).MatchString(text):
		return "", fmt.Errorf("refused, and not for what was wrong: %s", text)
	case !broken.again:
		return "refused by name", nil
	}
	t.log.Reset()
	if err := e.fit(ctx, t); err != nil {
		return "", fmt.Errorf("given again: %w: %s", err, &t.log)
	}
	return "refused by name, then the same bytes", t.compare(want)
}
