package graph

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/stream/sparse"
)

// Over maps the columns of a, the adjacency matrix of the graph or its transpose, to other nodes:
// one column for each of ids, or for each of names if ids are text. strange is the number of
// entries dropped because their node is not among them.
func (g *Graph) Over(a *sparse.CSR, ids []int64, names []string) (rows *sparse.CSR, strange int64, err error) {
	if slices.Equal(g.IDs, ids) && slices.Equal(g.Names, names) {
		return a, 0, nil
	}
	place := g.places(ids, names)
	rows, err = sparse.NewCSR(a.Rows, len(ids)+len(names), func(yield func(sparse.Entry) bool) {
		strange = 0
		for entry := range a.Entries() {
			at := place[entry.Col]
			if at < 0 {
				strange++
			} else if !yield(sparse.Entry{Row: entry.Row, Col: at, Value: entry.Value}) {
				return
			}
		}
	})
	return rows, strange, err
}

// places returns the index of each node of the graph among the given ids or names, -1 for none.
func (g *Graph) places(ids []int64, names []string) []int32 {
	known := make(map[string]int32, len(names)+len(ids))
	for i, name := range names {
		known[name] = int32(i)
	}
	for i, id := range ids {
		known[fmt.Sprint(id)] = int32(i)
	}
	place := make([]int32, g.Adjacency.Rows)
	for i := range place {
		at, ok := known[g.Name(i)]
		if !ok {
			at = -1
		}
		place[i] = at
	}
	return place
}
