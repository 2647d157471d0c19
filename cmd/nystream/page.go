package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The report of a fit is one page that needs nothing else: no script, no font, no file.

// page is what the page says.
type page struct {
	Title, Subtitle string
	Command         string
	When, Version   string
	Data            [][2]string
	Columns         []columnSummary
	ColumnWords     string // of which rows the summaries are
	Values          []pageValue
	MoreValues      int
	Errors          []pageError
	Notes           []string
	Lines           [][2]string // of the printed report
	Pictures        []pagePicture
	JSON            string
}

// columnSummary tells of the values of a column.
type columnSummary struct{ Name, Least, Mean, Largest, Deviation string }

// pageError is an estimate of an error in words, and where it is from or why there is none.
type pageError struct{ Of, About, From string }

// pageValue is a value and its residual, "" where that is not known.
type pageValue struct {
	Number          int
	Value, Residual string
}

// pagePicture is a picture of the page.
type pagePicture struct {
	Title string
	SVG   string
}

// page returns the report of a fit.
func (j *job) page(m model.Model, r *model.Report, sheet *picture.Sheet) ([]byte, error) {
	fit, all, text := j.result(m, r)
	result, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	p := &page{Title: sheet.Title, Subtitle: sheet.Subtitle, Command: j.shownCommand(),
		When: time.Now().UTC().Format("2006-01-02 15:04 UTC"), Version: version, Data: j.pageData(),
		Notes: fit.Notes, Lines: text.Lines, JSON: string(result)}
	p.addColumns(j)
	p.addValues(m, fit, r)
	for _, e := range fit.Errors {
		about := fmt.Sprintf("%.2g", float64(e.Value))
		if e.Reason != "" {
			about = "not known"
		}
		p.Errors = append(p.Errors, pageError{e.Of, about, cmp.Or(e.Reason, e.From)})
	}
	for _, chart := range sheet.Charts {
		svg, err := picture.Panel(chart)
		if err != nil {
			return nil, err
		}
		p.Pictures = append(p.Pictures, pagePicture{chart.Heading(), svg})
	}
	return p.html(), nil
}

// pageData returns lines about the sources.
func (j *job) pageData() (lines [][2]string) {
	add := func(name, format string, args ...any) {
		lines = append(lines, [2]string{name, fmt.Sprintf(format, args...)})
	}
	for place, name := range j.task.names() {
		in := j.inputOf(place)
		if in == nil {
			add(name, "%s", j.shownName())
			continue
		}
		info := in.Info()
		size := fmt.Sprintf("%s rows, %s columns of numbers", show.Count(info.Rows), show.Count(int64(len(info.Columns))))
		if j.provenance {
			size = info.Name + ": " + size
		}
		add(name, "%s", size)
	}
	if out := j.sides.leftOut(); len(out) > 0 {
		add("left out", "%s", leftOutWords(out))
	}
	for _, w := range j.warnings {
		add("warning", "%s", w)
	}
	if j.prepared.left != nil {
		add("nulls", "%v; %s rows dropped", j.rows.nulls, show.Count(j.prepared.dropped()))
		add("scaling", "%v", j.rows.scale)
	}
	if s := j.shown[model.Left]; s != nil {
		if groups, _ := j.task.marks(s, model.Left); groups != nil {
			add("groups", "%s", groupCounts(groups))
		}
	}
	return lines
}

// groupCounts returns the names of groups with how many rows of those shown each has.
func groupCounts(g *picture.Groups) string {
	sizes := make([]int, len(g.Names))
	for _, k := range g.Of {
		if k >= 0 {
			sizes[k]++
		}
	}
	return classWords(g.Names, sizes)
}

// mostSummaries is how many columns the page tells of.
const mostSummaries = 60

// addColumns adds summaries of the columns, from the rows of the left source that pictures
// show, in the units of the files.
func (p *page) addColumns(j *job) {
	s := j.shown[model.Left]
	if s == nil || s.rows.Rows == 0 {
		return
	}
	p.ColumnWords = "all rows"
	if int64(s.rows.Rows) < s.of {
		p.ColumnWords = fmt.Sprintf("%s of %s rows, drawn at random", show.Count(int64(s.rows.Rows)), show.Count(s.of))
	}
	if len(s.columns) > mostSummaries {
		p.ColumnWords += fmt.Sprintf("; the first %d of %s columns", mostSummaries, show.Count(int64(len(s.columns))))
	}
	how := j.prepared.left.Preparation
	for k, name := range s.columns[:min(mostSummaries, len(s.columns))] {
		v := raw(how, k, matrixColumn(s.rows, k))
		mean, squares := floats.Sum(v)/float64(len(v)), 0.0
		for _, x := range v {
			squares += (x - mean) * (x - mean)
		}
		number := func(v float64) string { return fmt.Sprintf("%.5g", v) }
		p.Columns = append(p.Columns, columnSummary{name, number(slices.Min(v)), number(mean), number(slices.Max(v)), number(math.Sqrt(squares / float64(len(v))))})
	}
}

// raw returns numbers of a column as they were before scaling.
func raw(how stream.Preparation, column int, v []float64) []float64 {
	if how.Shift == nil {
		return v
	}
	for i := range v {
		if f := how.Factor[column]; f != 0 {
			v[i] /= f
		}
		v[i] += how.Shift[column]
	}
	return v
}

// mostPageValues is how many values the page lists.
const mostPageValues = 50

// complexValues is a model whose values may be complex.
type complexValues interface{ Eigenvalues() []complex128 }

// addValues adds the first values with their residuals.
func (p *page) addValues(m model.Model, fit *fitResult, r *model.Report) {
	imaginary := make([]float64, len(fit.Values))
	if c, ok := m.(complexValues); ok {
		for i, v := range c.Eigenvalues() {
			imaginary[i] = imag(v)
		}
	}
	for i, v := range fit.Values {
		if i == mostPageValues {
			p.MoreValues = len(fit.Values) - i
			return
		}
		value := pageValue{Number: i, Value: fmt.Sprintf("%.6g", float64(v))}
		if imaginary[i] != 0 {
			value.Value += fmt.Sprintf("%+.6gi", imaginary[i])
		}
		if i < len(r.Residuals) {
			value.Residual = fmt.Sprintf("%.1e", r.Residuals[i])
		}
		p.Values = append(p.Values, value)
	}
}
