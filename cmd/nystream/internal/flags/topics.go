package flags

import (
	"embed"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/python"
)

// texts are texts of help, of topics and of commands: a line that says what a text is about, the
// text, and behind a line EXAMPLES command lines.
//
//go:embed topics/*.txt help/*.txt
var texts embed.FS

// readText returns the parts of a text.
func readText(path string) (short, long, examples string, err error) {
	text, err := texts.ReadFile(path)
	short, long, _ = strings.Cut(string(text), "\n")
	long, examples, _ = strings.Cut(long, "\nEXAMPLES\n")
	return short, strings.Trim(long, "\n"), strings.TrimRight(examples, "\n"), err
}

// AddTexts gives commands their texts. Plans have those of the fits, without their outputs.
func AddTexts(root *cobra.Command, methods []string) {
	EveryCommand(root, func(c *cobra.Command) {
		name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "nystream "), " ", "_")
		fit, isPlan := strings.CutPrefix(name, "plan_fit_")
		if isPlan {
			name = "fit_" + fit
		}
		short, long, examples, err := readText("help/" + name + ".txt")
		if err != nil {
			return // a topic, or a command of cobra
		}
		if isPlan {
			examples = strings.ReplaceAll(withoutOutputs(examples), "nystream fit", "nystream plan fit")
		}
		if examples != "" {
			c.Example = "  " + strings.ReplaceAll(examples, "\n", "\n  ")
		}
		if before, after, found := strings.Cut(long, "METHODS"); found {
			long = before + methodTable(methods) + after
		}
		c.Short, c.Long = short, long
	})
}

// methodTable lists the methods of fit.
func methodTable(methods []string) string {
	var b strings.Builder
	for _, name := range methods {
		short, _, _, _ := readText("help/fit_" + name + ".txt") // "" without a text
		fmt.Fprintf(&b, "    %-10s %s\n", name, short)
	}
	return strings.TrimRight(b.String(), "\n")
}

// withoutOutputs leaves the outputs out of examples of fits.
func withoutOutputs(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, " -o ")
	}
	return strings.Join(lines, "\n")
}

// NewTopics returns help that is no command's.
func NewTopics() []*cobra.Command {
	entries, err := texts.ReadDir("topics")
	mustRegister(err)
	lists := strings.NewReplacer("JSONKEYS", report.Help(), "KERNELS", kernelTable(), "MAPS", strings.Join(kernelgen.MapNames(), ", "))
	list := []*cobra.Command{newPythonTopic()}
	for _, e := range entries {
		short, long, _, err := readText("topics/" + e.Name())
		mustRegister(err)
		list = append(list, &cobra.Command{Use: strings.TrimSuffix(e.Name(), ".txt"), Short: short, Long: lists.Replace(long)})
	}
	return list
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
