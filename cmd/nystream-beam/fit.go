package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

// fit runs nystream fit here, which asks this command for each pass.
func fit(ctx context.Context, args []string) error {
	args, err := take(args)
	if err != nil {
		return err
	}
	path, err := command(*nystream)
	if err != nil {
		return err
	}
	if valueOf(args, "--states") == "" {
		if !local() {
			return errors.New("--states is missing: a folder that all workers see, for the states of passes")
		}
		states, err := os.MkdirTemp("", "nystream-beam-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(states)
		args = append([]string{args[0], "--states", states}, args[1:]...)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fold := append(append([]string{self}, given()...), "fold")
	for _, word := range fold {
		if strings.ContainsAny(word, " \t\n") {
			return fmt.Errorf("%q has a blank, and must not", word)
		}
	}
	own := []string{"fit", args[0], fmt.Sprintf("--shards=%d", *shards), "--runner=" + strings.Join(fold, " ")}
	return here(ctx, path, append(own, args[1:]...))
}

// local reports whether workers are processes on this machine.
func local() bool {
	return *jobopts.Endpoint == "" && (*runners.Runner == "" || *runners.Runner == "prism") || strings.EqualFold(*jobopts.EnvironmentType, "loopback")
}
