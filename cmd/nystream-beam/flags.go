package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The flags of this command; those of Beam are beside them.
var (
	shards   = flag.Int("shards", 8, "parts of each pass")
	atOnce   = flag.Int("at_once", 1, "parts that a worker does at a time, each on all processors")
	nystream = flag.String("nystream", "", "path of the command nystream on the workers; \"\" for the one beside this command there, or in the PATH")
)

// afterVerb are flags of this command and of Beam that are known after the verb.
var afterVerb = []string{"shards", "at_once", "nystream", "runner", "endpoint", "environment_type", "environment_config"}

// take sets the flags that are known after the verb, and returns the other arguments.
func take(args []string) (others []string, err error) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case word == "--":
			return append(append(others, word), args...), nil
		case !strings.HasPrefix(word, "--") || !slices.Contains(afterVerb, name):
			others = append(others, word)
			continue
		case !given && len(args) == 0:
			return nil, fmt.Errorf("--%s wants a value", name)
		case !given:
			value, args = args[0], args[1:]
		}
		if err := flag.Set(name, value); err != nil {
			return nil, fmt.Errorf("--%s %q: %w", name, value, err)
		}
	}
	return others, nil
}

// valueOf returns the value of a flag of nystream, or "".
func valueOf(args []string, names ...string) string {
	for i, word := range args {
		for _, name := range names {
			if rest, ok := strings.CutPrefix(word, name+"="); ok {
				return rest
			}
			if word == name && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return ""
}

// given returns the flags that were set, as a command line has them.
func given() (words []string) {
	flag.Visit(func(f *flag.Flag) { words = append(words, "--"+f.Name+"="+f.Value.String()) })
	return words
}

// numbers returns 1, 2, … as texts.
func numbers(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i + 1)
	}
	return list
}

// command returns the path of nystream on this machine.
func command(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "nystream")
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath("nystream")
	if err != nil {
		return "", fmt.Errorf("the command nystream is not beside this one and not in the PATH; name it with --nystream: %w", err)
	}
	return path, nil
}
