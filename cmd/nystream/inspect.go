package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// inspectCommand is one command line of inspect.
type inspectCommand struct {
	*app
	data  dataFlags
	check bool
	rows  int64 // to look at, 0 for all
}

func newInspectCommand(a *app) *cobra.Command {
	i := &inspectCommand{app: a}
	cmd := &cobra.Command{
		Use:  "inspect FILE...",
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return dataExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.Int64Var(&i.rows, "rows", 1_000_000, "`number` of rows to scan for nulls and ranges; 0 for all")
	f.BoolVar(&i.check, "check", false, "verify all checksums of a .nys store")
	i.data.addLayout(cmd)
	return cmd
}

func (i *inspectCommand) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usagef("inspect needs a file: nystream inspect data.parquet")
	}
	if err := i.data.check(); err != nil {
		return err
	}
	if err := i.checkArguments(args); err != nil {
		return err
	}
	if isModel(args[0]) {
		return i.model(ctx, args[0])
	}
	if i.check {
		if err := i.checkStores(ctx, args); err != nil {
			return err
		}
	}
	return i.files(ctx, args)
}

// isModel reports whether a file is a model: by its name, unless it holds arrays of another
// program.
func isModel(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".npz") && !archive.IsData(path)
}

// checkArguments refuses what the arguments and flags contradict each other in.
func (i *inspectCommand) checkArguments(args []string) error {
	models := 0
	for _, path := range args {
		if isModel(path) {
			models++
		}
	}
	given := func(flag string) bool { return i.cmd.Flags().Changed(flag) }
	asked := []contradiction{
		{i.rows < 0, "--rows must be 0 or more"},
		{models > 0 && models < len(args), "models and data together: inspect models one by one, and data by themselves"},
		{models > 1, fmt.Sprintf("%d models: inspect them one by one", models)},
	}
	for _, flag := range []string{"rows", "no-header", "header", "delimiter", "comment", "skip", "array", "encoding", "spool-dir", "input-format"} {
		if i.cmd.Flags().Lookup(flag) != nil {
			asked = append(asked, contradiction{models > 0 && given(flag), "--" + flag + " is for data: leave it out with a model"})
		}
	}
	return refuse(asked)
}

// checkStores verifies all checksums.
func (i *inspectCommand) checkStores(ctx context.Context, paths []string) error {
	for _, p := range paths {
		if !strings.EqualFold(filepath.Ext(p), ".nys") {
			return usagef("--check: %s is not a .nys store; other formats have no checksums that cover everything", p)
		}
		if err := i.session.VerifyStore(ctx, p); err != nil {
			return fromData(err)
		}
	}
	return nil
}

// filesResult is what inspect prints of data as JSON.
type filesResult struct {
	Name    string       `json:"name"`
	Formats []fileFormat `json:"formats"` // those that differ
	Rows    *int64       `json:"rows"`    // null when only reading all would tell
	// IndexBase is the first index of libsvm files, nil for other files.
	IndexBase *int         `json:"index_base,omitempty"`
	Numbers   int          `json:"numbers_per_row"`
	Bytes     int64        `json:"bytes,omitempty"`
	Columns   []fileColumn `json:"columns"`
	Looked    int64        `json:"rows_looked_at"`
	First     [][]any      `json:"first_rows"` // with the values of the columns, in their order
	Checked   bool         `json:"checked,omitempty"`
}

// fileFormat is a format, and in how many files it is.
type fileFormat struct {
	Format    string `json:"format"`
	Delimiter string `json:"delimiter,omitempty"`
	Files     int    `json:"files"`
}

type fileColumn struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Width int    `json:"width"`
	Means string `json:"meaning,omitempty"` // boolean, date, timestamp, time or duration
	Why   string `json:"reason,omitempty"`  // what a column of kind other holds, or what is lost of numbers
	*columnFacts
}

