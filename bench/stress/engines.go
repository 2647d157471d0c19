package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// engine is a program that runs fits in parts; engines.sh has its recipes.
type engine struct {
	name   string
	serves bool   // it has daemons or must be built
	counts bool   // its recipe counts the rounds beforehand
	lines  bool   // each part is a line, which a fault may drop or repeat
	killed string // shell variable with the process killed together with that of a part
}

var allEngines = []engine{
	{name: "xargs"},
	{name: "shell", counts: true},
	{name: "make", counts: true},
	{name: "slurm", counts: true, serves: true},
	{name: "srun", serves: true},
	{name: "dask", serves: true, killed: "$PPID"},
	{name: "spark"},
	{name: "beam", serves: true, lines: true},
}

// parts is the number of parts of each pass.
const parts = 3

// sharedFits are fits of all kinds that can be divided. All except nystrom take two rounds or more.
var sharedFits = []string{
	"s3spsd x.npy --kernel=rbf(gamma=0.5) --rank=6 --scale=standard --factors u.npy",
	"landmark x.npy --kernel=rbf(gamma=median) --rank=6 --scale=standard",
	"ssrsvd x.npy --right=y.npy --kernel=rbf(gamma=0.5) --rank=5",
	"ksvd x.npy --right=y.npy --method=ssrsvd --kernel=rbf(gamma=0.5) --rank=4",
	"nystrom x.npy --kernel=laplace(gamma=0.2) --rank=6",
	"rff x.npy --kernel=rbf(gamma=0.5) --rank=6 --scale=standard",
	varying,
}

// varying is a fit whose number of rounds depends on the data.
const varying = "ism x.npy --label=x4 --dim=2 --engine=linear --iterations=2"

// fault is a failure of the worker of part 2.
type fault struct {
	name   string
	script string // a shell script that replaces the command "$@"
	lines  string // an equivalent sed script on the numbers of parts
	names  string // a regular expression for the refusal
	again  bool   // repeating the command makes the right model
}

var workerFaults = []fault{
	{name: "killed in the middle", again: true, names: `signal 9|Killed|KILLED|137|ExitCode=0:9`,
		script: `if mkdir "$RUN/killed" 2>/dev/null; then "$@" & sleep 0.01; kill -9 $!; kill -9 $WORKER; fi; exec "$@"`},
	{name: "done twice at once", lines: "/^2$/p", names: `it has seen block`,
		script: `"$@" >/dev/null 2>&1 & "$@"; code=$?; wait; exit $code`},
	{name: "an error", script: `echo 'no such disk' >&2; exit 9`, names: `no such disk`},
	{name: "not done", script: `exit 0`, lines: "/^2$/d", names: `part 2 of \d+ is missing|no state has seen block`},
	{name: "other rows", script: `cd "$RUN/elsewhere" && exec "$@"`, names: `is of other rows`},
	{name: "other arithmetic", script: `NYSTREAM_SIMD=go exec "$@"`, names: `arithmetic of (go|avx|neon)`},
	{name: "another build", script: `shift; exec "$OTHER" "$@"`,
		names: `with "build [\w-]+", and this|, build [\w-]+, and where`},
}

// shop is the environment in which engines run fits.
type shop struct {
	*lab
	rows  [3]string                    // data files
	whole map[string]map[string][]byte // outputs of a single process, by fit
}

// engines runs fits in parts with every installed engine, and one fit with each worker failure. Models and factors must
// equal those of a single process byte by byte, or the fit must be refused with the right reason.
func engines(ctx context.Context, l *lab) {
	s := &shop{lab: l, whole: make(map[string]map[string][]byte)}
	for i := range s.rows {
		s.rows[i] = l.data(ctx, uniform(l.options.rows, 5, i+1, "npy"))
	}
	s.writeCommands()
	for _, e := range allEngines {
		if l.wantsSome(e.name) && !l.lacks(ctx, e.name) {
			s.share(ctx, e)
		}
	}
}

// writeCommands fills the folder bin with the command, and a copy with another build ID.
func (s *shop) writeCommands() {
	command := read(filepath.Dir(s.command), filepath.Base(s.command))[filepath.Base(s.command)]
	id := regexp.MustCompile(`[\w-]{20}(/[\w-]{20}){3}`).Find(command[:min(len(command), 64<<10)])
	if id == nil {
		failf("the command has no build ID")
	}
	other := bytes.Replace(command, id, bytes.Repeat([]byte("x"), len(id)), 1)
	check(errors.Join(os.Mkdir(s.in("bin"), 0o777), os.Symlink(s.command, s.in("bin", "nystream")),
		os.WriteFile(s.in("bin", "other"), other, 0o777)))
}

// engine returns a run of engines.sh.
func (l *lab) engine(args ...string) process {
	env := []string{"RECIPES=" + filepath.Join(l.root, "cmd", "nystream", "recipes"), "SERVED=" + l.work,
		"WORKER=", "LINES=", fmt.Sprintf("PARTS=%d", parts), "NYSTREAM_PROVENANCE=false",
		"PATH=" + l.in("bin") + ":" + os.Getenv("PATH")}
	return process{args: append([]string{"sh", filepath.Join(l.root, "bench", "stress", "engines.sh")}, args...), env: env}
}

