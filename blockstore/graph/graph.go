// Package graph reads directed graphs from edge lists and Matrix Market files
// into a sparse adjacency matrix, sparse.CSR, with the names of the nodes.
package graph

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Graph is a directed graph as it was read.
//
// Nodes are numbered from 0: first those of Options.Nodes in their order,
// then the others: ascending when all ids of the graph are integers of 64 bits, otherwise
// in the order in which the file first names them, the source of an edge before
// its target.
type Graph struct {
	// Adjacency has in row i and column j the weight of the edge from node i
	// to node j, after all that Options asks for. Value is nil when all
	// weights are 1.
	Adjacency *sparse.CSR
	// IDs are the ids of the nodes when all are integers of 64 bits, written
	// as a computer writes them: -5, not 007 or +7. Otherwise IDs is nil.
	IDs []int64
	// Names are the ids of the nodes when IDs is nil.
	Names []string
	// Weighted says that the weights were read from the file.
	Weighted bool
	// Guessed describes the weights if only the place of their column says that they are weights, else it is nil.
	Guessed *GuessedWeights
	// Edges is the number of edges that the file lists, self-loops and
	// repetitions included.
	Edges int64
	// Duplicates is how many entries of the adjacency matrix came on top of
	// one with the same place. In an undirected graph an edge is two entries.
	Duplicates int64
	// SelfLoops is the number of listed edges from a node to itself.
	SelfLoops int64
	// Mixed is empty, or a sentence for the user: most ids are integers and
	// some are not, which may be a damaged line.
	Mixed string
}

// Name returns the id of node i as text.
func (g *Graph) Name(i int) string {
	if g.IDs != nil {
		return strconv.FormatInt(g.IDs[i], 10)
	}
	return g.Names[i]
}

// SelfLoops says what becomes of edges from a node to itself.
type SelfLoops uint8

const (
	// KeepSelfLoops leaves them as they are.
	KeepSelfLoops SelfLoops = iota
	// AddSelfLoops adds the identity to the adjacency matrix. Of a Simple graph each node
	// then has one edge to itself, listed or not.
	AddSelfLoops
	// DropSelfLoops leaves them out.
	DropSelfLoops
)

// Options is how a graph is read. The zero value reads a directed graph as
// it is listed.
type Options struct {
	// Session is one of [github.com/nystream/nystream/blockstore.Session.Internal] that the file
	// is read in; nil is for a single call.
	Session *file.Session
	// Source, Target and Weight are the columns of an edge list, by name or by
	// number, counted from 0. Without them Source and Target are the columns
	// that a header calls source, src or from and target, dst or to, else the
	// first two; Weight is the column called weight, w or value, else the third
	// of three if there is no header. Other files of more than two columns need
	// it. Weight may be "-" for none: all weights are 1.
	Source, Target, Weight string
	// Layout says how the file is laid out: it is blockstore.Layout.
	text.Layout
	// Reader is what the path - reads.
	Reader io.Reader

	// Nodes are ids of nodes that exist whether or not an edge names them.
	// They come first. Each may appear once.
	Nodes []string
	// Undirected adds to every edge, but for self-loops, the edge back. A file
	// that lists both directions gets them twice: see Simple.
	Undirected bool
	// Simple counts an edge once however often it is listed. Without it the
	// weights add up. It is for edges without weights only.
	Simple bool
	// SelfLoops comes before Degrees.
	SelfLoops SelfLoops
	// Degrees divides the weights by degrees.
	Degrees sparse.DegreeScaling
	// Limit is the most memory, in bytes, that reading may take by estimate;
	// what takes more is a *stream.OverBudgetError. 0 means no limit.
	Limit int64
}

// Read reads a directed graph from an edge list or a Matrix Market file,
// possibly compressed by gzip, zstd or bzip2. The path - is the standard input.
//
// An edge list is text with one edge a line: source, target and perhaps a
// weight, separated as in other text files, by commas, tabs, blanks and so on.
// Blank lines, and lines that begin with # or %, are passed over. The first
// line is a header if it names a source and a target, or if both its ids are text
// and those of the second line are integers. Ids are integers, or any text, which may be quoted. Weights are
// finite numbers. The weights of an edge that is listed several times add up.
//
// A Matrix Market file (Boisvert, Pozo and Remington 1996) begins with
// %%MatrixMarket and holds a square matrix in coordinate format: general
// or symmetric; real, integer or pattern. Its nodes have the ids
// 1 to n.
//
// An error names the file and the line, and what to do. Cost: one pass over the
// file; time O(nodes·log nodes + edges); at its peak memory of about 24 bytes an
// edge, 40 with weights, and 100 bytes a node. Adding self-loops takes 12 bytes
// an edge more, degrees take 8. An undirected graph takes up to twice as much.
func Read(ctx context.Context, path string, o Options) (g *Graph, err error) {
	err = guarded(ctx, path, func() error {
		g, err = read(ctx, path, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// guarded runs f under guard and adds the file to its error. A cancelled
// context comes before whatever came of f.
func guarded(ctx context.Context, path string, f func() error) error {
	name := path
	if path == file.Stdin {
		name = "standard input"
	}
	err := fault.Guard(name, f)
	var named *stream.DataError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil || errors.As(err, new(*fs.PathError)) || errors.As(err, &named) && named.Path != "":
		return err // it names the file
	}
	return fault.File(name, "%w", err)
}

// read tells the two kinds of files apart.
func read(ctx context.Context, path string, o Options) (*Graph, error) {
	in, err := openDocument(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	g, err := in.graph(path, o)
	return g, in.checkUnchanged(err)
}

// graph reads the graph of a document.
func (t *document) graph(path string, o Options) (*Graph, error) {
	if isMatrixMarket(t.head) {
		return readMatrixMarket(t, o)
	}
	if bytes.HasPrefix(bytes.TrimSpace(t.head), []byte(`{"`)) {
		return nil, fault.New("a graph is not read from JSON lines").Do("write its edges as CSV: jq -r '[.source,.target]|@csv'")
	}
	if strings.Contains(strings.ToLower(filepath.Base(path))+".", ".mtx.") {
		return nil, fault.New("it does not begin with %%%%MatrixMarket, as a Matrix Market file (.mtx) does: its line of sizes would be an edge").
			Do("write that line, or rename the file if it lists edges")
	}
	return readEdges(t, o)
}
