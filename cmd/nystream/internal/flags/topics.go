package flags

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/docs"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/python"
)

// texts has the help texts of topics and commands: a line with the subject, the text, and after a line EXAMPLES
// command lines. Other topics are pages of docs.
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

// AddTexts sets the texts of commands. Plans have those of the fits, without their outputs.
func AddTexts(root *cobra.Command) {
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
			examples = strings.ReplaceAll(outputs().ReplaceAllString(examples, ""), "nystream fit", "nystream plan fit")
		}
		if examples != "" {
			c.Example = "  " + strings.ReplaceAll(examples, "\n", "\n  ")
		}
		c.Short, c.Long = short, long
	})
	EveryCommand(root, func(c *cobra.Command) {
		if before, after, found := strings.Cut(c.Long, "METHODS"); found {
			c.Long = before + CommandList(c) + after
		}
	})
}

// outputs matches the outputs of a fit in an example: -o and the rest, on all of its lines.
var outputs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \\\n]+-o (.*\\\n)*.*`) })

// pages are the topics with a page in docs.
var pages = map[string]string{"formats": "formats.md", "glossary": "glossary.md", "methods": "methods.md",
	"model": "model-format.md", "shards": "distributed.md"}

// NewTopics returns the help topics that are not commands. [LongText] returns their texts.
func NewTopics() []*cobra.Command {
	entries, err := texts.ReadDir("topics")
	must(err)
	list := []*cobra.Command{newPythonTopic()}
	for _, e := range entries {
		short, _, _, err := readText("topics/" + e.Name())
		must(err)
		list = append(list, &cobra.Command{Use: strings.TrimSuffix(e.Name(), ".txt"), Short: short})
	}
	for name, page := range pages {
		short, _ := cutTitle(readPage(page))
		list = append(list, &cobra.Command{Use: name, Short: short})
	}
	slices.SortFunc(list, func(a, b *cobra.Command) int { return strings.Compare(a.Use, b.Use) })
	return list
}

// LongText returns the text of a command or topic. It renders a topic on each call: most runs show none, and start
// faster.
func LongText(c *cobra.Command) string {
	if !c.IsAdditionalHelpTopicCommand() || c.Long != "" {
		return c.Long
	}
	if page, found := pages[c.Name()]; found {
		_, long := plainText(readPage(page), topicWidth)
		return long
	}
	_, long, _, err := readText("topics/" + c.Name() + ".txt")
	must(err)
	return strings.NewReplacer("JSONKEYS", report.Help(), "KERNELS", kernelTable(), "MAPS", mapList()).Replace(long)
}

func readPage(name string) string {
	text, err := docs.Topics.ReadFile(name)
	must(err)
	return string(text)
}

// topicWidth is the width of a topic in columns.
const topicWidth = 80

// kernelTable lists the kernels: positive semi-definite or not, the call, and the formula.
func kernelTable() string {
	const indent = 45
	var lines []string
	for _, k := range kernelgen.Builtins() {
		psd := ""
		if k.PositiveSemiDefinite {
			psd = "psd"
		}
		phrases := strings.Split(strings.ReplaceAll(k.Formula, ", ", ",\n"), "\n")
		lines = append(lines, fmt.Sprintf("    %-3s  %-35s %s", psd, k.Usage, report.Fold(phrases, indent, topicWidth)))
	}
	return strings.Join(lines, "\n")
}

// mapList lists the functions of --map.
func mapList() string {
	return report.Fold(strings.Fields(strings.Join(kernelgen.ElementMapNames(), ", ")), 4, topicWidth)
}

// newPythonTopic returns the topic that prints the reader in Python and nothing else, so that its output can be saved
// as a file.
func newPythonTopic() *cobra.Command {
	const short = "A reader of models in Python: nystream help python > nystream.py"
	cmd := &cobra.Command{Use: "python", Short: short, Long: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(python.Reader) })
	return cmd
}
