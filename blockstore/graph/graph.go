// Package graph reads directed graphs from edge lists and Matrix Market files into a sparse
// adjacency matrix, sparse.CSR, with the names of the nodes.
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

// Graph is a directed graph read from a file.
//
// Nodes are numbered from 0. Those of Options.Nodes come first, in their order. The others follow,
// ascending if all ids of the graph are 64-bit integers, otherwise in the order of first
// occurrence, with the source of an edge before its target.
type Graph struct {
	// Adjacency holds in row i and column j the weight of the edge from node i to node j, after all
	// transformations of Options. Value is nil if all weights are 1.
	Adjacency *sparse.CSR
	// IDs are the ids of the nodes if all are 64-bit integers in canonical form: -5, not 007 or +7.
	// Otherwise IDs is nil.
	IDs []int64
	// Names are the ids of the nodes if IDs is nil.
	Names []string
	// Weighted reports that the weights come from the file.
	Weighted bool
	// GuessedWeights describes the weights if only the position of their column suggests that they are
	// weights; otherwise it is nil.
	GuessedWeights *GuessedWeights
	// Edges is the number of edges that the file lists, self-loops and
	// repetitions included.
	Edges int64
	// Duplicates is the number of entries of the adjacency matrix that were added to an earlier
	// entry at the same position. In an undirected graph an edge has two entries.
	Duplicates int64
	// SelfLoops is the number of listed edges from a node to itself.
	SelfLoops int64
	// MixedIDWarning is empty, or a warning for the user: most ids are integers and some are not, which may
	// indicate a damaged line.
	MixedIDWarning string
}

// Name returns the id of node i as text.
func (g *Graph) Name(i int) string {
	if g.IDs != nil {
		return strconv.FormatInt(g.IDs[i], 10)
	}
	return g.Names[i]
}

// SelfLoops selects the treatment of edges from a node to itself.
type SelfLoops uint8

const (
	// KeepSelfLoops keeps them.
	KeepSelfLoops SelfLoops = iota
	// AddSelfLoops adds the identity to the adjacency matrix. In a Simple graph each node then has
	// exactly one edge to itself.
	AddSelfLoops
	// DropSelfLoops drops them.
	DropSelfLoops
)

// Options configures reading. The zero value reads a directed graph as listed.
type Options struct {
	// Session is a [github.com/nystream/nystream/blockstore.Session.Internal] in which the file is
	// read; nil means a session for a single call.
	Session *file.Session
	// Source, Target and Weight are the columns of an edge list, by name or by number, counted from
	// 0. By default Source and Target are the columns with the header source, src or from and
	// target, dst or to, else the first two. Weight defaults to the column with the header weight,
	// w or value, else the third of three if there is no header. Files with more than two columns
	// otherwise require it. Weight "-" makes all weights 1.
	Source, Target, Weight string
	// Layout describes the text layout, as blockstore.Layout does.
	text.Layout
	// Reader is the input for the path -.
	Reader io.Reader

	// Nodes are ids of nodes that exist whether or not an edge names them. They are numbered first.
	// Each may appear once.
	Nodes []string
	// Undirected adds the reverse of every edge except self-loops. If the file lists both
	// directions, edges count twice; see Simple.
	Undirected bool
	// Simple counts repeated edges once. Otherwise their weights add up. It requires edges without
	// weights.
	Simple bool
	// SelfLoops is applied before Degrees.
	SelfLoops SelfLoops
	// Degrees divides the weights by node degrees.
	Degrees sparse.DegreeScaling
	// Limit bounds the estimated memory of reading, in bytes; exceeding it is a
	// *stream.OverBudgetError. 0 means no limit.
	Limit int64
}

// Read reads a directed graph from an edge list or a Matrix Market file, optionally compressed by
// gzip, zstd or bzip2. The path - is the standard input.
//
// An edge list is text with one edge per line: source, target and optionally a weight, separated by
// commas, tabs, blanks or another delimiter. Blank lines and lines that begin with # or % are
// skipped. The first line is a header if it names a source and a target, or if both its ids are
// text and those of the second line are integers. Ids are integers or any text, which may be
// quoted. Weights are finite numbers. The weights of repeated edges add up.
//
// A Matrix Market file (Boisvert, Pozo and Remington 1996) begins with %%MatrixMarket and holds a
// square matrix in coordinate format: general or symmetric; real, integer or pattern. Its nodes
// have the ids 1 to n.
//
// An error gives the file, the line and a remedy. Cost: one pass over the file; O(nodes·log nodes +
// edges) time; peak memory of about 24 bytes per edge, 40 with weights, and 100 bytes per node.
// Adding self-loops takes 12 more bytes per edge, degrees 8. An undirected graph takes up to twice
// as much.
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

// guarded runs f under a guard against panics and adds the file to its error. The error of a
// cancelled context has priority.
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
		return err // it already has the file
	}
	return fault.File(name, "%w", err)
}

// read opens the file and reads its graph.
func read(ctx context.Context, path string, o Options) (*Graph, error) {
	in, err := openDocument(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	g, err := in.graph(path, o)
	return g, in.checkUnchanged(err)
}

// graph reads the graph in the format of the document.
func (t *document) graph(path string, o Options) (*Graph, error) {
	if isMatrixMarket(t.head) {
		return readMatrixMarket(t, o)
	}
	if bytes.HasPrefix(bytes.TrimSpace(t.head), []byte(`{"`)) {
		return nil, fault.New("a graph is not read from JSON lines").WithRemedy("write its edges as CSV: jq -r '[.source,.target]|@csv'")
	}
	if strings.Contains(strings.ToLower(filepath.Base(path))+".", ".mtx.") {
		return nil, fault.New("it does not begin with %%%%MatrixMarket, as a Matrix Market file (.mtx) does: its line of sizes would be an edge").
			WithRemedy("write that line, or rename the file if it lists edges")
	}
	return readEdges(t, o)
}
