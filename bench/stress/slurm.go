package main

import (
	"context"
	_ "embed" // of slurm.conf
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var slurmNeeds = []string{"slurmctld", "slurmd", "sbatch", "srun", "xargs"}

//go:embed slurm.conf
var slurmConf string

// startSlurm starts a cluster of this machine.
func startSlurm(ctx context.Context, s *shop) (stop func(), err error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	folder := s.in("slurm")
	path := filepath.Join(folder, "slurm.conf")
	conf := fmt.Sprintf(slurmConf, host, me.Username, ports[0], ports[1], folder)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Join(folder, "state"), 0o777), os.Mkdir(filepath.Join(folder, "spool"), 0o777),
		os.WriteFile(path, []byte(conf), 0o666)); err != nil {
		return nil, err
	}
	s.env = []string{"SLURM_CONF=" + path}
	controller, err := s.daemon(ctx, "slurmctld", "-D")
	if err != nil {
		return nil, err
	}
	node, err := s.daemon(ctx, "slurmd", "-D", "-N", host)
	if err != nil {
		controller()
		return nil, err
	}
	stop = func() { node(); controller(); s.env = nil }
	idle := func() bool { return strings.TrimSpace(s.says("sinfo", "-h", "-t", "idle", "-o", "%D")) == "1" }
	if err := wait(ctx, idle); err != nil {
		stop()
		return nil, fmt.Errorf("no node came up: %w; its logs are in %s", err, folder)
	}
	return stop, nil
}

// freePorts returns ports on which nobody listens.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all are known, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// says returns what a program prints, "" if it fails.
func (s *shop) says(args ...string) string {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// over reports whether a job is in its last state. A controller that does not answer in time has
// not said so.
func (s *shop) over(job string) bool {
	_, state, said := strings.Cut(s.says("scontrol", "show", "job", "--oneliner", job), " JobState=")
	if !said {
		return false
	}
	state, _, _ = strings.Cut(state, " ")
	return !slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"}, state)
}

// jobFields tell what went wrong with a job.
var jobFields = regexp.MustCompile(`\b(JobId|ArrayTaskId|JobState|Reason|Restarts|ExitCode|StdOut)=\S*`)

// slurmArrays makes a fit by the recipe for Slurm, and waits for the last of its jobs.
func slurmArrays(ctx context.Context, t *trial) error {
	if err := t.recipe(ctx, "slurm.sh"); err != nil {
		return err
	}
	words := strings.Fields(t.log.String())
	job := words[len(words)-1]
	if err := wait(ctx, func() bool { return t.over(job) }); err != nil {
		return fmt.Errorf("job %s: %w", job, err)
	}
	if _, err := os.Stat(t.path("m.npz")); err == nil {
		return nil
	}
	outputs, _ := filepath.Glob(t.path("slurm-*.out"))
	for _, path := range outputs {
		text, _ := os.ReadFile(path)
		t.log.Write(text)
	}
	for line := range strings.Lines(t.says("scontrol", "show", "job", "--oneliner")) {
		if strings.Contains(line, "WorkDir="+t.folder+" ") {
			fmt.Fprintln(&t.log, strings.Join(jobFields.FindAllString(line, -1), " "))
		}
	}
	return errors.New("the last job has left no model")
}
