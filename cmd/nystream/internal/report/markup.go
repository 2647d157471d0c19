package report

import (
	"bytes"
	"fmt"
	"html"
)

// Markup collects HTML. It avoids html/template, which calls methods by name, so that the linker would keep every
// method of all types and the program would grow by half.
type Markup struct{ text bytes.Buffer }

// Put adds HTML unescaped.
func (m *Markup) Put(text string) { m.text.WriteString(text) }

// Bytes returns the collected HTML.
func (m *Markup) Bytes() []byte { return m.text.Bytes() }

// Add adds a line with escaped values.
func (m *Markup) Add(format string, values ...any) {
	for i, v := range values {
		values[i] = html.EscapeString(fmt.Sprintf("%s", v))
	}
	fmt.Fprintf(&m.text, format+"\n", values...)
}

// AddTable adds the lines of a report as a table.
func (m *Markup) AddTable(r *Report) {
	m.Put("<table><tbody>\n")
	for _, f := range r.Fields {
		if f.line() {
			m.Add(`<tr><th scope="row">%s</th><td>%s</td></tr>`, f.Label, f.Text)
		}
	}
	m.Put("</tbody></table>\n")
}
