package verb

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// modelKeys has the JSON keys of inspect for a model.
var modelKeys = report.NewGroup("inspect MODEL, behind the fields of its meta.json")

var (
	keyMade   = modelKeys.Key("made", "how the model came to be: version and build of the program, command, sources (name, formats, rows, columns), errors (of, value, from, reason)")
	keyData   = modelKeys.Key("data", "rows that the model takes: input, sources, columns, right_columns, positions and width in the file, nulls, categories and right_categories (encoding, columns: column, levels), dates and right_dates (as, columns), graph (self_loops, degrees, undirected, simple), known, classes, class_kind, files (written with the model: file, bytes, sha256)")
	keyFacts  = modelKeys.Key("facts", "facts about the model: name, value")
	keyArrays = modelKeys.Key("arrays", "arrays of the file: name, type, shape")
)

type modelFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type modelArray struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
}

// modelReport returns the report of a model. bytes is the size of its file.
func modelReport(f *saved.File, bytes int64) *report.Report {
	d, data := f.Model.Describe(), f.Data
	r := &report.Report{Title: fmt.Sprintf("%s model of %s, %s × %s", d.Method, d.Subject, report.Count(d.Rows), report.Count(d.Cols)), Head: f.Meta}
	if data.Graph != nil { // too many names for a summary
		data.Graph = &saved.GraphData{GraphRecipe: data.Graph.GraphRecipe}
	}
	r.PutSome(keyMade, f.Provenance)
	r.Put(keyData, data)
	r.Put(report.KeyDimension, d.Columns)
	r.Add("rank", "%d", d.Rank)
	r.Show(report.KeyValues, d.Values, "values", "%s", report.Values(d.Values))
	var facts []modelFact
	for _, fact := range d.Facts {
		facts = append(facts, modelFact(fact))
		r.Add(fact.Name, "%s", fact.Value)
	}
	r.PutSome(keyFacts, facts)
	r.Add("seed", "%d", d.Seed)
	f.Provenance.Describe(r)
	describeRows(&f.Data, r, d.Columns, f.Prepare.Scaled())
	for _, w := range f.Data.Files {
		r.Add("written with it", "%s, %s, SHA-256 %s", w.File, report.Bytes(w.Bytes), w.SHA256)
	}
	r.Show(report.KeyBytes, bytes, "size", "%s", report.Bytes(bytes))
	var arrays []modelArray
	for _, a := range f.Arrays {
		kind := "float64"
		if a.Ints != nil {
			kind = "int64"
		}
		arrays = append(arrays, modelArray{a.Name, kind, a.Shape})
		r.Add("  "+a.Name, "%s %v", kind, a.Shape)
	}
	r.Put(keyArrays, arrays)
	if f.Family.Inspect != nil {
		f.Family.Inspect(f.Model, r)
	}
	return r
}

// describeRows adds lines about the input rows of a model.
func describeRows(d *saved.Data, t *report.Report, columns int, scaled bool) {
	if d.Response != "" {
		t.Add("known", "%s", d.Response)
	}
	if len(d.Classes) > 0 {
		t.Add("classes", "%d: %s", len(d.Classes), report.Words(d.Classes))
	}
	if g := d.Graph; g != nil {
		t.Add("of", "a graph of %s nodes; self-loops: %s; divided by degrees: %s", report.Count(int64(columns)), g.SelfLoops, g.Degrees)
		return
	}
	switch {
	case d.Input == saved.MatrixInput:
		t.Add("of", "the rows and columns of a matrix")
	case d.Input == saved.SourcesInput || d.Sources == 2:
		t.Add("of", "rows of two sources")
	}
	if d.Input == saved.KernelMatrixInput {
		t.Add("of", "a kernel matrix of %s samples", report.Count(int64(columns)))
		return
	}
	names := "by position"
	if len(d.Columns) > 0 {
		names = strings.Join(d.Columns, ", ")
	}
	t.Add("columns", "%d, %s", columns, names)
	if c := d.Categories; c != nil {
		for _, column := range c.Columns {
			t.Add("category", "%s, %s: %s", column.Column, c.Encoding, report.Words(column.Levels))
		}
	}
	if d.Dates != nil {
		t.Add("dates", "%s, as %s", strings.Join(d.Dates.Columns, ", "), d.Dates.As)
	}
	if d.Input == saved.PairsInput {
		t.Add("right columns", "%s", cmp.Or(strings.Join(d.RightColumns, ", "), "by position"))
	}
	t.Add("rows", "nulls: %s; %s", d.Nulls, map[bool]string{true: "scaled", false: "not scaled"}[scaled])
}
