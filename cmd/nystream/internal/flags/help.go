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

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// --help is short: purpose, examples, and the most important flags. nystream help has the whole text and all flags, in
// groups.

// Groups of commands on the first screen. Each command names its group.
const (
	ModelsGroup = "Models"
	FilesGroup  = "Files"
	MoreGroup   = "More"
)

func init() { cobra.EnableCommandSorting = false } // commands stand in the order in which root adds them

// AddGroups adds the groups to root.
func AddGroups(root *cobra.Command) {
	for _, name := range []string{ModelsGroup, FilesGroup, MoreGroup} {
		root.AddGroup(&cobra.Group{ID: name, Title: name})
	}
	root.SetCompletionCommandGroupID(MoreGroup)
}

// SetHelp sets the help of root and all commands below it.
func SetHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(shortHelp(cmd, width(cmd.OutOrStdout()))) })
	root.SetHelpCommand(newHelpCommand(root))
}

// newHelpCommand returns the command that prints complete texts. Unknown topics are usage errors.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Show all flags of a command, or a topic",
		GroupID: MoreGroup,
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
			if !cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
				return cmd.Help()
			}
			help.Print(longHelp(cmd, width(help.OutOrStdout())))
			return nil
		},
	}
}

// topicNames returns the arguments of help.
func topicNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// shortHelp returns the output of --help.
func shortHelp(cmd *cobra.Command, width int) string {
	switch {
	case !cmd.HasParent():
		return firstScreen(cmd, width)
	case cmd.IsAdditionalHelpTopicCommand():
		return LongText(cmd) + "\n"
	}
	var b strings.Builder
	rest := make(map[Group][]string)
	var first []*Flag
	own := false
	visit(cmd.LocalNonPersistentFlags(), func(*Flag) { own = true })
	visit(cmd.Flags(), func(f *Flag) {
		if f.First {
			first = append(first, f)
		} else {
			rest[f.Group] = append(rest[f.Group], "--"+f.Name)
		}
	})
	slices.SortFunc(first, func(a, b *Flag) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.order, b.order)) })
	text := cmd.Short + ".\n\n"
	if !own && !cmd.HasSubCommands() {
		text += LongText(cmd) + "\n\n" // nystream help has no more
	}
	writeUsage(&b, cmd, text, width)
	if cmd.HasSubCommands() {
		b.WriteString("\n" + CommandList(cmd) + "\n")
	}
	if len(first) > 0 {
		b.WriteString("\n" + table(first, width, false))
	}
	if !own {
		return b.String()
	}
	fmt.Fprintf(&b, "\nMore, by 'nystream help %s':\n", strings.TrimPrefix(cmd.CommandPath(), "nystream "))
	for _, g := range Groups {
		if len(rest[g]) > 0 {
			fmt.Fprintf(&b, "  %-7s %s\n", g, report.Fold(rest[g], 10, width))
		}
	}
	return b.String()
}

// firstScreen returns the output of nystream without arguments: examples, the commands in their groups, and the topics.
func firstScreen(root *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n%s\n\n", root.Short, root.Example)
	for _, group := range root.Groups() {
		title := group.Title
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				fmt.Fprintf(&b, "%-7s %-10s  %s\n", title, c.Name(), c.Short)
				title = ""
			}
		}
	}
	var topics []string
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			topics = append(topics, c.Name())
		}
	}
	fmt.Fprintf(&b, "\nTopics  %s\n", report.Fold(strings.Fields(strings.Join(topics, ", ")), 8, width))
	b.WriteString("\n'nystream COMMAND --help' shows the main flags, 'nystream help COMMAND' all.\n")
	return b.String()
}

// CommandList lists the commands below cmd in order, one a line, under the titles of their groups.
func CommandList(cmd *cobra.Command) string {
	var lines []string
	for _, group := range cmd.Groups() {
		lines = append(lines, group.Title)
	}
	for _, c := range cmd.Commands() {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", c.Name(), c.Short))
	}
	return strings.Join(lines, "\n")
}

// longHelp returns the output of nystream help for a command.
func longHelp(cmd *cobra.Command, width int) string {
	var b strings.Builder
	writeUsage(&b, cmd, cmd.Short+".\n\n"+LongText(cmd)+"\n\n", width)
	groups := make(map[Group][]*Flag)
	visit(cmd.Flags(), func(f *Flag) { groups[f.Group] = append(groups[f.Group], f) })
	for _, g := range Groups {
		if len(groups[g]) > 0 {
			fmt.Fprintf(&b, "\n%s flags:\n%s", g, table(groups[g], width, true))
		}
	}
	return b.String()
}

// writeUsage writes a text and the usage line of a command.
func writeUsage(b *strings.Builder, cmd *cobra.Command, text string, width int) {
	usage := strings.Fields(cmd.Parent().CommandPath() + " " + cmd.Use)
	fmt.Fprintf(b, "%sUsage: %s\n", text, report.Fold(usage, len("Usage: "), width))
	if cmd.Example != "" {
		b.WriteString(cmd.Example + "\n")
	}
}

// table returns one or more lines for each flag, with all documentation if long.
func table(list []*Flag, width int, long bool) string {
	t := pflag.NewFlagSet("", pflag.ContinueOnError)
	t.SortFlags = false
	for _, f := range list {
		text := f.usage()
		if long {
			text = f.fullText()
		}
		t.AddFlag(&pflag.Flag{Name: f.Name, Shorthand: f.Short, Usage: text, Value: namedValue{f.Value, f.Arg}, DefValue: f.flag.DefValue, NoOptDefVal: f.flag.NoOptDefVal})
	}
	return t.FlagUsagesWrapped(width)
}

// fullText returns the usage with the meanings of words, and the documentation.
func (f *Flag) fullText() string {
	text := f.Usage
	if c, ok := f.Value.(chooser); ok {
		text += ": " + strings.Join(c.meanings(), ", ")
	}
	if f.Doc != "" {
		text += "; " + f.Doc
	}
	return text
}

// namedValue gives a value the name of its flag's argument in help.
type namedValue struct {
	pflag.Value
	arg string
}

// Type returns the name of the value for pflag.
func (v namedValue) Type() string {
	if v.arg == "" {
		return "bool"
	}
	return strings.ToUpper(v.arg)
}

// width returns the width of the terminal out, 80 if it is none.
func width(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			return w
		}
	}
	return 80
}
