package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/solvers/model"
)

// The report of a fit is one page that needs nothing else: no script, no font, no file.

//go:embed page.css
var pageStyle string

// page returns the report of a fit: its pictures, the printed report, the notes and the JSON.
func (j *job) page(m model.Model, r *model.Report, sheet *picture.Sheet) ([]byte, error) {
	report, notes := j.result(m, r)
	result, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return nil, err
	}
	var p markup
	p.add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="nystream %s">
<title>%s</title>
<style>`, version, sheet.Title)
	p.WriteString(pageStyle)
	p.add("</style>\n</head>\n<body>\n<h1>%s</h1>\n"+`<p class="soft">%s</p>`, sheet.Title, sheet.Subtitle)
	if command := j.shownCommand(); command != "" {
		p.add(`<pre class="command">%s</pre>`, command)
	}
	p.add(`<p class="soft">nystream %s, %s</p>`+"\n\n<h2>Pictures</h2>\n"+`<div class="pictures">`, version, time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	for _, chart := range sheet.Charts {
		svg, err := picture.Panel(chart)
		if err != nil {
			return nil, err
		}
		p.add(`<figure role="img" aria-label="%s">`, chart.Heading())
		p.WriteString(svg)
		p.add("</figure>")
	}
	p.add("</div>\n\n<h2>Result</h2>\n<table><tbody>")
	for _, l := range report.Lines {
		p.add(`<tr><th scope="row">%s</th><td>%s</td></tr>`, l[0], l[1])
	}
	for _, note := range notes {
		p.add(`<tr><th scope="row">note</th><td>%s</td></tr>`, note)
	}
	p.add("</tbody></table>\n<details><summary>the result as JSON</summary><pre>%s</pre></details>\n</body>\n</html>", result)
	return p.Bytes(), nil
}

// markup collects HTML. Package html/template calls methods by name, so that the linker keeps
// every method of all types: the program would be half as large again.
type markup struct{ bytes.Buffer }

// add adds a line, in which values are escaped.
func (m *markup) add(format string, values ...any) {
	for i, v := range values {
		values[i] = html.EscapeString(fmt.Sprintf("%s", v))
	}
	fmt.Fprintf(m, format+"\n", values...)
}
