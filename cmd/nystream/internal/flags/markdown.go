package flags

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// endOfTopic ends the part of a page that serves as a help topic.
const endOfTopic = "<!-- end of the topic -->"

// plainText converts a page of Markdown to a title and plain text of at most width columns.
func plainText(page string, width int) (title, text string) {
	page, _, _ = strings.Cut(page, endOfTopic)
	title, page, _ = strings.Cut(strings.TrimPrefix(page, "# "), "\n")
	var out []string
	for _, block := range blocksOf(page) {
		out = append(out, plainBlock(block, width))
	}
	return title, strings.Join(out, "\n\n")
}

// blocksOf splits Markdown at empty lines outside code, and drops comments.
func blocksOf(page string) (blocks [][]string) {
	var block []string
	code := false
	for line := range strings.Lines(page + "\n\n") {
		line = strings.TrimRight(line, " \n")
		if strings.HasPrefix(line, "<!--") {
			continue
		}
		if line != "" || code {
			block = append(block, line)
		} else if len(block) > 0 {
			blocks, block = append(blocks, block), nil
		}
		if strings.HasPrefix(line, "```") {
			code = !code
		}
	}
	return blocks
}

// plainBlock renders a heading, a list, a table, code or a paragraph.
func plainBlock(lines []string, width int) string {
	switch first := lines[0]; {
	case strings.HasPrefix(first, "```"):
		return "    " + strings.Join(lines[1:len(lines)-1], "\n    ")
	case strings.HasPrefix(first, "#"):
		return strings.ToUpper(withoutMarkup(strings.TrimLeft(first, "# ")))
	case strings.HasPrefix(first, "|"):
		return plainTable(lines, width)
	case strings.HasPrefix(first, "- "):
		var items []string
		for item := range strings.SplitSeq(strings.Join(lines, "\n")[2:], "\n- ") {
			items = append(items, "- "+report.Fold(strings.Fields(withoutMarkup(item)), 2, width))
		}
		return strings.Join(items, "\n")
	default:
		return report.Fold(strings.Fields(withoutMarkup(strings.Join(lines, " "))), 0, width)
	}
}

// plainTable aligns the cells of a table, and wraps those of its last column.
func plainTable(lines []string, width int) string {
	var rows [][]string
	widths := make([]int, strings.Count(lines[0], "|"))
	for i, line := range lines {
		if i == 1 {
			continue // the rule under the header
		}
		cells := strings.Split(strings.Trim(withoutMarkup(line), "| "), " | ")
		for j, cell := range cells {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
		rows = append(rows, cells)
	}
	var out []string
	for _, cells := range rows {
		line := "    "
		for j, cell := range cells[:len(cells)-1] {
			line += cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2)
		}
		out = append(out, line+report.Fold(strings.Fields(cells[len(cells)-1]), utf8.RuneCountInString(line), width))
	}
	return strings.Join(out, "\n")
}

// markup matches links, and the marks of code and bold text.
var markup = regexp.MustCompile("\\[([^\\]]*)\\]\\([^)]*\\)|`|\\*\\*")

// withoutMarkup returns the text of links, code and bold text.
func withoutMarkup(text string) string { return markup.ReplaceAllString(text, "$1") }
