package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// Without a terminal, no line of help or of the manual exceeds 80 columns.
func TestHelpIsNarrow(t *testing.T) {
	var commands [][]string
	flags.EveryCommand(newRootCommand(app.New(t.Context(), nil, nil, nil)), func(c *cobra.Command) {
		if c.Name() != "python" { // a program
			commands = append(commands, strings.Fields(c.CommandPath())[1:])
		}
		narrow(t, c.CommandPath(), flags.LongText(c))
	})
	for _, words := range commands {
		for _, args := range [][]string{append([]string{"help"}, words...), append(append([]string{}, words...), "--help")} {
			var out bytes.Buffer
			if code := run(t.Context(), args, nil, &out, &out); code != app.ExitOK {
				t.Errorf("%q ends with %d", args, code)
			}
			narrow(t, strings.Join(args, " "), out.String())
		}
	}
}

// narrow fails if a line of text exceeds 80 columns.
func narrow(t *testing.T, name, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%s has a line of %d columns: %s", name, n, line)
		}
	}
}

// The summary of a command fits beside its name in a list, and the usage of a flag is a phrase.
func TestHelpIsShort(t *testing.T) {
	flags.EveryCommand(newRootCommand(app.New(t.Context(), nil, nil, nil)), func(c *cobra.Command) {
		if n := utf8.RuneCountInString(c.Short); c.HasParent() && !c.IsAdditionalHelpTopicCommand() && n > 60 {
			t.Errorf("%s: %d columns: %s", c.CommandPath(), n, c.Short)
		}
		flags.New(c).Visit(func(f *flags.Flag) {
			if n := len(strings.Fields(f.Usage)); n == 0 || n > 10 {
				t.Errorf("%s --%s: %d words: %s", c.CommandPath(), f.Name, n, f.Usage)
			}
		})
	})
}
