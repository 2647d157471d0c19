package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
)

//go:embed page.css
var pageStyle string

// markup collects HTML. It takes the place of package html/template, which calls methods by
// their names: the linker then keeps every method of all types, and the program is half as
// large again.
type markup struct{ bytes.Buffer }

// add adds a line, in which values are escaped.
func (m *markup) add(format string, values ...any) {
	for i, v := range values {
		values[i] = html.EscapeString(fmt.Sprint(v))
	}
	fmt.Fprintf(m, format+"\n", values...)
}

// pairs adds a table of names and what they are.
func (m *markup) pairs(lines [][2]string) {
	m.add("<table><tbody>")
	for _, l := range lines {
		m.add(`<tr><th scope="row">%s</th><td>%s</td></tr>`, l[0], l[1])
	}
	m.add("</tbody></table>")
}

// html returns the page.
func (p *page) html() []byte {
	var m markup
	m.add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="nystream %s">
<title>%s</title>
<style>`, p.Version, p.Title)
	m.WriteString(pageStyle)
	m.add("</style>\n</head>\n<body>\n<h1>%s</h1>\n"+`<p class="soft">%s</p>`, p.Title, p.Subtitle)
	if p.Command != "" {
		m.add(`<pre class="command">%s</pre>`+"\n", p.Command)
	}
	m.add(`<p class="soft">nystream %s, %s</p>`, p.Version, p.When)
	p.addPictures(&m)
	m.add("\n" + `<div class="columns">` + "\n<section>\n<h2>Result</h2>")
	m.pairs(p.Lines)
	m.add("</section>\n\n<section>\n<h2>Data</h2>")
	m.pairs(p.Data)
	p.addErrors(&m)
	p.addNotes(&m)
	m.add("</section>\n</div>")
	p.addValueTable(&m)
	p.addColumnTable(&m)
	m.add("\n<h2>All of it</h2>\n<details><summary>the result as JSON</summary><pre>%s</pre></details>\n</body>\n</html>", p.JSON)
	return m.Bytes()
}

func (p *page) addPictures(m *markup) {
	m.add("\n<h2>Pictures</h2>\n" + `<div class="pictures">`)
	for _, picture := range p.Pictures {
		m.add(`<figure role="img" aria-label="%s">`, picture.Title)
		m.WriteString(picture.SVG)
		m.add("</figure>")
	}
	m.add("</div>")
}

func (p *page) addErrors(m *markup) {
	m.add("\n<h2>Errors</h2>")
	if len(p.Errors) == 0 {
		m.add("<p>None are estimated.</p>")
		return
	}
	m.add(`<div class="wide"><table>
<thead><tr><th>of the</th><th class="number">about</th><th>estimated from</th></tr></thead><tbody>`)
	for _, e := range p.Errors {
		m.add(`<tr><td>%s</td><td class="number">%s</td><td>%s</td></tr>`, e.Of, e.About, e.From)
	}
	m.add("</tbody></table></div>")
}

func (p *page) addNotes(m *markup) {
	if len(p.Notes) == 0 {
		return
	}
	m.add("<h2>Notes</h2>\n<ul>")
	for _, note := range p.Notes {
		m.add("<li>%s</li>", note)
	}
	m.add("</ul>")
}

func (p *page) addValueTable(m *markup) {
	if len(p.Values) == 0 {
		return
	}
	m.add("<h2>Values</h2>\n" + `<div class="values"><table><tbody>`)
	for _, v := range p.Values {
		row, cells := `<tr><th scope="row" class="number">%s</th><td class="number">%s</td>`, []any{v.Number, v.Value}
		if v.Residual != "" {
			row, cells = row+`<td class="number soft">residual %s</td>`, append(cells, v.Residual)
		}
		m.add(row+"</tr>", cells...)
	}
	m.add("</tbody></table></div>")
	if p.MoreValues > 0 {
		m.add(`<p class="soft">and %s more, in the result as JSON below</p>`, p.MoreValues)
	}
}

func (p *page) addColumnTable(m *markup) {
	if len(p.Columns) == 0 {
		return
	}
	m.add("<h2>Columns</h2>\n"+`<p class="soft">of %s</p>`, p.ColumnWords)
	m.add(`<div class="wide"><table>
<thead><tr><th>column</th><th class="number">minimum</th><th class="number">mean</th><th class="number">maximum</th>` +
		`<th class="number">standard deviation</th></tr></thead><tbody>`)
	for _, c := range p.Columns {
		m.add(`<tr><td>%s</td><td class="number">%s</td><td class="number">%s</td><td class="number">%s</td><td class="number">%s</td></tr>`,
			c.Name, c.Least, c.Mean, c.Largest, c.Deviation)
	}
	m.add("</tbody></table></div>")
}