func (i *inspectCommand) files(ctx context.Context, paths []string) error {
	files, err := i.session.OpenFiles(ctx, paths, i.data.options(i.app))
	if err != nil {
		return fromData(err)
	}
	columns, rows := files.Columns()
	r := &filesResult{Name: strings.Join(paths, ", "), Formats: formatsOf(files), Columns: []fileColumn{}, First: [][]any{}, Checked: i.check}
	if rows >= 0 {
		r.Rows = &rows
	}
	r.IndexBase = firstIndex(files.IndexBase())
	for _, p := range paths {
		if bytes, ok := i.session.FileSize(ctx, p); ok {
			r.Bytes += bytes
		}
	}
	apart, keep := apartColumns(columns)
	for i, c := range columns {
		r.Columns = append(r.Columns, fileColumn{c.Name, c.Kind, c.Width, c.Meaning, c.Reason, &columnFacts{}})
		if !slices.Contains(apart, i) && !c.Folder && c.Kind != "text" && c.Kind != "other" {
			r.Numbers += c.Width
		}
	}
	if r.Numbers > 0 { // without numbers there is no source
		options := i.data.options(i.app)
		options.Keep, options.Inexact = keep, blockstore.InexactRound
		var src stream.Source
		if src, err = files.Source(options); err == nil {
			err = i.look(ctx, src, columns, r, i.rows)
		}
		if stopped := context.Cause(ctx); stopped != nil {
			return stopped
		}
	}
	return errors.Join(i.print(r, r.text()), fromData(err))
}

// formatsOf returns the formats of files, each once.
func formatsOf(files *blockstore.Files) (list []fileFormat) {
	for _, f := range files.Formats() {
		k := slices.IndexFunc(list, func(o fileFormat) bool { return o.Format == f.Format && o.Delimiter == f.Delimiter })
		if k < 0 {
			k, list = len(list), append(list, fileFormat{Format: f.Format, Delimiter: f.Delimiter})
		}
		list[k].Files++
	}
	return list
}

