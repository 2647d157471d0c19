package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream/sparse"
)

func TestMatrixMarketKnownAnswers(t *testing.T) {
	tests := []struct {
		name, text string
		o          Options
		nodes      int
		edges      edgeMap
	}{
		{"real general", "%%MatrixMarket matrix coordinate real general\n% c\n\n3 3 2\n1 2 0.5\n3 1 -2e0\n", Options{}, 3, edgeMap{{"1", "2"}: 0.5, {"3", "1"}: -2}},
		{"integer", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 2 7\n", Options{}, 2, edgeMap{{"2", "2"}: 7}},
		{"pattern symmetric", "%%matrixmarket MATRIX Coordinate Pattern Symmetric\r\n3 3 3\r\n2 1\r\n3 3\r\n3 1\r\n", Options{}, 3, edgeMap{{"1", "2"}: 1, {"2", "1"}: 1, {"3", "3"}: 1, {"1", "3"}: 1, {"3", "1"}: 1}},
		{"upper triangle", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n", Options{Undirected: true}, 2, edgeMap{{"1", "2"}: 1, {"2", "1"}: 1}},
		{"undirected", "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n1 1 2", Options{Undirected: true, SelfLoops: DropSelfLoops}, 2, edgeMap{{"2", "1"}: 3, {"1", "2"}: 3}},
		{"duplicates", "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n2 1 4\n", Options{}, 2, edgeMap{{"2", "1"}: 7}},
		{"weights left out", "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 3\n2 1 4\n", Options{Weight: "-", Simple: true}, 2, edgeMap{{"2", "1"}: 1}},
		{"row-stochastic", "\ufeff%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n1 3\n", Options{Degrees: sparse.RowStochastic}, 3, edgeMap{{"1", "2"}: 0.5, {"1", "3"}: 0.5}},
		{"no entries", "%%MatrixMarket matrix coordinate real general\n5 5 0\n", Options{}, 5, edgeMap{}},
		{"nothing at all", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", Options{}, 0, edgeMap{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := mustReadGraph(t, filetest.TempFile(t, "a.mtx", test.text), test.o)
			if diff := cmp.Diff(test.edges, edgesOf(t, g)); diff != "" {
				t.Error(diff)
			}
			if g.Adjacency.Rows != test.nodes {
				t.Errorf("%d nodes", g.Adjacency.Rows)
			}
		})
	}
}

func TestMatrixMarketRefuses(t *testing.T) {
	const general = "%%MatrixMarket matrix coordinate real general\n"
	tests := []struct {
		name, text string
		o          Options
		words      []string
	}{
		{"banner alone", general, Options{}, []string{"before the line with its size"}},
		{"short banner", "%%MatrixMarket matrix coordinate\n1 1 0\n", Options{}, []string{"line 1", "no first line"}},
		{"vector", "%%MatrixMarket vector coordinate real general\n", Options{}, []string{"no first line"}},
		{"array", "%%MatrixMarket matrix array real general\n1 1\n1\n", Options{}, []string{"line 1", "dense", "coordinate"}},
		{"complex", "%%MatrixMarket matrix coordinate complex general\n", Options{}, []string{`"complex"`}},
		{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", Options{}, []string{`"hermitian"`}},
		{"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n", Options{}, []string{"skew-symmetric"}},
		{"two sizes", general + "3 3\n", Options{}, []string{"line 2", "three integers"}},
		{"size in words", general + "3 x 3\n", Options{}, []string{"line 2", "three integers"}},
		{"negative size", general + "-3 -3 1\n", Options{}, []string{"three integers"}},
		{"oblong", general + "3 4 1\n1 1 1\n", Options{}, []string{"line 2", "3 rows and 4 columns", "square"}},
		{"huge", general + "10000000000 10000000000 1\n1 1 1\n", Options{}, []string{"nodes"}},
		{"hollow", general + "2000000000 2000000000 1\n1 1 1\n", Options{}, []string{"2000000000 nodes for 1 entries"}},
		{"cut short", general + "3 3 2000000000000\n1 1 1\n", Options{}, []string{"after 1 entries", "promises 2000000000000"}},
		{"too many", general + "3 3 1\n1 1 1\n2 2 2\n", Options{}, []string{"line 4", "more entries than the 1"}},
		{"counted from zero", general + "3 3 1\n0 1 1\n", Options{}, []string{"line 3", `"0"`, "1 to 3"}},
		{"outside", general + "3 3 1\n1 4 1\n", Options{}, []string{`"4"`}},
		{"no value", general + "3 3 1\n1 2\n", Options{}, []string{"line 3", "2 numbers", "has 3"}},
		{"value in a pattern", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 3\n", Options{}, []string{"has 2 here"}},
		{"NaN", general + "3 3 1\n1 2 NaN\n", Options{}, []string{"line 3", "missing"}},
		{"infinite", general + "3 3 1\n1 2 1e400\n", Options{}, []string{"infinite"}},
		{"negative with degrees", general + "3 3 1\n1 2 -1\n", Options{Degrees: sparse.SymmetricByDegrees}, []string{"negative"}},
		{"both triangles", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 1\n2 1 1\n", Options{}, []string{"line 4", "one side"}},
		{"list of nodes", general + "1 1 0\n", Options{Nodes: []string{"1"}}, []string{"list of nodes"}},
		{"columns", general + "1 1 0\n", Options{Source: "a"}, []string{"no columns"}},
		{"limit", general + "1000 1000 1\n1 1 1\n", Options{Limit: 1000}, []string{"may use 1000 B"}},
		{"simple with weights", general + "1 1 0\n", Options{Simple: true}, []string{"without weights"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filetest.TempFile(t, "a.mtx", test.text)
			var err error
			n := allocated(func() { _, err = Read(context.Background(), path, test.o) })
			filetest.WantError(t, err, append(test.words, path)...)
			if n > 8<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// A Matrix Market file gives the same graph as an edge list of its entries.
func TestMatrixMarketAgainstMaps(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		n, entries := 1+r.IntN(30), r.IntN(100)
		symmetry := []string{"general", "symmetric"}[r.IntN(2)]
		want := edgeMap{}
		var text strings.Builder
		fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate integer %s\n%d %d %d\n", symmetry, n, n, entries)
		for range entries {
			i, j, v := 1+r.IntN(n), 1+r.IntN(n), r.IntN(9)-4
			if symmetry == "symmetric" && i < j {
				i, j = j, i
			}
			fmt.Fprintf(&text, " %d  %d %d\n", i, j, v)
			a, b := fmt.Sprint(i), fmt.Sprint(j)
			want[[2]string{a, b}] += float64(v)
			if symmetry == "symmetric" && i != j {
				want[[2]string{b, a}] += float64(v)
			}
		}
		gz, _ := packed(t, text.String())
		g := mustReadGraph(t, filetest.TempFile(t, "a.mtx.gz", string(gz)), Options{})
		if diff := cmp.Diff(want, edgesOf(t, g)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if g.Edges != int64(entries) || g.Adjacency.Rows != n {
			t.Fatalf("seed %d: %d edges, %d nodes", seed, g.Edges, g.Adjacency.Rows)
		}
	}
}

func FuzzMatrixMarket(f *testing.F) {
	for _, seed := range []string{
		" matrix coordinate real general\n2 2 1\n1 2 0.5\n", " matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
		" matrix coordinate integer skew-symmetric\n% c\n2 2 1\n2 1 3\n", " matrix array real general\n1 1\n1\n", " matrix coordinate real general\n2000000000 2000000000 1\n1 1 1\n"} {
		f.Add(seed, uint8(len(seed)))
	}
	f.Fuzz(func(t *testing.T, text string, flags uint8) {
		o := Options{Undirected: flags&1 != 0, SelfLoops: SelfLoops(flags >> 1 & 1), Limit: 64 << 20}
		checkReadGraph(t, marketBanner+text, o)
	})
}
