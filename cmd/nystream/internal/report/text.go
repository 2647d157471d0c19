package report

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// textWidth is the number of columns of a line of text.
const textWidth = 80

// WriteText writes the title and the lines, their texts in one column, then the warnings. With colour these are yellow.
// Lines are folded to 80 columns, except those of tables and words that are longer, such as paths.
func (r *Report) WriteText(out io.Writer, colour bool) error {
	column := 0
	for _, f := range r.Fields {
		if f.line() && !f.Warning && !f.Wide {
			column = max(column, utf8.RuneCountInString("  "+f.Label+"   "))
		}
	}
	var b bytes.Buffer
	b.WriteString(foldText(r.Title, 0) + "\n")
	for _, f := range r.Fields {
		switch {
		case f.Warning:
		case f.Wide:
			b.WriteString("  " + f.Text + "\n")
		case f.line():
			label := "  " + f.Label
			label += strings.Repeat(" ", column-utf8.RuneCountInString(label))
			b.WriteString(strings.TrimRight(label+foldText(f.Text, column), " ") + "\n")
		}
	}
	for _, f := range r.Fields {
		if !f.Warning {
			continue
		}
		const label = "warning: "
		line := label + foldText(f.Text, len(label))
		if colour {
			line = "\x1b[33m" + line + "\x1b[0m"
		}
		b.WriteString(line + "\n")
	}
	_, err := out.Write(b.Bytes())
	return err
}

// Fold joins words with spaces, into lines of at most width columns. The first line begins behind indent columns of other
// text, the others are indented by as many; a word too long for that is moved to the left. An empty word is a space.
func Fold(words []string, indent, width int) string {
	var b strings.Builder
	column, spaces := indent, 0
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		left := max(0, min(indent, width-n))
		switch {
		case word == "":
			spaces++
			continue
		case column+spaces+n <= width || b.Len() == 0 && left >= column:
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces + n
		default:
			b.WriteString("\n" + strings.Repeat(" ", left))
			column = left + n
		}
		b.WriteString(word)
		spaces = 1
	}
	return b.String()
}

// foldText folds a text of a report that begins at a column.
func foldText(text string, column int) string {
	return Fold(strings.Split(text, " "), column, textWidth)
}
