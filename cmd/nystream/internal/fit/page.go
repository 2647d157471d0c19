package fit

import (
	_ "embed"
	"encoding/json"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
)

// The report of a fit is one self-contained page: no script, font or other file.

//go:embed page.css
var pageStyle string

// page returns the report of a fit: its charts, the printed report, the notes and the JSON.
func page(j *Job, m model.Model, fitted *model.Report, sheet *chart.Sheet) ([]byte, error) {
	r, notes := fitResult(j, m, fitted)
	for _, note := range notes {
		r.Add("note", "%s", note)
	}
	result, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	var p report.Markup
	p.Add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="nystream %s">
<title>%s</title>
<style>`, app.Version, sheet.Title)
	p.Put(pageStyle)
	p.Add("</style>\n</head>\n<body>\n<h1>%s</h1>\n"+`<p class="soft">%s</p>`, sheet.Title, sheet.Subtitle)
	if command := shownCommand(j); command != "" {
		p.Add(`<pre class="command">%s</pre>`, command)
	}
	p.Add(`<p class="soft">nystream %s, %s</p>`+"\n\n<h2>Pictures</h2>\n"+`<div class="pictures">`, app.Version, time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	for _, c := range sheet.Charts {
		svg, err := chart.Panel(c)
		if err != nil {
			return nil, err
		}
		p.Add(`<figure role="img" aria-label="%s">`, c.Heading())
		p.Put(svg)
		p.Add("</figure>")
	}
	p.Add("</div>\n\n<h2>Result</h2>")
	p.AddTable(r)
	p.Add("<details><summary>the result as JSON</summary><pre>%s</pre></details>\n</body>\n</html>", result)
	return p.Bytes(), nil
}
