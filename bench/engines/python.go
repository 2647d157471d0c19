package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

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

// startDask starts a scheduler, and two workers with a nanny each, which starts another one
// for a worker that is gone. To start them takes most of the time.
func startDask(ctx context.Context, l *lab) (func(), error) {
	file := l.path("dask.json")
	os.Remove(file)
	python := pythonWith("distributed")
	scheduler, err := l.daemon(ctx, python, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter", "--scheduler-file", file)
	if err != nil {
		return nil, err
	}
	there := func() bool { _, err := daskAddress(l); return err == nil }
	if err := wait(ctx, time.Minute, there); err != nil {
		scheduler()
		return nil, fmt.Errorf("the scheduler of Dask: %w", err)
	}
	workers, err := l.daemon(ctx, python, "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--host", "127.0.0.1", "--nworkers", "2", "--nthreads", "1",
		"--no-dashboard", "--local-directory", l.path("dask"), "--death-timeout", "60")
	if err != nil {
		scheduler()
		return nil, err
	}
	return func() { workers(); scheduler() }, nil
}

// daskAddress returns that of the scheduler.
func daskAddress(l *lab) (string, error) {
	var known struct{ Address string }
	data, err := os.ReadFile(l.path("dask.json"))
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	return known.Address, err
}

// dask makes a fit by the recipe for Dask.
func dask(ctx context.Context, r *trial) error {
	address, err := daskAddress(r.lab)
	if err != nil {
		return err
	}
	return runner(pythonWith("distributed"), recipe("dask_shards.py"), address)(ctx, r)
}

func sparkAbsent() string {
	if pythonWith("pyspark") == "" {
		return "no Python here has pyspark: pip install pyspark pyarrow pandas, and apt-get install default-jre-headless"
	}
	if _, err := exec.LookPath("java"); err != nil {
		return "there is no java: apt-get install default-jre-headless"
	}
	return ""
}

// spark makes a fit by the recipe for Spark, on two threads of a Spark of its own.
func spark(ctx context.Context, r *trial) error {
	return runner("env", "MASTER=local[2]", pythonWith("pyspark"), recipe("spark_shards.py"))(ctx, r)
}
