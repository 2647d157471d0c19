package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/nystream/nystream/blockstore"
)

// ismModelResult is what inspect prints of an ism model as JSON.
type ismModelResult struct {
	ismMeta
	Dimension   int            `json:"dimension"` // length of the rows it takes
	Eigenvalues []number       `json:"eigenvalues"`
	Loadings    [][]ismLoading `json:"loadings"`
	Arrays      []modelArray   `json:"arrays"`
	Bytes       int64          `json:"bytes"`
}

func (i *inspectCommand) ismModel(path string, file *blockstore.Archive) error {
	m, err := ismModelOf(path, file)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	r := &ismModelResult{ismMeta: m.meta, Dimension: m.model.W.Rows, Eigenvalues: numbers(m.model.Values), Loadings: loadingsOf(m.model), Arrays: modelArrays(file), Bytes: info.Size()}
	return i.print(r, r.text(m))
}

func (r *ismModelResult) text(m *ismModel) *text {
	t := &text{title: fmt.Sprintf("ism model of %s rows, %d of %d dimensions, %s", count(r.Rows), r.Dim, r.Dimension, r.Paradigm)}
	t.add("kernel", "%s", r.Kernel)
	if r.Data.Known != "" {
		t.add("known", "%s", r.Data.Known)
	}
	if len(r.Data.Classes) > 0 {
		t.add("classes", "%d: %s", len(r.Data.Classes), someWords(r.Data.Classes))
	}
	t.add("engine", "%s", r.Engine)
	t.add("eigenvalues", "%s", someValues(m.model.Values))
	for k, column := range r.Loadings {
		t.add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
	t.add("seed", "%d", r.Seed)
	columns := "by position"
	if names := r.Data.Columns; len(names) > 0 {
		columns = strings.Join(names, ", ")
	}
	t.add("columns", "%d, %s", r.Dimension, columns)
	t.add("rows", "nulls: %s; %s", r.Data.Nulls, map[bool]string{true: "scaled", false: "not scaled"}[m.prepare.Shift != nil])
	t.add("size", "%s", bytes(r.Bytes))
	for _, a := range r.Arrays {
		t.add("  "+a.Name, "%s %v", a.Type, a.Shape)
	}
	return t
}
