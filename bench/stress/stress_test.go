package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

// TestMain writes data like main, since lab.data runs this program again.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == writeFlag {
		main()
		return
	}
	os.Exit(m.Run())
}

// newTestLab returns a lab without a command.
func newTestLab(t *testing.T) *lab {
	o := options{folder: t.TempDir(), every: 1, seed: 1}
	l := newLab(o, scenario{name: "test", n: 1, rows: 1000}, "", "")
	l.reset(nil)
	return l
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"kills", "faults", "-n", "7", "-only", "a,b"})
	given := slices.Equal(o.scenarios, []string{"kills", "faults"}) && slices.Equal(o.only, []string{"a", "b"}) && o.n == 7
	if err != nil || !given || o.every != 8 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parse(nil); err != nil || len(o.scenarios) != len(scenarios) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range []string{"kill", "-every 0", "-n -1", "-rows 10", "kills -n 3 faults"} {
		if o, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%q gives %+v", args, o)
		}
	}
}

// TestCases counts the cases of the scenarios.
func TestCases(t *testing.T) {
	for what, counts := range map[string][2]int{
		"kills":           {len(killedFits) * len(killedFormats), 18},
		"calls that fail": {len(scenes) * len(failingCalls), 70},
		"stops":           {len(longFits), 10},
		"engines":         {len(allEngines) * (len(sharedFits) + len(workerFaults)), 112},
	} {
		if counts[0] != counts[1] {
			t.Errorf("%s: %d cases, want %d", what, counts[0], counts[1])
		}
	}
}

// TestEachOf compares the number of calls with the rule: every case up to 24, then one in four.
func TestEachOf(t *testing.T) {
	calls := func(every int) (ks []int) {
		l := newTestLab(t)
		l.every = every
		l.eachOf(t.Context(), "call", func(k int) (string, bool) {
			ks = append(ks, k)
			return "done", k < 50
		})
		return ks
	}
	all := calls(1)
	if got := all[20:]; !slices.Equal(got, []int{21, 22, 23, 24, 31, 40, 51}) {
		t.Errorf("the last calls are %v", got)
	}
	if some := calls(8); len(some) < 3 || len(some) > 5 {
		t.Errorf("one in eight of %d calls are %v", len(all), some)
	}
}

// TestTry compares the counts of cases that pass, fail or do not apply.
func TestTry(t *testing.T) {
	l := newTestLab(t)
	l.only = []string{"chosen"}
	for name, do := range map[string]func() string{
		"chosen, good": func() string { return "good" },
		"chosen, bad":  func() string { failf("it is %s", "bad"); return "good" },
		"chosen, none": func() string { return "" },
		"another":      func() string { return "good" },
	} {
		l.try(t.Context(), name, do)
	}
	bad := []string{"chosen, bad: it is bad"}
	if l.cases != 2 || !slices.Equal(l.failures, bad) || l.happened() != "1 good" {
		t.Errorf("%d cases, failures %q, %s", l.cases, l.failures, l.happened())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := recovered(func() { l.try(ctx, "chosen", func() string { return "good" }) }); err != context.Canceled {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// TestRun runs processes with every kind of exit.
func TestRun(t *testing.T) {
	l := newTestLab(t)
	shell := func(script string) process { return process{args: []string{"sh", "-c", script}} }
	if e := l.run(t.Context(), shell("printf given; exit 3")); e.code != 3 || string(e.out) != "given" || e.peak < 1<<16 {
		t.Errorf("%+v", e)
	}
	killed := shell("exec sleep 60").signalled(os.Kill, 10*time.Millisecond)
	if e := l.run(t.Context(), killed); e.code != -1 || !e.disturbed || e.stopping > e.took {
		t.Errorf("%+v", e)
	}
	if e := l.run(t.Context(), shell("exit 0").signalled(os.Kill, time.Minute)); e.code != 0 || e.disturbed {
		t.Errorf("%+v", e)
	}
	for _, script := range []string{"echo 'goroutine 1 [running]' >&2; exit 2", "exec /no/such/program && exit 0"} {
		if err := recovered(func() { l.succeed(t.Context(), shell(script)) }); err == nil {
			t.Errorf("%s is no failure", script)
		}
	}
}

// TestScenarios runs a few cases of the scenarios that need only the command and a shell. The shell recipe must produce
// the bytes of a single process.
func TestScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command: run without -short")
	}
	root, err := program.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	command, err := program.Build(t.Context(), folder, filepath.Join(root, "cmd", "nystream"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, only string
		run        func(context.Context, *lab)
		least      int
	}{
		{"kills", "nystrom npy", kills, 2},
		{"engines", "shell s3spsd,shell not done", engines, 2},
	} {
		o := options{folder: folder, only: program.List(c.only), every: 1, seed: 1, n: 1, rows: 10_000}
		l := newLab(o, scenario{name: c.name}, root, command)
		err := recovered(func() { l.stress(t.Context(), scenario{run: c.run}) })
		if err != nil || l.cases < c.least || len(l.failures) > 0 {
			t.Errorf("%s: %d cases, failures %q, %v", c.name, l.cases, l.failures, err)
		}
		t.Log(c.name, l.cases, l.happened(), l.notes)
	}
}
