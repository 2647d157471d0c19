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
	"slices"
	"strings"
)

// engine makes fits in parts. What it does is in engines.sh.
type engine struct {
	name   string
	serves bool   // it has daemons or has to be built
	counts bool   // its recipe counts the rounds beforehand
	lines  bool   // a part that is not done, or done twice, is a line that is missing, or there twice
	killed string // what is killed with the process of a part, by its name in a shell
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

// shop is where engines make fits.
type shop struct {
	*lab
	rows  [3]string                    // files
	whole map[string]map[string][]byte // outputs of one process, by the name of the fit
}

// engines makes fits in parts by every engine that is installed, and one fit while a worker fails.
// Models and factors must have the bytes of one process, or the fit is refused for what was wrong.
func engines(ctx context.Context, l *lab) (err error) {
	s := &shop{lab: l, whole: make(map[string]map[string][]byte)}
	for i := range s.rows {
		if s.rows[i], err = l.data(ctx, uniform(l.options.rows, 5, i+1, "npy")); err != nil {
			return err
		}
	}
	if err := s.writeCommands(); err != nil {
		return err
	}
	for _, e := range allEngines {
		if l.lacks(ctx, e.name) {
			continue
		}
		if err := s.share(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// writeCommands fills the folder bin: the command, and a copy that is another build by its ID.
func (s *shop) writeCommands() error {
	command, err := os.ReadFile(s.command)
	if err != nil {
		return err
	}
	id := regexp.MustCompile(`[\w-]{20}(/[\w-]{20}){3}`).Find(command[:min(len(command), 64<<10)])
	if id == nil {
		return errors.New("the command has no build ID")
	}
	other := bytes.Replace(command, id, bytes.Repeat([]byte("x"), len(id)), 1)
	return errors.Join(os.Mkdir(s.in("bin"), 0o777), os.Symlink(s.command, s.in("bin", "nystream")),
		os.WriteFile(s.in("bin", "other"), other, 0o777))
}

// engine returns a run of engines.sh.
func (l *lab) engine(args ...string) process {
	env := []string{"RECIPES=" + filepath.Join(l.root, "cmd", "nystream", "recipes"), "SERVED=" + l.work, "WORKER=", "LINES=",
		fmt.Sprintf("PARTS=%d", parts), "PATH=" + l.in("bin") + ":" + os.Getenv("PATH"), "NYSTREAM_PROVENANCE=false"}
	return process{args: append([]string{"sh", filepath.Join(l.root, "bench", "stress", "engines.sh")}, args...), env: env}
}

// lacks reports whether an engine is not installed, and notes what is missing.
func (l *lab) lacks(ctx context.Context, name string) bool {
	e, err := l.succeed(ctx, l.engine(name, "missing"))
	why := strings.TrimSpace(string(e.out))
	if err != nil {
		why = err.Error()
	}
	if why != "" {
		l.note("%s is not run: %s", name, why)
	}
	return why != ""
}

// serve starts what an engine needs. It runs until stop is called.
func (s *shop) serve(ctx context.Context, name string) (stop func(), err error) {
	p := s.engine(name, "serve")
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() { in.Close(); cmd.Wait() }
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		stop()
		return nil, fmt.Errorf("it does not start: %w; its logs are in %s", err, s.work)
	}
	return stop, nil
}

// share makes all fits with an engine, and the first one with every fault.
func (s *shop) share(ctx context.Context, e engine) error {
	if e.serves {
		stop, err := s.serve(ctx, e.name)
		if err != nil {
			return err
		}
		defer stop()
	}
	for _, f := range sharedFits {
		if f.vary && e.counts { // such a recipe cannot make this fit
			continue
		}
		if err := s.try(ctx, e.name+", "+f.name, func() (string, error) { return s.attempt(ctx, e, f, fault{}) }); err != nil {
			return err
		}
	}
	for _, broken := range workerFaults {
		if err := s.try(ctx, e.name+", "+broken.name, func() (string, error) { return s.attempt(ctx, e, sharedFits[0], broken) }); err != nil {
			return err
		}
	}
	return nil
}

// trial makes the folder of a fit, and elsewhere, the folder of a worker that sees other rows.
func (s *shop) trial() (folder string, err error) {
	folder = s.in("trial")
	err = errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Join(folder, "elsewhere"), 0o777), os.Mkdir(filepath.Join(folder, "st"), 0o777),
		os.Symlink("../st", filepath.Join(folder, "elsewhere", "st")))
	for i, name := range []string{"x.npy", "y.npy", "elsewhere/x.npy"} {
		err = errors.Join(err, os.Symlink(s.rows[i], filepath.Join(folder, name)))
	}
	return folder, err
}

// oneProcess returns the outputs of one process.
func (s *shop) oneProcess(ctx context.Context, f sharedFit) (map[string][]byte, error) {
	if s.whole[f.name] != nil {
		return s.whole[f.name], nil
	}
	folder, err := s.trial()
	if err != nil {
		return nil, err
	}
	p := process{args: slices.Concat([]string{s.command, "fit"}, f.args(), []string{"-o", "m.npz"}), folder: folder, env: []string{"NYSTREAM_PROVENANCE=false"}}
	if _, err := s.succeed(ctx, p); err != nil {
		return nil, err
	}
	s.whole[f.name], err = read(folder, f.outputs()...)
	return s.whole[f.name], err
}

// breaks makes the worker of part 2 fail. Script worker.sh runs the command that follows it, but for
// part 2 as the fault does; a command nystream runs by worker.sh.
func (s *shop) breaks(p *process, e engine, broken fault) error {
	if e.lines && broken.lines != "" {
		p.env = append(p.env, "LINES="+broken.lines)
		return nil
	}
	script, bin := filepath.Join(p.folder, "worker.sh"), filepath.Join(p.folder, "bin")
	worker := fmt.Sprintf("RUN='%s' OTHER='%s' WORKER=%s\ncase \"$*\" in *--shard?2/*) %s;; esac\nexec \"$@\"\n",
		p.folder, s.in("bin", "other"), cmp.Or(e.killed, "$$"), broken.script)
	command := fmt.Sprintf("#!/bin/sh\nexec sh '%s' '%s' \"$@\"\n", script, s.command)
	p.env = append(p.env, "WORKER=sh "+script, "PATH="+bin+":"+s.in("bin")+":"+os.Getenv("PATH"))
	return errors.Join(os.WriteFile(script, []byte(worker), 0o666), os.Mkdir(bin, 0o777),
		os.WriteFile(filepath.Join(bin, "nystream"), []byte(command), 0o777))
}

// attempt makes a fit with an engine, while a worker fails if the fault has a name.
func (s *shop) attempt(ctx context.Context, e engine, f sharedFit, broken fault) (outcome string, err error) {
	want, err := s.oneProcess(ctx, f)
	if err != nil {
		return "", err
	}
	p := s.engine(append([]string{e.name, "fit"}, f.args()...)...)
	if p.folder, err = s.trial(); err == nil && broken.name != "" {
		err = s.breaks(&p, e, broken)
	}
	if err != nil {
		return "", err
	}
	outcome = "the same bytes"
	made, err := s.run(ctx, p)
	text := string(made.out) + made.text
	if made.code != 0 && err == nil {
		outcome, err = s.refused(p.folder, text, broken)
		if err != nil || !broken.again {
			return outcome, err
		}
		_, err = s.succeed(ctx, p)
	}
	if name := differing(p.folder, want); err == nil && name != "" {
		err = fmt.Errorf("%s differs from that of one process: %s", name, text)
	}
	return outcome, err
}

// refused judges a fit that an engine has not made.
func (s *shop) refused(folder, text string, broken fault) (outcome string, err error) {
	_, missing := os.Stat(filepath.Join(folder, "m.npz"))
	switch {
	case broken.name == "":
		return "", errors.New(text)
	case missing == nil:
		return "", fmt.Errorf("refused, and there is a model: %s", text)
	case !regexp.MustCompile(broken.names).MatchString(text):
		return "", fmt.Errorf("refused, and not for what was wrong: %s", text)
	case broken.again:
		return "refused by name, then the same bytes", nil
	}
	return "refused by name", nil
}
