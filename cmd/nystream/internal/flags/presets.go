package flags

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

// Presets are the values of flags that are not on the command line. Each flag has an environment variable, and may be
// set in a settings file. The command line takes precedence over the environment, and the environment over the file.

// EnvironmentPrefix is the prefix of environment variables for flags.
const EnvironmentPrefix = "NYSTREAM_"

// variable returns the name of the environment variable for a flag.
func variable(f *pflag.Flag) string {
	return EnvironmentPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// preset is a value of a flag and its origin.
type preset struct {
	value, from string
}

// settable reports whether a preset may set a flag. Only the command line names the settings file, or requests help.
func settable(f *Flag) bool { return f != nil && f.Name != configFlag }

// configFlag names the settings file.
const configFlag = "config"

// TakePresets sets flags of a command that are not on its command line, restricted to the given effects. It returns the
// ones it set, except global ones.
func TakePresets(cmd *cobra.Command, effects ...Effect) (told []string, err error) {
	file, err := readSettings(cmd.Root(), configOf(cmd))
	if err != nil {
		return nil, err
	}
	visit(cmd.Flags(), func(f *Flag) {
		p, ok := file.find(cmd, f.flag)
		if v := os.Getenv(variable(f.flag)); v != "" {
			p, ok = preset{v, "environment variable " + variable(f.flag)}, true
		}
		if !ok || f.Given() || !settable(f) || !slices.Contains(effects, f.Effect) || err != nil {
			return
		}
		if failed := f.Value.Set(p.value); failed != nil {
			err = Usagef("%s=%s: %v", p.from, p.value, plainCause(failed))
			return
		}
		if cmd.InheritedFlags().Lookup(f.Name) == nil {
			f.flag.Changed = true
			told = append(told, fmt.Sprintf("%s sets --%s", p.from, f.Name))
		}
	})
	return told, err
}

// configOf returns the settings file of a command line, "" for none.
func configOf(cmd *cobra.Command) string {
	if f := cmd.Flag(configFlag); f != nil && f.Value.String() != "" {
		return f.Value.String()
	}
	return os.Getenv(EnvironmentPrefix + "CONFIG")
}

// settings is a settings file: tables named after commands, with values named after flags.
type settings struct {
	path string
	top  map[string]any
}

// readSettings reads a settings file, or none if path is empty. It refuses unknown tables and keys.
func readSettings(root *cobra.Command, path string) (*settings, error) {
	s := &settings{path: path}
	if path == "" {
		return s, nil
	}
	_, err := toml.DecodeFile(path, &s.top)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, Usagef("--config %s: line %d: %s", path, parse.Position.Line, parse.Message)
	case errors.Is(err, fs.ErrNotExist):
		return nil, Usagef("--config %s: there is no such file", path)
	case err != nil:
		return nil, Usagef("--config %s: %w", path, err)
	}
	return s, s.check(root, s.top)
}

// check refuses tables and keys unknown to a command and its sub-commands, and a flag set twice in a table.
func (s *settings) check(cmd *cobra.Command, table map[string]any) error {
	var commands, flags []string
	for _, c := range cmd.Commands() {
		commands = append(commands, c.Name())
	}
	add := func(f *Flag) {
		if settable(f) {
			flags = append(flags, f.Name)
		}
	}
	EveryCommand(cmd, func(c *cobra.Command) { visit(c.LocalFlags(), add) })
	visit(cmd.InheritedFlags(), add)
	keys := make(map[string]string) // by flag
	for _, key := range slices.Sorted(maps.Keys(table)) {
		value, flag := table[key], string(Normalize(nil, key))
		if below, ok := value.(map[string]any); ok {
			i := slices.Index(commands, key)
			if i < 0 {
				return Usagef("--config %s: there is no command %s %s%s", s.path, cmd.CommandPath(), key, DidYouMean(key, commands))
			}
			if err := s.check(cmd.Commands()[i], below); err != nil {
				return err
			}
			continue
		}
		if !slices.Contains(flags, flag) {
			return Usagef("--config %s: %s has no flag --%s that can be set here%s", s.path, cmd.CommandPath(), key, didYouMeanFlag(key, flags))
		}
		if _, err := settingWords(value); err != nil {
			return Usagef("--config %s: %s: %v", s.path, key, err)
		}
		if other, twice := keys[flag]; twice {
			return Usagef("--config %s: %s: %s and %s set the same flag; keep one", s.path, cmd.CommandPath(), other, key)
		}
		keys[flag] = key
	}
	return nil
}

// EveryCommand calls do with a command and all below it.
func EveryCommand(cmd *cobra.Command, do func(c *cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		EveryCommand(c, do)
	}
}

// find returns the value of a flag of a command, from its own table or the closest parent table.
func (s *settings) find(cmd *cobra.Command, f *pflag.Flag) (p preset, ok bool) {
	table, place := s.top, "config "+s.path+": "
	for _, name := range append(strings.Fields(cmd.CommandPath())[1:], "") {
		for key, value := range table {
			words, err := settingWords(value)
			if string(Normalize(nil, key)) == f.Name && err == nil {
				p, ok = preset{words, place + key}, true
			}
		}
		table, _ = table[name].(map[string]any)
		place += name + "."
	}
	return p, ok
}

// settingWords returns a value in the syntax of the command line.
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
		return ListText(words), nil
	}
	return "", fmt.Errorf("%v is neither text, a number, true, false, nor a list of these", value)
}

// otherVariables are read elsewhere: by tests, by completion scripts, to choose instructions, and by watchLifeline.
var otherVariables = []string{"DATA", "ACTIVE_HELP", "COMPLETION_DESCRIPTIONS", "SIMD", "CONFIG", "LIFELINE"}

// UnknownVariables returns notes about environment variables that have our prefix but no meaning.
func UnknownVariables(root *cobra.Command) (notes []string) {
	var set []string
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		rest, ok := strings.CutPrefix(name, EnvironmentPrefix)
		if ok && value != "" && !slices.Contains(otherVariables, rest) {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return nil
	}
	known := make(map[string]bool)
	EveryCommand(root, func(c *cobra.Command) {
		visit(c.LocalFlags(), func(f *Flag) { known[variable(f.flag)] = true })
	})
	for _, name := range set {
		if !known[name] {
			like := DidYouMean(name, slices.Sorted(maps.Keys(known)))
			notes = append(notes, fmt.Sprintf("environment variable %s means nothing here: no flag has this name%s", name, like))
		}
	}
	return notes
}