// formatWords says the formats.
func (r *filesResult) formatWords() string {
	var words []string
	for _, f := range r.Formats {
		text := f.Format
		if f.Delimiter != "" {
			text += fmt.Sprintf(", cells between %s", map[bool]string{true: f.Delimiter, false: strconv.Quote(f.Delimiter)}[len(f.Delimiter) > 1])
		}
		if len(r.Formats) > 1 || f.Files > 1 {
			text += fmt.Sprintf(" (%s)", countedOf(f.Files, "file", "files"))
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// text lists the columns, but not hundreds of them.
func (r *filesResult) text() *show.Text {
	const most = 40
	t := &show.Text{Title: r.Name}
	rows := "not known before all are read"
	if r.Rows != nil {
		rows = show.Count(*r.Rows)
	}
	t.Add("format", "%s", r.formatWords())
	if r.IndexBase != nil && *r.IndexBase == 0 {
		t.Add("indices", "from 0")
	}
	t.Add("rows", "%s", rows)
	t.Add("numbers per row", "%d%s", r.Numbers, map[bool]string{true: "; a fit needs at least one"}[r.Numbers == 0])
	if r.Bytes > 0 {
		t.Add("size", "%s", show.Bytes(r.Bytes))
	}
	if r.Checked {
		t.Add("checksums", "all verified")
	}
	t.Add("columns", "%d", len(r.Columns))
	for i, c := range r.Columns {
		if i == most {
			t.Add("", "… and %d more (--format json lists all)", len(r.Columns)-most)
			break
		}
		kind := cmp.Or(c.Means, c.Kind)
		if c.Why != "" {
			kind += ": " + c.Why
		}
		if c.Kind == "vector" {
			kind = fmt.Sprintf("vector of %d", c.Width)
		}
		t.Add("  "+quote.Bare(c.Name), "%s%s", kind, c.columnFacts.text())
	}
	if r.Looked > 0 && (r.Rows == nil || r.Looked < *r.Rows) {
		t.Add("", "of the first %s rows; --rows 0 looks at all", show.Count(r.Looked))
	}
	if r.nulls() > 0 {
		t.Add("nulls", "%s; a fit refuses them unless it has --nulls drop, zero, mean or indicator", show.Count(r.nulls()))
	}
	r.firstText(t)
	return t
}

// nulls returns how many there are in columns that would be computed with.
func (r *filesResult) nulls() (n int64) {
	for _, c := range r.Columns {
		if c.Kind != "text" && c.Kind != "other" {
			n += c.Nulls
		}
	}
	return n
}

type modelFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type modelArray struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
}

func (i *inspectCommand) model(ctx context.Context, path string) error {
	f, err := i.readModel(path)
	if err != nil {
		return err
	}
	bytes, _ := i.session.FileSize(ctx, path)
	d := f.model.Describe()
	r := &show.Report{Text: show.Text{Title: fmt.Sprintf("%s model of %s, %s × %s", d.Method, d.Subject, show.Count(d.Rows), show.Count(d.Cols))}}
	data := f.data
	if data.Graph != nil { // millions of names are no summary
		data.Graph = &graphData{graphRecipe: data.Graph.graphRecipe}
	}
	r.PutSome("made", f.made)
	r.Put("data", data)
	r.Put("dimension", d.Columns) // numbers in the left rows that it takes
	r.Put("values", d.Values)
	r.Add("rank", "%d", d.Rank)
	r.Add("values", "%s", show.Values(d.Values))
	var facts []modelFact
	for _, fact := range d.Facts {
		facts = append(facts, modelFact(fact))
		r.Add(fact.Name, "%s", fact.Value)
	}
	r.PutSome("facts", facts)
	r.Add("seed", "%d", d.Seed)
	f.made.describe(&r.Text)
	f.data.describe(&r.Text, d.Columns, f.prepare.Scaled())
	for _, w := range f.data.Files {
		r.Add("written with it", "%s, %s, SHA-256 %s", w.File, show.Bytes(w.Bytes), w.SHA256)
	}
	r.Put("bytes", bytes)
	r.Add("size", "%s", show.Bytes(bytes))
	var arrays []modelArray
	for _, a := range f.arrays {
		kind := "float64"
		if a.Ints != nil {
			kind = "int64"
		}
		arrays = append(arrays, modelArray{a.Name, kind, a.Shape})
		r.Add("  "+a.Name, "%s %v", kind, a.Shape)
	}
	r.Put("arrays", arrays)
	if f.family.inspect != nil {
		f.family.inspect(f.model, r)
	}
	all, err := joined(f.meta, r)
	if err != nil {
		return err
	}
	return i.print(all, &r.Text)
}

// joined returns one JSON object with the fields of an object, which lacks its closing
// brace, and of a report.
func joined(first []byte, r *show.Report) (json.RawMessage, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return slices.Concat(first, []byte{','}, text[1:]), nil
}

// describe adds lines about the rows that a model takes.
func (d *rowsData) describe(t *show.Text, columns int, scaled bool) {
	if d.Known != "" {
		t.Add("known", "%s", d.Known)
	}
	if len(d.Classes) > 0 {
		t.Add("classes", "%d: %s", len(d.Classes), show.Words(d.Classes))
	}
	if g := d.Graph; g != nil {
		t.Add("of", "a graph of %s nodes; self-loops: %s; divided by degrees: %s", show.Count(int64(columns)), g.SelfLoops, g.Degrees)
		return
	}
	switch {
	case d.Input == matrixInput:
		t.Add("of", "the rows and columns of a matrix")
	case d.Input == sourcesInput || d.Sources == 2:
		t.Add("of", "rows of two sources")
	}
	if d.Input == kernelMatrixInput {
		t.Add("of", "a kernel matrix of %s samples", show.Count(int64(columns)))
		return
	}
	names := "by position"
	if len(d.Columns) > 0 {
		names = strings.Join(d.Columns, ", ")
	}
	t.Add("columns", "%d, %s", columns, names)
	if c := d.Categories; c != nil {
		for _, column := range c.Columns {
			t.Add("category", "%s, %s: %s", column.Column, c.Encoding, show.Words(column.Levels))
		}
	}
	if d.Input == pairsInput {
		t.Add("right columns", "%s", cmp.Or(strings.Join(d.RightColumns, ", "), "by position"))
	}
	t.Add("rows", "nulls: %s; %s", d.Nulls, map[bool]string{true: "scaled", false: "not scaled"}[scaled])
}
