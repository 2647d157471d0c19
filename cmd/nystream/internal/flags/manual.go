package flags

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WriteManual writes a manual page for each command to a folder.
func WriteManual(root *cobra.Command, folder, version string) (err error) {
	date := manualDate()
	EveryCommand(root, func(c *cobra.Command) {
		if !hasPage(c) || err != nil {
			return
		}
		c.InitDefaultHelpFlag()
		err = os.WriteFile(filepath.Join(folder, pageName(c)+".1"), []byte(manualPage(c, date, version)), 0o666)
	})
	return err
}

// manualDate returns the day of the release, from SOURCE_DATE_EPOCH in seconds, or today.
func manualDate() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Now()
}

func hasPage(c *cobra.Command) bool {
	return !c.HasParent() || c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the texts of --help as a man page.
func manualPage(c *cobra.Command, date time.Time, version string) string {
	var b strings.Builder
	name := pageName(c)
	fmt.Fprintf(&b, ".nh\n.TH %q 1 %q %q\n", strings.ToUpper(name), date.Format("Jan 2006"), "nystream "+version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	if c.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	}
	asTyped := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(strings.TrimRight(text, "\n")))
		}
	}
	asTyped("DESCRIPTION", LongText(c))
	writeFlags(&b, "OPTIONS", c.NonInheritedFlags())
	writeFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	asTyped("EXAMPLES", c.Example)
	if others := relatedPages(c); len(others) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", roff(strings.Join(others, ", ")))
	}
	return b.String()
}

// writeFlags writes a section about flags.
func writeFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(b, ".SH %s\n", title)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		names, arg, what := "--"+f.Name, "", f.Usage
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		if d := Declaration(f); d != nil {
			arg, what = strings.ToUpper(d.Arg), d.fullText()
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", roff(names), roff(arg), roff(what))
		if f.DefValue != "" && f.DefValue != "false" { // for --help
			fmt.Fprintf(b, "(default %s)\n", roff(f.DefValue))
		}
	})
}

// relatedPages returns the pages of the commands above and below.
func relatedPages(c *cobra.Command) (pages []string) {
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent())+"(1)")
	}
	for _, below := range c.Commands() {
		if hasPage(below) {
			pages = append(pages, pageName(below)+"(1)")
		}
	}
	return pages
}

// roff escapes text for man macros.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
