package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// wholeRoot returns the root command with the flags of all commands added by cobra.
func wholeRoot(t *testing.T) *cobra.Command {
	a := app.New(t.Context(), nil, nil, nil)
	return newRootCommand(a)
}

// Every command has an example, and its flags exist.
func TestEveryCommandHasAnExample(t *testing.T) {
	root, whole := newRootCommand(app.New(t.Context(), nil, nil, nil)), wholeRoot(t)
	flags.EveryCommand(root, func(c *cobra.Command) {
		if c.Hidden || c.IsAdditionalHelpTopicCommand() {
			return
		}
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no text, or no example, in the folder help", c.CommandPath())
		}
		for _, line := range strings.Split(strings.ReplaceAll(c.Example, "\\\n", " "), "\n") {
			if _, after, ok := strings.Cut(line, " | nystream"); ok {
				line = "nystream" + after
			}
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, " >")
			words, err := exec.Command("sh", "-c", "set -f; printf '%s\\n' "+line).Output()
			if err != nil {
				t.Skipf("there is no sh to cut the lines; run it where there is one: %v", err)
			}
			args := strings.Split(strings.TrimSpace(string(words)), "\n")[1:]
			if len(args) > 0 && (args[0] == "completion" || args[0] == "help") {
				continue // cobra adds them when it runs
			}
			found, rest, err := whole.Find(args)
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
			}
		}
	})
}
