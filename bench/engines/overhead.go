package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/report"
)

// spent is what a command and all processes below it have used.
type spent struct {
	seconds float64
	cpu     float64 // seconds
	memory  int64   // bytes, the most at a time: the proportional set size, in which shared pages count once
}

// least returns the least of each figure.
func (s spent) least(t spent) spent {
	return spent{min(s.seconds, t.seconds), min(s.cpu, t.cpu), min(s.memory, t.memory)}
}

// overheadTimes is how often each fit is made, in turn.
const overheadTimes = 3

// overheadParts is how many parts it is made in.
const overheadParts = 8

// overhead prints what a fit takes by one process, by parts one after the other, and by Beam.
func (l *lab) overhead(ctx context.Context, o options) error {
	if memoryOf(os.Getpid()) == 0 {
		return errors.New("-overhead reads the memory of processes from Linux's /proc")
	}
	data := fmt.Sprintf("%dx%d.parquet", o.rows, o.columns)
	if _, err := os.Stat(l.path(data)); err != nil {
		if err := l.writeRows(data, o.rows, o.columns, 1); err != nil {
			return err
		}
	}
	nystream, beam := l.path("bin", "nystream"), l.path("bin", "nystream-beam")
	one := []string{nystream, "fit", "s3spsd", l.path(data), "--kernel=rbf", "--rank=50", "--quiet", "-o", l.path("m.npz")}
	states := []string{"--states=" + l.path("states"), fmt.Sprintf("--shards=%d", overheadParts)}
	type way struct {
		name, program string
		command       []string
	}
	ways := []way{
		{"one process", nystream, one},
		{fmt.Sprintf("xargs, %d parts one after the other", overheadParts), nystream, append(append(one[:len(one):len(one)], states...), "--runner=xargs -I{}")},
	}
	if why := beamAbsent(); why != "" {
		fmt.Println("beam is not run:", why)
	} else {
		if err := l.build(ctx, "nystream-beam", beamFolder); err != nil {
			return err
		}
		ways = append(ways, way{fmt.Sprintf("Beam, prism in one process, %d parts", overheadParts), beam, append([]string{beam}, append(one[1:len(one):len(one)], states...)...)})
	}
	least := make([]spent, len(ways))
	var model string
	for i := range overheadTimes {
		for w, way := range ways {
			s, err := spend(ctx, way.command)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			bytes, err := os.ReadFile(l.path("m.npz"))
			if err != nil {
				return err
			}
			if model == "" {
				model = string(bytes)
			}
			if string(bytes) != model {
				return fmt.Errorf("%s has made another model", way.name)
			}
			if i == 0 {
				least[w] = s
			}
			least[w] = least[w].least(s)
		}
	}
	t := &report.Table{File: "overhead", Title: fmt.Sprintf("s3spsd, rank 50, of %d rows of %d columns in Parquet", o.rows, o.columns),
		Notes: []string{fmt.Sprintf("The least of %d, in turn. Memory is the proportional set size of all processes together. The models are the same.", overheadTimes)},
		Head:  []string{"", "seconds", "CPU s", "CPU, ratio", "memory MiB", "program MB"}}
	for w, way := range ways {
		info, err := os.Stat(way.program)
		if err != nil {
			return err
		}
		t.Add(way.name, least[w].seconds, least[w].cpu, least[w].cpu/least[0].cpu, float64(least[w].memory)/(1<<20), float64(info.Size())/1e6)
	}
	if err := t.Write(l.folder); err != nil {
		return err
	}
	for _, folder := range []string{".", beamFolder} {
		n, err := modules(ctx, folder)
		if err != nil {
			return err
		}
		fmt.Printf("modules in the graph of %s: %d\n", filepath.Join(folder, "go.mod"), n)
	}
	return nil
}

// spend runs a command.
func spend(ctx context.Context, words []string) (s spent, err error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var log strings.Builder
	cmd.Stderr = &log
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return s, fmt.Errorf("%w: %s", err, &log)
			}
			s.seconds = time.Since(began).Seconds()
			s.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			return s, nil
		case <-time.After(20 * time.Millisecond):
			s.memory = max(s.memory, memoryOf(cmd.Process.Pid))
		}
	}
}

// memoryOf returns the proportional set size of a process and all below it, 0 if it cannot be
// read.
func memoryOf(process int) (bytes int64) {
	below := make(map[int][]int)
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		var id, parent int
		text, _ := os.ReadFile(folder + "/stat")
		_, rest, _ := strings.Cut(string(text), ") ") // a name may have blanks
		var state string
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil {
			continue
		}
		fmt.Sscan(filepath.Base(folder), &id)
		below[parent] = append(below[parent], id)
	}
	for todo := []int{process}; len(todo) > 0; {
		id := todo[0]
		todo = append(todo[1:], below[id]...)
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		for _, line := range strings.Split(string(text), "\n") {
			var kib int64
			if _, err := fmt.Sscanf(line, "Pss: %d kB", &kib); err == nil {
				bytes += kib << 10
			}
		}
	}
	return bytes
}

// modules returns how many modules are in the graph of a folder's.
func modules(ctx context.Context, folder string) (int, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "all")
	cmd.Dir = filepath.Join(root(), folder)
	out, err := cmd.Output()
	return strings.Count(string(out), "\n") - 1, err // without its own
}
