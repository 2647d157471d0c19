package graphs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/stream/sparse"
)

// TestReadClassed reads a graph with a self-loop and a node without edges.
func TestReadClassed(t *testing.T) {
	dir := t.TempDir()
	edges, labels := filepath.Join(dir, "g.edges.csv"), filepath.Join(dir, "l.csv")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(edges, "src,dst\na,b\nb,b\nb,c\na,b\n")
	write(labels, "node,label\nc,red\nb,blue\na,red\nd,blue\n")
	g, err := ReadClassed(t.Context(), edges, labels)
	if err != nil {
		t.Fatal(err)
	}
	want := []sparse.Entry{{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 1},
		{Row: 2, Col: 1, Value: 1}, {Row: 2, Col: 2, Value: 1}, {Row: 3, Col: 3, Value: 1}}
	if got := slices.Collect(g.Adjacency.Entries()); !slices.Equal(got, want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	if g.Name != "g" || g.Classes != 2 || !slices.Equal(g.Labels, []int{1, 0, 1, 0}) {
		t.Errorf("%s: %d classes, labels %v", g.Name, g.Classes, g.Labels)
	}
	write(labels, "node,label\nc,red\nb,blue\n")
	if _, err := ReadClassed(t.Context(), edges, labels); err == nil || !strings.Contains(err.Error(), "node a of ") {
		t.Errorf("a node without a label: %v", err)
	}
}
