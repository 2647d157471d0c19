package main

import (
	"context"
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
	"time"
)

var slurmNeeds = []string{"slurmctld", "slurmd", "sbatch", "srun", "xargs"}

// slurmConf is a cluster of one node, which has more processors than the machine, so that
// small jobs need not wait for one another.
const slurmConf = `ClusterName=engines
SlurmctldHost=%[1]s(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=%[2]s
SlurmdUser=%[2]s
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
`

// startSlurm starts a cluster of this machine.
func startSlurm(ctx context.Context, l *lab) (stop func(), err error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	folder := l.path("slurm")
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Join(folder, "state"), 0o777), os.MkdirAll(filepath.Join(folder, "spool"), 0o777)); err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	conf := fmt.Sprintf(slurmConf, host, me.Username, ports[0], ports[1], folder)
	if err := os.WriteFile(filepath.Join(folder, "slurm.conf"), []byte(conf), 0o666); err != nil {
		return nil, err
	}
	l.env = []string{"SLURM_CONF=" + filepath.Join(folder, "slurm.conf")}
	controller, err := l.daemon(ctx, "slurmctld", "-D")
	if err != nil {
		return nil, err
	}
	node, err := l.daemon(ctx, "slurmd", "-D", "-N", host)
	if err != nil {
		controller()
		return nil, err
	}
	stop = func() { node(); controller(); l.env = nil }
	idle := func() bool { return strings.TrimSpace(l.says("sinfo", "-h", "-t", "idle", "-o", "%D")) == "1" }
	if err := wait(ctx, time.Minute, idle); err != nil {
		stop()
		return nil, fmt.Errorf("no node came up: %w; its logs are in %s", err, folder)
	}
	return stop, nil
}

// daemon starts a program that stops with the returned function.
func (l *lab) daemon(ctx context.Context, name string, args ...string) (stop func(), err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), l.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		cmd.Process.Signal(os.Interrupt)
		stopped := time.AfterFunc(cmd.WaitDelay, func() { cmd.Process.Kill() })
		cmd.Wait()
		stopped.Stop()
	}, nil
}

// says returns what a program prints, "" if it fails.
func (l *lab) says(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), l.env...)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// wait waits until something is so.
func wait(ctx context.Context, most time.Duration, so func() bool) error {
	for end := time.Now().Add(most); time.Now().Before(end); {
		if so() {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("nothing in %v", most)
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

// ended reports whether a job has reached its last state. A controller that does not answer in
// time has not said so.
func (l *lab) ended(job string) bool {
	_, state, said := strings.Cut(l.says("scontrol", "show", "job", "--oneliner", job), " JobState=")
	if !said {
		return false
	}
	state, _, _ = strings.Cut(state, " ")
	return !slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"}, state)
}

// jobFields are what tells of a job that something went wrong.
var jobFields = regexp.MustCompile(`\b(JobId|ArrayTaskId|JobState|Reason|Restarts|ExitCode|StdOut)=\S*`)

// slurmArrays makes a fit by the recipe for Slurm, and waits for the last of its jobs.
func slurmArrays(ctx context.Context, r *trial) error {
	if err := r.program(ctx, "sh", slices.Concat([]string{recipe("slurm.sh"), fmt.Sprint(r.parts), "st", "m.npz"}, r.inParts())...); err != nil {
		return err
	}
	words := strings.Fields(r.log.String())
	job := words[len(words)-1]
	if err := wait(ctx, time.Minute, func() bool { return r.ended(job) }); err != nil {
		return fmt.Errorf("job %s: %w", job, err)
	}
	if _, err := os.Stat(r.in("m.npz")); err == nil {
		return nil
	}
	outputs, err := filepath.Glob(r.in("slurm-*.out"))
	for _, path := range outputs {
		text, _ := os.ReadFile(path)
		r.log.Write(text)
	}
	for _, line := range strings.Split(r.says("scontrol", "show", "job", "--oneliner"), "\n") {
		if strings.Contains(line, "WorkDir="+r.folder+" ") {
			fmt.Fprintln(&r.log, strings.Join(jobFields.FindAllString(line, -1), " "))
		}
	}
	return errors.Join(errors.New("the last job has left no model"), err)
}
