package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// ismModelResult is what inspect prints of an ism model as JSON.
type ismModelResult struct {
	ismMeta
	Dimension   int            `json:"dimension"` // length of the rows it takes
	Eigenvalues []show.Number  `json:"eigenvalues"`
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
	r := &ismModelResult{ismMeta: m.meta, Dimension: m.model.W.Rows, Eigenvalues: show.Numbers(m.model.Values), Loadings: loadingsOf(m.model), Arrays: modelArrays(file), Bytes: info.Size()}
	return i.print(r, r.text(m))
}

func (r *ismModelResult) text(m *ismModel) *show.Text {
	t := &show.Text{Title: fmt.Sprintf("ism model of %s rows, %d of %d dimensions, %s", show.Count(r.Rows), r.Dim, r.Dimension, r.Paradigm)}
	t.Add("kernel", "%s", r.Kernel)
	if r.Data.Known != "" {
		t.Add("known", "%s", r.Data.Known)
	}
	if len(r.Data.Classes) > 0 {
		t.Add("classes", "%d: %s", len(r.Data.Classes), show.Words(r.Data.Classes))
	}
	t.Add("engine", "%s", r.Engine)
	t.Add("eigenvalues", "%s", show.Values(m.model.Values))
	for k, column := range r.Loadings {
		t.Add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
	t.Add("seed", "%d", r.Seed)
	columns := "by position"
	if names := r.Data.Columns; len(names) > 0 {
		columns = strings.Join(names, ", ")
	}
	t.Add("columns", "%d, %s", r.Dimension, columns)
	t.Add("rows", "nulls: %s; %s", r.Data.Nulls, map[bool]string{true: "scaled", false: "not scaled"}[m.prepare.Shift != nil])
	t.Add("size", "%s", show.Bytes(r.Bytes))
	for _, a := range r.Arrays {
		t.Add("  "+a.Name, "%s %v", a.Type, a.Shape)
	}
	return t
}
