// Package graphs reads directed graphs whose nodes have classes.
package graphs

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/stream/sparse"
)

// Classed is a directed graph whose nodes have classes.
type Classed struct {
	Name      string
	Adjacency *sparse.CSR // A + I without weights: every node has one self-loop
	Labels    []int       // the class of each node, from 0
	Classes   int
}

// Citations reads the citation graphs from the folder of data sets: cora, and citeseer if it exists.
func Citations(ctx context.Context) ([]*Classed, error) {
	var all []*Classed
	for _, name := range []string{"cora", "citeseer"} {
		base := filepath.Join(datasets.Dir(), name)
		g, err := ReadClassed(ctx, base+".edges.csv", base+".labels.csv")
		switch {
		case err == nil:
			all = append(all, g)
		case len(all) > 0 && errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(os.Stderr, "%s: skipped: %v (set NYSTREAM_DATA)\n", name, err)
		default:
			return nil, err
		}
	}
	return all, nil
}

// ReadClassed reads an edge list and the classes of its nodes: a CSV file with a header, nodes in the first column and
// labels in the second.
func ReadClassed(ctx context.Context, edges, labels string) (*Classed, error) {
	f, err := os.Open(labels)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", labels, err)
	}
	var nodes, classes []string
	for _, r := range records[min(1, len(records)):] {
		nodes, classes = append(nodes, r[0]), append(classes, r[len(r)-1])
	}
	read, err := graph.Read(ctx, edges, graph.Options{Nodes: nodes, Simple: true, Weight: "-"})
	if err != nil {
		return nil, err
	}
	if read.Adjacency.Rows > len(nodes) {
		return nil, fmt.Errorf("%s: node %s of %s has no label", labels, read.Name(len(nodes)), edges)
	}
	name, _, _ := strings.Cut(filepath.Base(edges), ".")
	g := &Classed{Name: name, Adjacency: WithLoops(read.Adjacency)}
	g.Labels, g.Classes = datasets.Numbered(classes)
	return g, nil
}

// WithLoops returns A + I without weights. An existing self-loop is counted once.
func WithLoops(a *sparse.CSR) *sparse.CSR {
	loops := a.AddIdentity()
	loops.Value = nil
	return loops
}

// Dense returns a sparse matrix as a dense one.
func Dense(a *sparse.CSR) *mat.Dense {
	m := mat.NewDense(a.Rows, a.Cols, nil)
	for e := range a.Entries() {
		m.Set(int(e.Row), int(e.Col), e.Value)
	}
	return m
}
