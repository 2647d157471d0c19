package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nystream/nystream/blockstore/graph"
)

var testModel = powerLaw{nodes: 20003, blocks: 7, exponent: 2.5, within: 0.8, seed: 3}

// TestFilesAreReadBack: two runs write equal files, and the graph reader accepts them.
func TestFilesAreReadBack(t *testing.T) {
	dir := t.TempDir()
	edges, labels := filepath.Join(dir, "g.csv"), filepath.Join(dir, "g.labels.csv")
	var before [2][]byte
	for range 2 {
		if err := writeGraph(testModel, 20_000, edges, labels); err != nil {
			t.Fatal(err)
		}
		for k, path := range []string{edges, labels} {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if before[k] != nil && !slices.Equal(before[k], content) {
				t.Errorf("%s differs when written again", path)
			}
			before[k] = content
		}
	}
	nodes, err := graph.ReadNodes(context.Background(), labels, "", graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Read(context.Background(), edges, graph.Options{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	if g.Edges != 20_000 || g.Adjacency.Rows != testModel.nodes || g.SelfLoops != 0 {
		t.Errorf("%d edges, %d nodes, %d loops", g.Edges, g.Adjacency.Rows, g.SelfLoops)
	}
}
