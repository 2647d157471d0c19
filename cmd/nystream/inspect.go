package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
)

// inspectCommand is one command line of inspect.
type inspectCommand struct {
	*app
	data  dataFlags
	check bool
}

func newInspectCommand(a *app) *cobra.Command {
	i := &inspectCommand{app: a}
	cmd := &cobra.Command{
		Use:   "inspect FILE...",
		Short: "Show what is in a data file or in a model",
		Long: `Show the columns and the number of rows of data files, or what a model (.npz)
holds. With --check every byte of a .nys store is compared with its checksums; those
of a model always are.`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(modelExtensions[:1:1], dataExtensions...), cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
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
	if strings.EqualFold(filepath.Ext(args[0]), ".npz") {
		return i.model(args[0])
	}
	if i.check {
		if err := checkStores(args); err != nil {
			return err
		}
	}
	return i.files(ctx, args)
}

// checkStores verifies all checksums.
func checkStores(paths []string) error {
	for _, p := range paths {
		if !strings.EqualFold(filepath.Ext(p), ".nys") {
			return usagef("--check: %s is not a .nys store; other formats have no checksums that cover everything", p)
		}
		if err := blockstore.VerifyStore(p); err != nil {
			return fromData(err)
		}
	}
	return nil
}

// filesResult is what inspect prints of data as JSON.
type filesResult struct {
	Name    string       `json:"name"`
	Rows    *int64       `json:"rows"` // null when only reading all would tell
	Numbers int          `json:"numbers_per_row"`
	Bytes   int64        `json:"bytes,omitempty"`
	Columns []fileColumn `json:"columns"`
	Checked bool         `json:"checked,omitempty"`
}

type fileColumn struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Width int    `json:"width"`
}

func (i *inspectCommand) files(ctx context.Context, paths []string) error {
	columns, rows, err := blockstore.Columns(ctx, paths, i.data.options(i.app))
	if err != nil {
		return fromData(err)
	}
	r := &filesResult{Name: strings.Join(paths, ", "), Columns: []fileColumn{}, Checked: i.check}
	if rows >= 0 {
		r.Rows = &rows
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			r.Bytes += info.Size()
		}
	}
	apart := apartColumns(columns)
	for _, c := range columns {
		r.Columns = append(r.Columns, fileColumn{c.Name, c.Kind, c.Width})
		if slices.Contains(apart, c.Name) {
			continue
		}
		if c.Kind == "number" || c.Kind == "integer" || c.Kind == "vector" {
			r.Numbers += c.Width
		}
	}
	return i.print(r, r.text())
}

// text lists the columns, but not hundreds of them.
func (r *filesResult) text() *show.Text {
	const most = 40
	t := &show.Text{Title: r.Name}
	rows := "not known before all are read"
	if r.Rows != nil {
		rows = show.Count(*r.Rows)
	}
	t.Add("rows", "%s", rows)
	t.Add("numbers per row", "%d", r.Numbers)
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
		kind := c.Kind
		if c.Kind == "vector" {
			kind = fmt.Sprintf("vector of %d", c.Width)
		}
		t.Add("  "+c.Name, "%s", kind)
	}
	return t
}

// modelResult is what inspect prints of a model as JSON, behind meta.json.
type modelResult struct {
	Dimension int           `json:"dimension"` // numbers in the left rows that it takes
	Values    []show.Number `json:"values"`
	Facts     []modelFact   `json:"facts,omitempty"`
	Arrays    []modelArray  `json:"arrays"`
	Bytes     int64         `json:"bytes"`
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

func (i *inspectCommand) model(path string) error {
	f, err := readModel(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	d := f.model.Describe()
	r := &modelResult{Dimension: d.Columns, Values: show.Numbers(d.Values), Bytes: info.Size()}
	for _, fact := range d.Facts {
		r.Facts = append(r.Facts, modelFact(fact))
	}
	for _, a := range f.arrays {
		kind := "float64"
		if a.Ints != nil {
			kind = "int64"
		}
		r.Arrays = append(r.Arrays, modelArray{a.Name, kind, a.Shape})
	}
	data := f.data
	if data.Graph != nil { // millions of names are no summary
		data.Graph = &graphData{graphRecipe: data.Graph.graphRecipe}
	}
	parts := []any{struct {
		Data rowsData `json:"data"`
	}{data}, r}
	if f.family.inspect != nil {
		parts = append(parts, f.family.inspect(f.model))
	}
	all, err := joined(f.meta, parts...)
	if err != nil {
		return err
	}
	return i.print(all, r.text(f, d))
}

// joined returns one JSON object with the fields of an object, which lacks its closing
// brace, and of others.
func joined(first []byte, others ...any) (json.RawMessage, error) {
	all := slices.Clone(first)
	for _, other := range others {
		text, err := json.Marshal(other)
		if err != nil {
			return nil, err
		}
		if len(text) > len("{}") {
			all = append(append(all, ','), text[1:len(text)-1]...)
		}
	}
	return append(all, '}'), nil
}

func (r *modelResult) text(f *modelFile, d *model.Description) *show.Text {
	t := &show.Text{Title: fmt.Sprintf("%s model of %s, %s × %s", d.Method, d.Subject, show.Count(d.Rows), show.Count(d.Cols))}
	t.Add("rank", "%d", d.Rank)
	t.Add("values", "%s", show.Values(d.Values))
	for _, fact := range d.Facts {
		t.Add(fact.Name, "%s", fact.Value)
	}
	t.Add("seed", "%d", d.Seed)
	f.data.describe(t, d.Columns, f.prepare.Shift != nil)
	t.Add("size", "%s", show.Bytes(r.Bytes))
	for _, a := range r.Arrays {
		t.Add("  "+a.Name, "%s %v", a.Type, a.Shape)
	}
	return t
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
	if d.Input == pairsInput {
		t.Add("right columns", "%s", cmp.Or(strings.Join(d.RightColumns, ", "), "by position"))
	}
	t.Add("rows", "nulls: %s; %s", d.Nulls, map[bool]string{true: "scaled", false: "not scaled"}[scaled])
}
