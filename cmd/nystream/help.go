package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/python"
)

// newHelpCommand returns help as cobra has it, but for unknown topics, which end as
// wrong usage with the topics that there are.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topics(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no help about %q; there is about %s%s", strings.Join(args, " "),
					strings.Join(topics(root), ", "), didYouMean(args[len(args)-1], topics(root)))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// topics returns the arguments that help takes.
func topics(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// kernelTable lists what --kernel takes.
func kernelTable() string {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 8, 3, ' ', 0)
	for _, k := range kernelgen.Builtins() {
		psd := ""
		if k.PositiveSemiDefinite {
			psd = "psd"
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", k.Usage, k.Formula, psd)
	}
	w.Flush()
	return strings.TrimRight(table.String(), "\n")
}

// newPythonTopic returns help that is the reader in Python and nothing else, so that its
// output is the file.
func newPythonTopic() *cobra.Command {
	const short = "A reader of models in Python: nystream help python > nystream.py"
	cmd := &cobra.Command{Use: "python", Short: short, Long: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(python.Reader) })
	return cmd
}
