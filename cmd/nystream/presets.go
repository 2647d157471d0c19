package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Presets are the values of flags that are not on the command line: each flag has an
// environment variable, and may stand in a file of settings. The command line wins over
// the environment, and the environment over the file.

// environmentPrefix begins the names of the variables that set flags.
const environmentPrefix = "NYSTREAM_"

// variable returns the name of the environment variable for a flag.
func variable(f *pflag.Flag) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// unset are flags that only the command line has.
var unset = []string{"help", "version", "config"}

// preset is a value of a flag, and who gave it.
type preset struct {
	value, from string
}

// takePresets sets the flags of a command that are not on its command line.
func (a *app) takePresets(cmd *cobra.Command) error {
	if a.config == "" {
		a.config = os.Getenv(environmentPrefix + "CONFIG")
	}
	file, err := readSettings(cmd.Root(), a.config)
	if err != nil {
		return err
	}
	var flags []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	for _, f := range flags {
		p, ok := file.find(cmd, f)
		if v := os.Getenv(variable(f)); v != "" {
			p, ok = preset{v, "environment variable " + variable(f)}, true
		}
		if !ok || f.Changed || slices.Contains(unset, f.Name) {
			continue
		}
		if err := f.Value.Set(p.value); err != nil {
			return usagef("%s=%s: %v", p.from, p.value, plainCause(err))
		}
		if cmd.InheritedFlags().Lookup(f.Name) == nil { // of these nobody asks whether they were given
			f.Changed = true
			a.presets = append(a.presets, fmt.Sprintf("%s sets --%s", p.from, f.Name))
		}
	}
	return nil
}

// settings is a file of settings: tables with the names of commands, and in them values
// with the names of flags.
type settings struct {
	path string
	top  map[string]any
}

// readSettings reads a file of settings, none if path is empty, and refuses what no command
// has.
func readSettings(root *cobra.Command, path string) (*settings, error) {
	s := &settings{path: path}
	if path == "" {
		return s, nil
	}
	_, err := toml.DecodeFile(path, &s.top)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, usagef("--config %s: line %d: %s", path, parse.Position.Line, parse.Message)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("--config %s: there is no such file", path)
	case err != nil:
		return nil, usagef("--config %s: %w", path, err)
	}
	return s, s.check(root, s.top)
}

// check refuses tables and keys unknown to a command and its sub-commands, and a flag set twice in a table.
func (s *settings) check(cmd *cobra.Command, table map[string]any) error {
	var commands, flags []string
	for _, c := range cmd.Commands() {
		commands = append(commands, c.Name())
	}
	everyCommand(cmd, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	keys := make(map[string]string) // by flag
	for _, key := range slices.Sorted(maps.Keys(table)) {
		value, flag := table[key], string(sameFlag(nil, key))
		if below, ok := value.(map[string]any); ok {
			i := slices.Index(commands, key)
			if i < 0 {
				return usagef("--config %s: there is no command %s %s%s", s.path, cmd.CommandPath(), key, didYouMean(key, commands))
			}
			if err := s.check(cmd.Commands()[i], below); err != nil {
				return err
			}
			continue
		}
		if !slices.Contains(flags, flag) || slices.Contains(unset, key) {
			return usagef("--config %s: %s has no flag --%s that can be set here%s", s.path, cmd.CommandPath(), key, didYouMeanFlag(key, flags))
		}
		if _, err := settingWords(value); err != nil {
			return usagef("--config %s: %s: %v", s.path, key, err)
		}
		if other, twice := keys[flag]; twice {
			return usagef("--config %s: %s: %s and %s set the same flag; keep one", s.path, cmd.CommandPath(), other, key)
		}
		keys[flag] = key
	}
	return nil
}

// everyCommand calls do with a command and all below it.
func everyCommand(cmd *cobra.Command, do func(c *cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		everyCommand(c, do)
	}
}

// find returns the value of a flag of a command: that of its own table, else of the one
// above.
func (s *settings) find(cmd *cobra.Command, f *pflag.Flag) (p preset, ok bool) {
	table, place := s.top, "config "+s.path+": "
	for _, name := range append(strings.Fields(cmd.CommandPath())[1:], "") {
		for key, value := range table {
			words, err := settingWords(value)
			if string(sameFlag(nil, key)) == f.Name && err == nil {
				p, ok = preset{words, place + key}, true
			}
		}
		table, _ = table[name].(map[string]any)
		place += name + "."
	}
	return p, ok
}

// settingWords returns a value as the command line would have it.
func settingWords(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		words := make([]string, len(v))
		for i := range v {
			var err error
			if words[i], err = settingWords(v[i]); err != nil {
				return "", err
			}
		}
		return listValue(words), nil
	}
	return "", fmt.Errorf("%v is neither text, a number, true, false, nor a list of these", value)
}

// otherVariables are read elsewhere: by the tests, by the completion scripts, to choose
// the instructions, and by watchLifeline.
var otherVariables = []string{"DATA", "ACTIVE_HELP", "COMPLETION_DESCRIPTIONS", "SIMD", "CONFIG", "LIFELINE"}

// noteUnknownVariables warns of variables that look like ours and are not.
func (a *app) noteUnknownVariables() {
	var set []string
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		rest, ok := strings.CutPrefix(name, environmentPrefix)
		if ok && value != "" && !slices.Contains(otherVariables, rest) {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return
	}
	known := make(map[string]bool)
	everyCommand(a.cmd.Root(), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known[variable(f)] = true })
	})
	for _, name := range set {
		if !known[name] {
			like := didYouMean(name, slices.Sorted(maps.Keys(known)))
			a.note("environment variable %s means nothing here: no flag has this name%s", name, like)
		}
	}
}
