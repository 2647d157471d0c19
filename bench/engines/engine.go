package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// engine makes fits in parts.
type engine struct {
	name   string
	needs  []string // programs
	absent func() string
	start  func(context.Context, *lab) (stop func(), err error)
	fit    func(context.Context, *trial) error
	worker string // what is killed with the process of a part, as its shell calls it: "$PPID"; "" for the process alone
	counts bool   // it counts the rounds beforehand
	atOnce int    // fits that it makes at a time
	lines  bool   // a part that is not done, or twice, is one that is asked for so
}

// engines are all that are known.
var engines = []engine{
	{name: "xargs", needs: []string{"xargs"}, fit: runner("xargs", "-P", "2", "-I{}")},
	{name: "shell.sh", needs: []string{"xargs"}, fit: shell, counts: true},
	{name: "make.mk", needs: []string{"make"}, fit: makefile, counts: true},
	{name: "slurm.sh", needs: slurmNeeds, start: startSlurm, fit: slurmArrays, counts: true, atOnce: 16},
	{name: "srun", needs: slurmNeeds, start: startSlurm, fit: runner("xargs", "-P", "2", "-I{}", "srun", "--quiet", "-n1"), atOnce: 4},
	{name: "dask", absent: daskAbsent, start: startDask, fit: dask, worker: "$PPID", atOnce: 2},
	{name: "spark", absent: sparkAbsent, fit: spark},
	{name: "beam", absent: beamAbsent, start: startBeam, fit: beam, lines: true},
}

func engineNames() (names []string) {
	for _, e := range engines {
		names = append(names, e.name)
	}
	return names
}

// missing says why the engine is not here, "" if it is.
func (e *engine) missing() string {
	if runtime.GOOS != "linux" {
		return "it is tried on Linux alone"
	}
	for _, program := range e.needs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Sprintf("there is no %s: apt-get install slurm-wlm make findutils", program)
		}
	}
	if e.absent != nil {
		return e.absent()
	}
	return ""
}

// begin starts what the engine wants, and returns what stops it.
func (e *engine) begin(ctx context.Context, l *lab) (func(), error) {
	if e.start == nil {
		return func() {}, nil
	}
	return e.start(ctx, l)
}

// runner returns how fits are made by nystream fit with a --runner. Where a worker fails,
// what the program runs is run by worker.sh.
func runner(program ...string) func(context.Context, *trial) error {
	return func(ctx context.Context, r *trial) error {
		if r.fails {
			return r.asked(ctx, append(slices.Clone(program), "sh", r.in("worker.sh")))
		}
		return r.asked(ctx, program)
	}
}

// asked makes a fit by nystream fit, which asks a program for each pass.
func (r *trial) asked(ctx context.Context, program []string) error {
	more := []string{"--states=st", fmt.Sprintf("--shards=%d", r.parts), "--runner=" + strings.Join(program, " "), "--quiet"}
	return r.program(ctx, r.path("bin", "nystream"), append(r.command(), more...)...)
}

// shell makes a fit by the recipe of a shell.
func shell(ctx context.Context, r *trial) error {
	return r.program(ctx, "sh", slices.Concat([]string{recipe("shell.sh"), fmt.Sprint(r.parts), "st", "m.npz"}, r.inParts())...)
}

// inParts are the arguments of recipes that name the model themselves.
func (r *trial) inParts() []string {
	return append(slices.Clone(r.args), r.results()[2:]...)
}

// makefile makes a fit by the recipe of make.
func makefile(ctx context.Context, r *trial) error {
	quoted := make([]string, 0, len(r.args))
	for _, word := range r.inParts() {
		quoted = append(quoted, "'"+word+"'")
	}
	return r.program(ctx, "make", "-s", "-j2", "-f", recipe("make.mk"), "MODEL=m.npz", "STATES=st", fmt.Sprintf("PARTS=%d", r.parts), "FIT="+strings.Join(quoted, " "))
}
