package blockstore

import (
	"context"
	"strings"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/stream/sparse"
)

// badEdges returns edge lists and Matrix Market files that cannot be read.
func badEdges() []badFile {
	graphOf := func(name, what, content string, o graph.Options) badFile {
		return badFile{name: name, what: what, content: content, graph: &o}
	}
	market := "%%MatrixMarket matrix coordinate real general\n"
	nodes := func(what, content, column string) badFile {
		return badFile{name: "n.csv", what: what, content: content, ask: func(ctx context.Context, path string) error {
			_, err := graph.ReadNodes(ctx, path, column, graph.Options{})
			return err
		}}
	}
	return []badFile{
		nodes("empty", "", ""),
		nodes("ragged", "node,label\n3,7\n1\n", ""),
		nodes("an id that is missing", "node,label\n3,7\n,8\n", ""),
		nodes("an unknown column", "node,label\n3,7\n", "nodes"),
		graphOf("e.csv", "one cell a line", "1\n2\n", graph.Options{}),
		graphOf("e.csv", "a column for two ends", "src,dst\n1,2\n", graph.Options{Source: "src", Target: "src"}),
		graphOf("e.csv", "many cells and no header", "1,2,3,4\n1,2,3,4\n", graph.Options{}),
		graphOf("e.csv", "a name without a header", "1,2\n3,4\n", graph.Options{Source: "from"}),
		graphOf("e.csv", "a name that is nearly right", "source,target\n1,2\n", graph.Options{Source: "sorce"}),
		graphOf("e.csv", "weights that would be counted once", "1,2,3\n", graph.Options{Simple: true}),
		graphOf("e.csv", "a weight beyond 2^53", "1,2,9007199254740993\n", graph.Options{}),
		graphOf("e.csv", "a weight that is missing", "1,2,3\n1,2,\n", graph.Options{}),
		graphOf("e.csv", "a weight that is infinite", "1,2,3\n1,2,inf\n", graph.Options{}),
		graphOf("e.csv", "a weight below 0 and degrees", "1,2,3\n1,2,-1\n", graph.Options{Degrees: sparse.RowStochastic}),
		graphOf("e.csv", "more memory than there is", "1,2\n", graph.Options{Limit: 100}),
		graphOf("e.csv", "a node listed twice", "1,2\n", graph.Options{Nodes: []string{"1", "2", "1"}}),
		graphOf("e.csv", "a listed node without an id", "1,2\n", graph.Options{Nodes: []string{"1", ""}}),
		graphOf("e.csv", "a header alone", "source,target\n", graph.Options{}),
		graphOf("e.csv", "a delimiter of two characters", "1,2\n", graph.Options{Layout: Layout{Delimiter: "::"}}),
		graphOf("e.csv", "a delimiter that cannot be one", "1,2\n", graph.Options{Layout: Layout{Delimiter: "\""}}),
		graphOf("e.csv", "an unknown encoding", "1,2\n", graph.Options{Layout: Layout{Encoding: "latin99"}}),
		graphOf("e.csv", "a first line of a megabyte", strings.Repeat("1", 1<<20), graph.Options{}),
		graphOf("e.csv", "a megabyte of comments", strings.Repeat("# none\n", 1<<17), graph.Options{}),
		graphOf("e.csv", "binary", "1,2\n\x00\n", graph.Options{}),
		graphOf("e.zip", "an empty archive", "PK\x05\x06"+strings.Repeat("\x00", 18), graph.Options{}),
		graphOf("e.mtx", "a list of nodes", market+"2 2 1\n1 1 1\n", graph.Options{Nodes: []string{"1"}}),
		graphOf("e.mtx", "columns to choose", market+"2 2 1\n1 1 1\n", graph.Options{Source: "0"}),
		graphOf("e.mtx", "a first line too short", "%%MatrixMarket matrix\n2 2 1\n1 1 1\n", graph.Options{}),
		graphOf("e.mtx", "an unknown layout", "%%MatrixMarket matrix bands real general\n", graph.Options{}),
		graphOf("e.mtx", "complex values", "%%MatrixMarket matrix coordinate complex general\n", graph.Options{}),
		graphOf("e.mtx", "an unknown symmetry", "%%MatrixMarket matrix coordinate real hermitian\n", graph.Options{}),
		graphOf("e.jsonl", "JSON lines", "{\"source\":1,\"target\":2}\n", graph.Options{}),
		graphOf("e.mtx", "no banner", "% none\n3 3 2\n1 2 1\n2 3 1\n", graph.Options{}),
		graphOf("e.mtx", "names of columns", market+"1 1 0\n", graph.Options{Layout: Layout{Header: true}}),
		graphOf("e.csv", "too short for what is skipped", "1,2\n", graph.Options{Layout: Layout{Skip: 3}}),
		graphOf("e.csv", "a comment of two characters", "1,2\n", graph.Options{Layout: Layout{Comment: "//"}}),
		graphOf("e.mtx", "no size", market, graph.Options{}),
		graphOf("e.mtx", "a size of two numbers", market+"2 2\n", graph.Options{}),
		graphOf("e.mtx", "too many nodes", market+"2147483647 2147483647 1\n", graph.Options{}),
		graphOf("e.mtx", "many nodes for one entry", market+"9999999 9999999 1\n1 1 1\n", graph.Options{}),
		graphOf("e.mtx", "an entry of two numbers", market+"2 2 1\n1 1\n", graph.Options{}),
		graphOf("e.mtx", "too many entries", market+"2 2 1\n1 1 1\n1 2 1\n", graph.Options{}),
		graphOf("e.mtx", "both sides of a symmetric matrix", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", graph.Options{}),
		graphOf("e.npy", "begins like NPY", npyFile("{}", 0), graph.Options{}),
		{name: "e.csv", what: "empty", graph: &graph.Options{}},
		{name: "e.csv", what: "ragged", content: "1,2\n3\n", graph: &graph.Options{}},
		{name: "e.csv", what: "a weight that is no number", content: "1,2,3\n1,2,x\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an id in Latin-1", content: "a,caf\xe9\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an id that is missing", content: "a,b\nc,\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an open quote", content: "a,b\n\"c,d\n", graph: &graph.Options{}},
		{name: "e.csv", what: "an unknown column", content: "src,dst\n1,2\n", graph: &graph.Options{Weight: "w8"}},
		{name: "e.csv", what: "bytes that are not in Shift-JIS", content: "a,b\na,\xfd\xfd\n", graph: &graph.Options{Layout: Layout{Encoding: "shift_jis"}}},
		{name: "e.csv.gz", what: "compressed, and cut", content: "\x1f\x8b\x08\x00zzzzzzzzzzzzzzzzzzzz", graph: &graph.Options{}},
		{name: "e.parquet", what: "begins like Parquet", content: "PAR1\x00\x00\x00\x00PAR1", graph: &graph.Options{}},
		{name: "e.mtx", what: "an unknown kind of matrix", content: "%%MatrixMarket matrix array real general\n2 2\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "no square", content: market + "2 3 1\n1 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "too few entries", content: market + "2 2 2\n1 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "an entry outside", content: market + "2 2 1\n3 1 1\n", graph: &graph.Options{}},
		{name: "e.mtx", what: "a word for a number", content: market + "2 2 1\n1 1 x\n", graph: &graph.Options{}},
	}
}
