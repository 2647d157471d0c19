package flags

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Help about a command is short with --help: what it is for, examples, and the flags that
// matter most. nystream help has the whole text and all flags, in groups.

// SetHelp gives root and all below it their help.
func SetHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(shortHelp(cmd, width(cmd.OutOrStdout()))) })
	root.SetHelpCommand(newHelpCommand(root))
}

// newHelpCommand returns the command that prints whole texts. Unknown topics are wrong usage.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topicNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return Usagef("there is no help about %q; there is about %s%s", strings.Join(args, " "),
					strings.Join(topicNames(root), ", "), DidYouMean(args[len(args)-1], topicNames(root)))
			}
			cmd.InitDefaultHelpFlag()
			if !hasFlags(cmd) {
				return cmd.Help()
			}
			help.Print(longHelp(cmd, width(help.OutOrStdout())))
			return nil
		},
	}
}

// topicNames returns the arguments that help takes.
func topicNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// hasFlags reports whether a command declares flags of its own, and has no commands below it.
func hasFlags(cmd *cobra.Command) bool {
	own := false
	visit(cmd.LocalNonPersistentFlags(), func(*Flag) { own = true })
	return own && !cmd.HasSubCommands()
}

// shortHelp is what --help prints.
func shortHelp(cmd *cobra.Command, width int) string {
	if !hasFlags(cmd) {
		text := cmd.Long
		if text != "" && text != cmd.Short {
			text += "\n\n"
		}
		if cmd.IsAdditionalHelpTopicCommand() {
			return cmd.Long + "\n"
		}
		return text + cmd.UsageString()
	}
	var b strings.Builder
	writeUsage(&b, cmd, cmd.Short+".\n\n")
	rest := make(map[Group][]string)
	var first []*Flag
	visit(cmd.Flags(), func(f *Flag) {
		if f.First {
			first = append(first, f)
		} else {
			rest[f.Group] = append(rest[f.Group], "--"+f.Name)
		}
	})
	slices.SortFunc(first, func(a, b *Flag) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.order, b.order)) })
	if len(first) > 0 {
		b.WriteString("\n" + table(first, width, false))
	}
	fmt.Fprintf(&b, "\nMore, by 'nystream help %s':\n", strings.TrimPrefix(cmd.CommandPath(), "nystream "))
	for _, g := range Groups {
		if len(rest[g]) > 0 {
			fmt.Fprintf(&b, "  %-7s %s\n", g, fold(rest[g], width-10, "\n          "))
		}
	}
	return b.String()
}

// longHelp is what nystream help prints of a command.
func longHelp(cmd *cobra.Command, width int) string {
	var b strings.Builder
	writeUsage(&b, cmd, cmd.Short+".\n\n"+cmd.Long+"\n\n")
	groups := make(map[Group][]*Flag)
	visit(cmd.Flags(), func(f *Flag) { groups[f.Group] = append(groups[f.Group], f) })
	for _, g := range Groups {
		if len(groups[g]) > 0 {
			fmt.Fprintf(&b, "\n%s flags:\n%s", g, table(groups[g], width, true))
		}
	}
	return b.String()
}

// writeUsage writes a text, and how a command is called.
func writeUsage(b *strings.Builder, cmd *cobra.Command, text string) {
	fmt.Fprintf(b, "%sUsage: %s %s\n", text, cmd.Parent().CommandPath(), cmd.Use)
	if cmd.Example != "" {
		b.WriteString(cmd.Example + "\n")
	}
}

// table returns a line or more about each flag, all it has to say if long.
func table(list []*Flag, width int, long bool) string {
	t := pflag.NewFlagSet("", pflag.ContinueOnError)
	t.SortFlags = false
	for _, f := range list {
		text := f.usage()
		if long {
			text = f.everything()
		}
		t.AddFlag(&pflag.Flag{Name: f.Name, Shorthand: f.Short, Usage: text, Value: named{f.Value, f.Arg}, DefValue: f.flag.DefValue, NoOptDefVal: f.flag.NoOptDefVal})
	}
	return t.FlagUsagesWrapped(width)
}

// everything returns the usage with the meanings of words, and the documentation.
func (f *Flag) everything() string {
	text := f.Usage
	if c, ok := f.Value.(chooser); ok {
		text += ": " + strings.Join(c.meanings(), ", ")
	}
	if f.Doc != "" {
		text += "; " + f.Doc
	}
	return text
}

// named is a value that help calls by the name of a flag's argument.
type named struct {
	pflag.Value
	arg string
}

// Type is what pflag calls the value.
func (v named) Type() string {
	if v.arg == "" {
		return "bool"
	}
	return v.arg
}

// fold joins words with spaces, and with newline where a line would be too long.
func fold(words []string, width int, newline string) string {
	var b strings.Builder
	column := 0
	for _, word := range words {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteString(newline)
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// width returns the columns of the terminal behind out, 80 where there is none.
func width(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			return w
		}
	}
	return 80
}