// lacks reports whether an engine is not installed, and notes what is missing.
func (l *lab) lacks(ctx context.Context, name string) bool {
	why := bytes.TrimRight(l.succeed(ctx, l.engine(name, "missing")).out, "; \n")
	if len(why) > 0 {
		l.note("%s is not run: %s", name, why)
	}
	return len(why) > 0
}

// serve starts the services of an engine. They run until stop is called.
func (s *shop) serve(ctx context.Context, name string) (stop func()) {
	p := s.engine(name, "serve")
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	in, err := cmd.StdinPipe()
	check(err)
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	stop = func() { in.Close(); cmd.Wait() }
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		stop()
		failf("%s does not start; its logs are in %s", name, s.work)
	}
	return stop
}

// share runs all fits with an engine, and the first one with every fault.
func (s *shop) share(ctx context.Context, e engine) {
	if e.serves {
		defer s.serve(ctx, e.name)()
	}
	for _, fit := range sharedFits {
		if fit != varying || !e.counts { // a recipe that counts rounds cannot run this fit
			s.try(ctx, e.name+" "+fit, func() string { return s.attempt(ctx, e, fit, fault{}) })
		}
	}
	for _, broken := range workerFaults {
		s.try(ctx, e.name+" "+broken.name, func() string { return s.attempt(ctx, e, sharedFits[0], broken) })
	}
}

// trial creates the folder of a fit, and elsewhere, the folder of a worker with other rows.
func (s *shop) trial() (folder string) {
	folder = s.in("trial")
	elsewhere := filepath.Join(folder, "elsewhere")
	check(errors.Join(os.RemoveAll(folder), os.MkdirAll(elsewhere, 0o777), os.Mkdir(filepath.Join(folder, "st"), 0o777),
		os.Symlink("../st", filepath.Join(elsewhere, "st"))))
	for i, name := range []string{"x.npy", "y.npy", "elsewhere/x.npy"} {
		check(os.Symlink(s.rows[i], filepath.Join(folder, name)))
	}
	return folder
}

// oneProcess returns the outputs of a single process.
func (s *shop) oneProcess(ctx context.Context, fit string) map[string][]byte {
	if s.whole[fit] == nil {
		p := s.fields("fit "+fit+" -o m.npz", "")
		p.folder, p.env = s.trial(), []string{"NYSTREAM_PROVENANCE=false"}
		s.succeed(ctx, p)
		outputs := []string{"m.npz", "u.npy"}
		if !strings.Contains(fit, "u.npy") {
			outputs = outputs[:1]
		}
		s.whole[fit] = read(p.folder, outputs...)
	}
	return s.whole[fit]
}

// breakWorker makes the worker of part 2 fail. Script worker.sh runs its command, replaced by the fault for part 2; a
// wrapper nystream runs worker.sh.
func (s *shop) breakWorker(p *process, e engine, broken fault) {
	if e.lines && broken.lines != "" {
		p.env = append(p.env, "LINES="+broken.lines)
		return
	}
	script, bin := filepath.Join(p.folder, "worker.sh"), filepath.Join(p.folder, "bin")
	worker := fmt.Sprintf("RUN='%s' OTHER='%s' WORKER=%s\ncase \"$*\" in *--shard?2/*) %s;; esac\nexec \"$@\"\n",
		p.folder, s.in("bin", "other"), cmp.Or(e.killed, "$$"), broken.script)
	command := fmt.Sprintf("#!/bin/sh\nexec sh '%s' '%s' \"$@\"\n", script, s.command)
	p.env = append(p.env, "WORKER=sh "+script, "PATH="+bin+":"+s.in("bin")+":"+os.Getenv("PATH"))
	check(errors.Join(os.WriteFile(script, []byte(worker), 0o666), os.Mkdir(bin, 0o777),
		os.WriteFile(filepath.Join(bin, "nystream"), []byte(command), 0o777)))
}

// attempt runs a fit with an engine, with a failing worker if the fault has a name. A refusal must leave no model and
// give the reason.
func (s *shop) attempt(ctx context.Context, e engine, fit string, broken fault) (outcome string) {
	want := s.oneProcess(ctx, fit)
	p := s.engine(append([]string{e.name, "fit"}, strings.Fields(fit)...)...)
	p.folder = s.trial()
	if broken.name != "" {
		s.breakWorker(&p, e, broken)
	}
	made := s.run(ctx, p)
	text := string(made.out) + made.text
	_, missing := os.Stat(filepath.Join(p.folder, "m.npz"))
	switch {
	case made.code == 0:
		outcome = "the same bytes"
	case broken.name == "":
		failf("%s", text)
	case missing == nil:
		failf("refused, and there is a model: %s", text)
	case !regexp.MustCompile(broken.names).MatchString(text):
		failf("refused, and not for what was wrong: %s", text)
	case !broken.again:
		return "refused by name"
	default:
		outcome = "refused by name, then the same bytes"
		s.succeed(ctx, p)
	}
	if name := differing(p.folder, want); name != "" {
		failf("%s differs from that of one process: %s", name, text)
	}
	return outcome
}
