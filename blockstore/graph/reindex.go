package graph

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/stream/sparse"
)

// Reindex maps the columns of a, the adjacency matrix of the graph or its transpose, to other nodes:
// one column for each of ids, or for each of names if ids are text. dropped is the number of
// entries dropped because their node is not among them.
func (g *Graph) Reindex(a *sparse.CSR, ids []int64, names []string) (rows *sparse.CSR, dropped int64, err error) {
	if slices.Equal(g.IDs, ids) && slices.Equal(g.Names, names) {
		return a, 0, nil
	}
	column := g.columns(ids, names)
	rows, err = sparse.NewCSR(a.Rows, len(ids)+len(names), func(yield func(sparse.Entry) bool) {
		dropped = 0
		for entry := range a.Entries() {
			at := column[entry.Col]
			if at < 0 {
				dropped++
			} else if !yield(sparse.Entry{Row: entry.Row, Col: at, Value: entry.Value}) {
				return
			}
		}
	})
	return rows, dropped, err
}

// columns returns the index of each node of the graph among the given ids or names, -1 for none.
func (g *Graph) columns(ids []int64, names []string) []int32 {
	index := make(map[string]int32, len(names)+len(ids))
	for i, name := range names {
		index[name] = int32(i)
	}
	for i, id := range ids {
		index[fmt.Sprint(id)] = int32(i)
	}
	list := make([]int32, g.Adjacency.Rows)
	for i := range list {
		at, ok := index[g.Name(i)]
		if !ok {
			at = -1
		}
		list[i] = at
	}
	return list
}
