package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

// engine makes fits in parts.
type engine struct {
	name   string
	needs  []string      // programs
	absent func() string // why it is not here, "" if it is
	start  func(context.Context, *shop) (stop func(), err error)
	fit    func(context.Context, *trial) error
	worker string // what is killed with the process of a part, by its name in a shell: "$PPID"; "" for nothing
	counts bool   // it counts the rounds beforehand
	lines  bool   // a part that is not done, or done twice, is an element that is missing, or there twice
}

var allEngines = []engine{
	{name: "xargs", needs: []string{"xargs"}, fit: runner("xargs", "-P", "2", "-I{}")},
	{name: "shell.sh", needs: []string{"xargs"}, fit: shell, counts: true},
	{name: "make.mk", needs: []string{"make"}, fit: makefile, counts: true},
	{name: "slurm.sh", needs: slurmNeeds, start: startSlurm, fit: slurmArrays, counts: true},
	{name: "srun", needs: slurmNeeds, start: startSlurm, fit: runner("xargs", "-P", "2", "-I{}", "srun", "--quiet", "-n1")},
	{name: "dask", absent: daskAbsent, start: startDask, fit: dask, worker: "$PPID"},
	{name: "spark", needs: []string{"java"}, absent: sparkAbsent, fit: spark},
	{name: "beam", absent: beamAbsent, start: startBeam, fit: beam, lines: true},
}

// missing returns why the engine cannot run here, "" if it can.
func (e *engine) missing() string {
	if runtime.GOOS != "linux" {
		return "it is tried on Linux alone"
	}
	why := missing(e.needs)
	if why == "" && e.absent != nil {
		why = e.absent()
	}
	return why
}

// runner returns how fits are made by nystream fit with a --runner.
func runner(words ...string) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		words := slices.Clone(words)
		if t.worker != "" {
			words = append(words, "sh", t.worker)
		}
		return t.asked(ctx, words)
	}
}

// asked makes a fit by nystream fit, which asks a program for each pass.
func (t *trial) asked(ctx context.Context, words []string) error {
	more := []string{"-o", "m.npz", "--states=st", fmt.Sprintf("--shards=%d", parts), "--runner=" + strings.Join(words, " "), "--quiet"}
	return t.program(ctx, slices.Concat([]string{t.command, "fit"}, t.args(), more)...)
}

// recipe returns how the recipe for a shell runs a script of the recipes.
func (t *trial) recipe(ctx context.Context, name string) error {
	args := []string{"sh", filepath.Join(t.recipes, name), fmt.Sprint(parts), "st", "m.npz"}
	return t.program(ctx, append(args, t.args()...)...)
}

func shell(ctx context.Context, t *trial) error { return t.recipe(ctx, "shell.sh") }

func makefile(ctx context.Context, t *trial) error {
	quoted := "'" + strings.Join(t.args(), "' '") + "'"
	return t.program(ctx, "make", "-s", "-j2", "-f", filepath.Join(t.recipes, "make.mk"), "MODEL=m.npz", "STATES=st", fmt.Sprintf("PARTS=%d", parts), "FIT="+quoted)
}

// daemon starts a program that runs until stop is called.
func (s *shop) daemon(ctx context.Context, args ...string) (stop func(), err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(cmd.WaitDelay, func() { cmd.Process.Kill() })
		cmd.Wait()
		late.Stop()
	}, nil
}

// wait waits a minute at most until something is so.
func wait(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !so() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// pythonWith returns an interpreter that has a module, or "".
func pythonWith(module string) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+module).Run() == nil {
			return name
		}
	}
	return ""
}

func daskAbsent() string {
	if pythonWith("distributed") == "" {
		return "no Python here has dask.distributed: apt-get install python3-distributed"
	}
	return ""
}

// startDask starts a scheduler, and two workers with a nanny each, which replaces a lost worker.
func startDask(ctx context.Context, s *shop) (func(), error) {
	python, file := pythonWith("distributed"), s.in("dask.json")
	scheduler, err := s.daemon(ctx, python, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter", "--scheduler-file", file)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, func() bool { return s.daskAddress() != "" }); err != nil {
		scheduler()
		return nil, fmt.Errorf("the scheduler of Dask: %w", err)
	}
	workers, err := s.daemon(ctx, python, "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--host", "127.0.0.1", "--nworkers", "2", "--nthreads", "1",
		"--no-dashboard", "--local-directory", s.in("dask"), "--death-timeout", "60")
	if err != nil {
		scheduler()
		return nil, err
	}
	return func() { workers(); scheduler() }, nil
}

// daskAddress returns the address of the scheduler, "" before it listens.
func (s *shop) daskAddress() string {
	var known struct{ Address string }
	if data, err := os.ReadFile(s.in("dask.json")); err != nil || json.Unmarshal(data, &known) != nil {
		return ""
	}
	return known.Address
}

func dask(ctx context.Context, t *trial) error {
	return runner(pythonWith("distributed"), filepath.Join(t.recipes, "dask_shards.py"), t.daskAddress())(ctx, t)
}

func sparkAbsent() string {
	if pythonWith("pyspark") == "" {
		return "no Python here has pyspark: pip install pyspark pyarrow pandas"
	}
	return ""
}

// spark makes a fit by the recipe for Spark, on two threads of a Spark of its own.
func spark(ctx context.Context, t *trial) error {
	return runner("env", "MASTER=local[2]", pythonWith("pyspark"), filepath.Join(t.recipes, "spark_shards.py"))(ctx, t)
}

// beamAbsent returns why Beam is not here. Its module is fetched for no test.
func beamAbsent() string {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err.Error()
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(out)), "github.com", "apache", "beam")); err != nil {
		return "it is not in the module cache: go build in cmd/nystream-beam fetches it"
	}
	return ""
}

// buildBeam builds nystream-beam, of a module of its own, in a folder.
func buildBeam(ctx context.Context, folder string) (string, error) {
	root, err := program.Root(ctx)
	if err != nil {
		return "", err
	}
	return program.BuildIn(ctx, folder, filepath.Join(root, "cmd", "nystream-beam"))
}

func startBeam(ctx context.Context, s *shop) (func(), error) {
	_, err := buildBeam(ctx, s.bin)
	return func() {}, err
}

// beam makes a fit by nystream-beam.
func beam(ctx context.Context, t *trial) error {
	fold := []string{filepath.Join(t.bin, "nystream-beam"), fmt.Sprintf("--shards=%d", parts)}
	if t.worker != "" {
		fold = append(fold, "--nystream="+t.path("bin", "nystream"))
	}
	fold = append(fold, "fold")
	if t.lines != "" {
		filter := fmt.Sprintf("sed '%s' | \"$@\"\n", t.lines)
		if err := os.WriteFile(t.path("lines.sh"), []byte(filter), 0o666); err != nil {
			return err
		}
		fold = append([]string{"sh", t.path("lines.sh")}, fold...)
	}
	return t.asked(ctx, fold)
}
