package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// edgeMap has the weight of every entry, by the names of its nodes.
type edgeMap map[[2]string]float64

// edgesOf returns a graph as a map. It fails the test when the parts of the graph do
// not fit each other.
func edgesOf(t testing.TB, g *Graph) edgeMap {
	t.Helper()
	a := g.Adjacency
	if n := max(len(g.IDs), len(g.Names)); a.Rows != n || a.Cols != n || g.IDs != nil && g.Names != nil {
		t.Fatalf("%d×%d entries, %d ids, %d names", a.Rows, a.Cols, len(g.IDs), len(g.Names))
	}
	edges := edgeMap{}
	last := sparse.Entry{Row: -1}
	for e := range a.Entries() {
		if e.Row == last.Row && e.Col <= last.Col {
			t.Fatalf("entries do not ascend: %v, %v", last, e)
		}
		edges[[2]string{g.Name(int(e.Row)), g.Name(int(e.Col))}] = e.Value
		last = e
	}
	return edges
}

// namesOf returns the ids of all nodes, in order.
func namesOf(g *Graph) []string {
	names := make([]string, g.Adjacency.Rows)
	for i := range names {
		names[i] = g.Name(i)
	}
	return names
}

func mustReadGraph(t testing.TB, path string, o Options) *Graph {
	t.Helper()
	g, err := Read(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestReadGraphKnownAnswers(t *testing.T) {
	tests := []struct {
		name, text string
		o          Options
		nodes      string
		edges      edgeMap
	}{
		{"a header of integers", "1,2\n10,2\n", Options{Layout: text.Layout{Header: true}}, "2 10", edgeMap{{"10", "2"}: 1}},
		{"comments of another kind", "; made by x\n10,2\n;2,3\n", Options{Layout: text.Layout{Comment: ";"}}, "2 10", edgeMap{{"10", "2"}: 1}},
		{"lines before the edges", "Edges 2020\n1 2 3\n10,2\n", Options{Layout: text.Layout{Skip: 2}}, "2 10", edgeMap{{"10", "2"}: 1}},
		{"header", "src,dst\n10,2\n2,3\n", Options{}, "2 3 10", edgeMap{{"10", "2"}: 1, {"2", "3"}: 1}},
		{"no header", "10,2\n2,3\n", Options{}, "2 3 10", edgeMap{{"10", "2"}: 1, {"2", "3"}: 1}},
		{"swapped columns", "weight;target;source\n0.5;a;b\n", Options{}, "b a", edgeMap{{"b", "a"}: 0.5}},
		{"from and to", "From\tTo\tW\nx y\tz\t2\n", Options{}, "x y,z", edgeMap{{"x y", "z"}: 2}},
		{"unknown header above integers", "node1 node2\n1 2\n", Options{}, "1 2", edgeMap{{"1", "2"}: 1}},
		{"header that the options name", "u,v,strength\na,b,3\n", Options{Weight: "strength"}, "a b", edgeMap{{"a", "b"}: 3}},
		{"a third column that is no weight", "u,v,time\na,b,3\n", Options{Layout: text.Layout{Header: true}, Weight: "-"}, "a b", edgeMap{{"a", "b"}: 1}},
		{"texts", "b a\na c\n", Options{}, "b a c", edgeMap{{"b", "a"}: 1, {"a", "c"}: 1}},
		{"blanks in names", "New York, NY\tBoston, MA\nBoston, MA\tRome\n", Options{}, "New York, NY|Boston, MA|Rome", edgeMap{{"New York, NY", "Boston, MA"}: 1, {"Boston, MA", "Rome"}: 1}},
		{"quotes", "\"a,b\",\"c\"\"d\"\n\"x\ny\",1\n", Options{}, "a,b|c\"d|x\ny|1", edgeMap{{"a,b", "c\"d"}: 1, {"x\ny", "1"}: 1}},
		{"comments, CRLF and a byte order mark", "\ufeff# from, \"to\r\n% x\r\n\r\n1\t2\r\n # 3 4\r\n2\t1\r\n", Options{}, "1 2", edgeMap{{"1", "2"}: 1, {"2", "1"}: 1}},
		{"byte order mark before data", "\ufeff7 8", Options{}, "7 8", edgeMap{{"7", "8"}: 1}},
		{"negative and huge", "-5 9223372036854775807\n-9223372036854775808 0\n", Options{}, "-9223372036854775808 -5 0 9223372036854775807", edgeMap{{"-5", "9223372036854775807"}: 1, {"-9223372036854775808", "0"}: 1}},
		{"beyond 64 bits", "100000000000000000000 -9223372036854775809\n7 -3\n", Options{}, "100000000000000000000 -9223372036854775809 7 -3", edgeMap{{"100000000000000000000", "-9223372036854775809"}: 1, {"7", "-3"}: 1}},
		{"zeros in front", "007 7\n7 -0\n", Options{}, "007 7 -0", edgeMap{{"007", "7"}: 1, {"7", "-0"}: 1}},
		{"texts after integers", "30 4\n4 x\n", Options{}, "30 4 x", edgeMap{{"30", "4"}: 1, {"4", "x"}: 1}},
		{"ids around the small ones", "4194304 4194303\n4194303 0\n", Options{}, "0 4194303 4194304", edgeMap{{"4194304", "4194303"}: 1, {"4194303", "0"}: 1}},
		{"third column", "1,2,0.5\n2,1,-3\n", Options{}, "1 2", edgeMap{{"1", "2"}: 0.5, {"2", "1"}: -3}},
		{"weights left out", "1,2,0.5\n2,1,x\n", Options{Weight: "-"}, "1 2", edgeMap{{"1", "2"}: 1, {"2", "1"}: 1}},
		{"columns by number", "9,a,b,4\n9,b,a,5\n", Options{Source: "2", Target: "1", Weight: "3"}, "b a", edgeMap{{"b", "a"}: 4, {"a", "b"}: 5}},
		{"columns by name", "t,x,y\n9,b,a\n", Options{Source: "y", Target: "x", Weight: "-"}, "a b", edgeMap{{"a", "b"}: 1}},
		{"a header that is an edge", "from,to\na,b\n", Options{Layout: text.Layout{NoHeader: true}}, "from to a b", edgeMap{{"from", "to"}: 1, {"a", "b"}: 1}},
		{"duplicates", "1 2\n1 2\n1 1\n", Options{}, "1 2", edgeMap{{"1", "2"}: 2, {"1", "1"}: 1}},
		{"simple", "1 2\n1 2\n1 1\n", Options{Simple: true}, "1 2", edgeMap{{"1", "2"}: 1, {"1", "1"}: 1}},
		{"undirected", "1 2 5\n2 1 7\n1 1 1\n", Options{Undirected: true}, "1 2", edgeMap{{"1", "2"}: 12, {"2", "1"}: 12, {"1", "1"}: 1}},
		{"simple, loops added", "1 2\n1 1\n", Options{Simple: true, SelfLoops: AddSelfLoops, Degrees: sparse.ColumnStochastic}, "1 2", edgeMap{{"1", "1"}: 1, {"1", "2"}: 0.5, {"2", "2"}: 0.5}},
		{"undirected and simple", "1 2\n2 1\n2 3\n", Options{Undirected: true, Simple: true}, "1 2 3", edgeMap{{"1", "2"}: 1, {"2", "1"}: 1, {"2", "3"}: 1, {"3", "2"}: 1}},
		{"loops added", "1 2\n1 1\n", Options{SelfLoops: AddSelfLoops}, "1 2", edgeMap{{"1", "2"}: 1, {"1", "1"}: 2, {"2", "2"}: 1}},
		{"loops dropped", "1 2\n1 1\n3 3\n", Options{SelfLoops: DropSelfLoops}, "1 2 3", edgeMap{{"1", "2"}: 1}},
		{"row-stochastic, loops added", "1 2\n1 3\n", Options{SelfLoops: AddSelfLoops, Degrees: sparse.RowStochastic}, "1 2 3", edgeMap{{"1", "1"}: 1. / 3, {"1", "2"}: 1. / 3, {"1", "3"}: 1. / 3, {"2", "2"}: 1, {"3", "3"}: 1}},
		{"in-degrees, loops added", "1 2\n3 2\n", Options{SelfLoops: AddSelfLoops, Degrees: sparse.ColumnStochastic}, "1 2 3", edgeMap{{"1", "1"}: 1, {"1", "2"}: 1. / 3, {"2", "2"}: 1. / 3, {"3", "2"}: 1. / 3, {"3", "3"}: 1}},
		{"symmetric", "1 2 4\n", Options{Degrees: sparse.SymmetricByDegrees}, "1 2", edgeMap{{"1", "2"}: 1}},
		{"list of nodes", "1 2\n0 1\n", Options{Nodes: []string{"9", "1"}}, "9 1 0 2", edgeMap{{"1", "2"}: 1, {"0", "1"}: 1}},
		{"list of texts", "a 10\n10 2\n", Options{Nodes: []string{"b"}}, "b a 10 2", edgeMap{{"a", "10"}: 1, {"10", "2"}: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := mustReadGraph(t, filetest.TempFile(t, "a.txt", test.text), test.o)
			if diff := cmp.Diff(test.edges, edgesOf(t, g)); diff != "" {
				t.Error(diff)
			}
			separator := " "
			if strings.Contains(test.nodes, "|") {
				separator = "|"
			} else if strings.Contains(test.nodes, ",") {
				separator = ","
			}
			if diff := cmp.Diff(strings.Split(test.nodes, separator), namesOf(g)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadGraphReports(t *testing.T) {
	g := mustReadGraph(t, filetest.TempFile(t, "a.csv", "src,dst,kind,weight\n1,2,a,1\n1,2,a,1\n2,2,b,1\n2,2,b,1\nx,1,b,1\n"), Options{Undirected: true})
	got := []any{g.Weighted, g.Edges, g.Duplicates, g.SelfLoops, g.MixedIDWarning}
	want := []any{true, int64(5), int64(3), int64(2), `2 ids are integers, but 1 are not, the first being "x"; all are taken as texts, in order of appearance`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	g = mustReadGraph(t, filetest.TempFile(t, "a.csv", "1,2\n2,1\n3,3\n3,3\n"), Options{SelfLoops: DropSelfLoops})
	got = []any{g.Weighted, g.Edges, g.Duplicates, g.SelfLoops, g.Adjacency.Value == nil, g.MixedIDWarning}
	want = []any{false, int64(4), int64(0), int64(2), true, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadGraphRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		o          Options
		words      []string
	}{
		{"empty", "", Options{}, []string{"no edges"}},
		{"comments only", "# a\n%\n\n", Options{}, []string{"no edges"}},
		{"header only", "src,dst\n", Options{}, []string{"no edges"}},
		{"long comments", strings.Repeat("# comment\n", 10000) + "1 2\n", Options{}, []string{"64 KiB hold no edge"}},
		{"one column", "1\n2\n", Options{}, []string{"one cell"}},
		{"ragged", "1,2\n\n# c\n3\n", Options{}, []string{"line 4", "1 cells", "has 2"}},
		{"ragged to the right", "a b\nc d 2\n", Options{}, []string{"line 2", "3 cells"}},
		{"missing target", "1,2\n3,\n", Options{}, []string{"line 2", "id of a node is missing"}},
		{"NaN", "1,2,3\n1,2,nan\n", Options{}, []string{"line 2", "weight is missing"}},
		{"no weight", "1,2,3\n1,2,\n", Options{}, []string{"line 2", "weight is missing"}},
		{"infinite", "1,2,3\n1,2,-inf\n", Options{}, []string{"line 2", `"-inf" is infinite`}},
		{"overflow", "1,2,3\n1,2,1e999\n", Options{}, []string{"line 2", "infinite"}},
		{"no number", "1,2,3\n1,2,x\n", Options{}, []string{"line 2", `"x" is not a number`}},
		{"hexadecimal", "1,2,3\n1,2,0x10\n", Options{}, []string{"not a number"}},
		{"inexact", "1,2,9007199254740993\n", Options{}, []string{"line 1", "2^53"}},
		{"overflowing sum", "1,2,1e308\n1,2,1e308\n", Options{}, []string{"add up to +Inf"}},
		{"negative with degrees", "1,2,1\n1,3,-1\n", Options{Degrees: sparse.RowStochastic}, []string{"line 2", "-1 is negative"}},
		{"four columns", "1,2,3,4\n", Options{}, []string{"4 columns", "none called weight"}},
		{"a header whose third column is no weight", "from,to,time\na,b,3\n", Options{}, []string{"3 columns, none called weight", "- for none"}},
		{"a header that is not told", "u,v,time\na,b,3\n", Options{}, []string{"line 1", `"time" is not a number`, "`Layout.Header`"}},
		{"simple with weights", "1,2,3\n", Options{Simple: true}, []string{"without weights"}},
		{"unknown column", "src,dst\n1,2\n", Options{Weight: "weigth"}, []string{`no column "weigth"`}},
		{"misspelt column", "src,dst,strength\n1,2,3\n", Options{Weight: "strenght"}, []string{`did you mean "strength"`}},
		{"column number", "1,2\n", Options{Source: "2"}, []string{`no column "2"`, "0 to 1"}},
		{"same column", "1,2\n", Options{Source: "1"}, []string{"different columns"}},
		{"NUL at first", "1,2\n\x00,3\n", Options{}, []string{"binary"}},
		{"NUL later", strings.Repeat("1,2\n", 20000) + "1,\x002\n", Options{}, []string{"line 20001", "no UTF-8"}},
		{"no UTF-8", "a,b\na,\xff\n", Options{}, []string{"line 2", "no UTF-8"}},
		{"no Shift-JIS", "a,b\na,\xfd\xfd\n", Options{Layout: text.Layout{Encoding: "shift_jis"}}, []string{"line 2", "shift_jis"}},
		{"no Shift-JIS later", strings.Repeat("a,b\n", 100000) + "a,\xfd\xfd\n", Options{Layout: text.Layout{Encoding: "shift_jis"}}, []string{": line 100001: bytes", "shift_jis"}},
		{"unknown encoding", "a,b\n", Options{Layout: text.Layout{Encoding: "klingon"}}, []string{"klingon", "latin1"}},
		{"Macintosh", "1 2\r3 4\r", Options{}, []string{"carriage returns"}},
		{"open quote", "a,b\n\"c,d\n", Options{}, []string{"line 2", "never closed"}},
		{"endless first line", strings.Repeat("1", text.HeadSize), Options{}, []string{"longer than 64 KiB"}},
		{"endless line", "1,2\n" + strings.Repeat("1", text.MaxLine+1), Options{}, []string{"line 2", "16 MiB"}},
		{"Parquet", "PAR1\x00\x00\x00\x00", Options{}, []string{"parquet", "CSV"}},
		{"zip", "PK\x03\x04\x00\x00", Options{}, []string{"zip"}},
		{"delimiter", "1,2\n", Options{Layout: text.Layout{Delimiter: "ab"}}, []string{"not one character"}},
		{"node listed twice", "1,2\n", Options{Nodes: []string{"1", "x", "1"}}, []string{"entry 2", `"1" is entry 0 too`}},
		{"empty node listed", "1,2\n", Options{Nodes: []string{""}}, []string{"entry 0", "missing"}},
		{"limit", "1,2\n", Options{Limit: 100}, []string{"1 edges between 2 nodes", "may use 100 B", "`Engine.Memory`"}},
		{"limit met early", strings.Repeat("1 2\n", 3*chunkEdges), Options{Limit: 1 << 20}, []string{"65536 edges", "may use 1.0 MiB"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filetest.TempFile(t, "a.txt", test.text)
			_, err := Read(context.Background(), path, test.o)
			filetest.WantError(t, err, append(test.words, path)...)
			if strings.Count(err.Error(), path) > 1 {
				t.Errorf("%v names the file twice", err)
			}
		})
	}
}

func TestReadGraphPlaces(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "edges.csv", "1,2\n")
	_, err := Read(context.Background(), filepath.Join(dir, "edgse.csv"), Options{})
	filetest.WantError(t, err, "did you mean", "edges.csv")
	if strings.Count(err.Error(), "edgse.csv") > 1 {
		t.Errorf("%v names the file twice", err)
	}
	_, err = Read(context.Background(), dir, Options{})
	filetest.WantError(t, err, dir)
	_, err = Read(context.Background(), "-", Options{})
	filetest.WantError(t, err, "standard input")
	g := mustReadGraph(t, "-", Options{Reader: strings.NewReader("1 2\n")})
	if g.Edges != 1 {
		t.Errorf("%d edges from the standard input", g.Edges)
	}
	_, err = Read(context.Background(), "-", Options{Reader: strings.NewReader("1 2\n3\n")})
	filetest.WantError(t, err, "standard input: line 2")
	_, err = Read(context.Background(), "-", Options{Reader: iotest.ErrReader(errors.New("broken pipe"))})
	filetest.WantError(t, err, "broken pipe")
}

// panicReader fails as libraries do on damaged files.
type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("index out of range") }

func TestReadGraphSurvivesPanics(t *testing.T) {
	_, err := Read(context.Background(), "-", Options{Reader: panicReader{}})
	filetest.WantError(t, err, "standard input", "damaged")
}

func TestReadGraphIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := filetest.TempFile(t, "a.csv", "1,2\n")
	if _, err := Read(ctx, path, Options{}); err != context.Canceled {
		t.Errorf("before: %v", err)
	}
	if _, err := ReadNodes(ctx, path, "", Options{}); err != context.Canceled {
		t.Errorf("nodes: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	endless := readerFunc(func(p []byte) (int, error) {
		if rand.IntN(20) == 0 {
			cancel()
		}
		return copy(p, "1 2\n"), nil
	})
	if _, err := Read(ctx, "-", Options{Reader: endless}); err != context.Canceled {
		t.Errorf("midway: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// packed compresses a text.
func packed(t testing.TB, text string) (gz, zst []byte) {
	t.Helper()
	var a, b bytes.Buffer
	g := gzip.NewWriter(&a)
	z, err := zstd.NewWriter(&b)
	_, err1 := g.Write([]byte(text))
	_, err2 := z.Write([]byte(text))
	if err := errors.Join(err, err1, err2, g.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return a.Bytes(), b.Bytes()
}

func TestReadGraphCompressed(t *testing.T) {
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for range 40000 {
		fmt.Fprintf(&text, "%d %d\n", r.IntN(1000), r.IntN(1000))
	}
	want := mustReadGraph(t, filetest.TempFile(t, "a.txt", text.String()), Options{})
	gz, zst := packed(t, text.String())
	for name, content := range map[string][]byte{"a.txt.gz": gz, "a.txt.zst": zst, "a": gz} {
		got := mustReadGraph(t, filetest.TempFile(t, name, string(content)), Options{})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, cut := range []int{8, len(content) / 2, len(content) - 30} {
			path := filetest.TempFile(t, name, string(content[:len(content)-cut]))
			_, err := Read(context.Background(), path, Options{})
			filetest.WantError(t, err, path, "cut short or damaged")
		}
		damaged := slices.Clone(content)
		damaged[len(damaged)/2] ^= 0x55
		if _, err := Read(context.Background(), filetest.TempFile(t, name, string(damaged)), Options{}); err == nil {
			t.Errorf("%s: damage goes unnoticed", name)
		}
	}
}

// TestReadGraphAgainstMaps compares many random files with a reading by
// strings.Fields and maps.
func TestReadGraphAgainstMaps(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		text, o := randomGraph(r)
		g := mustReadGraph(t, filetest.TempFile(t, "a.txt", text), o)
		want, listed := mapGraph(text, o)
		if diff := cmp.Diff(want, edgesOf(t, g), filetest.SameBits); diff != "" {
			t.Fatalf("seed %d, %+v: %s", seed, o, diff)
		}
		if g.Edges != listed {
			t.Fatalf("seed %d: %d edges, want %d", seed, g.Edges, listed)
		}
	}
}

// randomGraph returns an edge list with integer or text ids, with or without whole
// weights, and options.
func randomGraph(r *rand.Rand) (string, Options) {
	o := Options{Undirected: r.IntN(2) == 0, SelfLoops: SelfLoops(r.IntN(3)), Weight: "-"}
	prefix := []string{"", "v", "-", "9000000"}[r.IntN(4)]
	weighted := r.IntN(2) == 0
	if weighted {
		o.Weight = ""
	}
	nodes := 1 + r.IntN(40)
	var text strings.Builder
	for range 1 + r.IntN(200) {
		fmt.Fprintf(&text, "%s%d\t%s%d", prefix, 1+r.IntN(nodes), prefix, 1+r.IntN(nodes))
		if weighted {
			fmt.Fprintf(&text, "\t%d", r.IntN(9)-2)
		}
		text.WriteByte('\n')
	}
	return text.String(), o
}

// mapGraph reads an edge list without header, quotes and the like.
func mapGraph(text string, o Options) (edges edgeMap, listed int64) {
	edges = edgeMap{}
	nodes := map[string]bool{}
	for line := range strings.Lines(text) {
		cells := strings.Fields(line)
		weight := 1.0
		if len(cells) == 3 && o.Weight == "" {
			fmt.Sscan(cells[2], &weight)
		}
		listed++
		a, b := cells[0], cells[1]
		nodes[a], nodes[b] = true, true
		switch {
		case a == b && o.SelfLoops == DropSelfLoops:
			continue
		case a != b && o.Undirected:
			edges[[2]string{b, a}] += weight
		}
		edges[[2]string{a, b}] += weight
	}
	if o.SelfLoops == AddSelfLoops {
		for v := range nodes {
			edges[[2]string{v, v}]++
		}
	}
	return edges, listed
}

// TestReadGraphManyChunks has more edges than a chunk, with weights.
func TestReadGraphManyChunks(t *testing.T) {
	var text strings.Builder
	const n = 2*chunkEdges + 5
	for i := range n {
		fmt.Fprintf(&text, "%d,%d,%d\n", n-i, i, i)
	}
	g := mustReadGraph(t, filetest.TempFile(t, "a.csv", text.String()), Options{})
	if g.Edges != n || g.Adjacency.NNZ() != n || g.Adjacency.Rows != n+1 {
		t.Fatalf("%d edges, %d entries, %d nodes", g.Edges, g.Adjacency.NNZ(), g.Adjacency.Rows)
	}
	for e := range g.Adjacency.Entries() {
		if int(e.Row) != n-int(e.Col) || e.Value != float64(e.Col) {
			t.Fatalf("entry %+v", e)
		}
	}
}

func TestReadNodes(t *testing.T) {
	tests := []struct {
		name, text, column, nodes string
	}{
		{"labels", "node,label\n3,7\n1,2\n", "", "3 1"},
		{"no header", "3\n1\n", "", "3 1"},
		{"header above integers", "paper,class\n3,a\n1,b\n", "", "3 1"},
		{"named column", "class,paper\na,3\nb,1\n", "paper", "3 1"},
		{"numbered column", "a 3\nb 1\n", "1", "3 1"},
		{"id is not first", "label,id\nx,y\n", "", "y"},
		{"text", "a\nb\n", "", "a b"},
	}
	for _, test := range tests {
		got, err := ReadNodes(context.Background(), filetest.TempFile(t, "a.csv", test.text), test.column, Options{})
		if err != nil || strings.Join(got, " ") != test.nodes {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
	for _, test := range []struct {
		file, content string
		layout        text.Layout
		nodes         string
	}{
		{"a.csv", "; by x, y\n3\n;4\n1\n", text.Layout{Comment: ";"}, "3|1"},
		{"a.csv", "of x, y\n3\n1\n", text.Layout{Skip: 1}, "3|1"},
		{"a.csv", "2020\n3\n1\n", text.Layout{Header: true}, "3|1"},
		{"a.csv", "node\n3\n1\n", text.Layout{NoHeader: true}, "node|3|1"},
		{"a.csv", "a b,1\nc,2\n", text.Layout{Delimiter: ","}, "a b|c"},
		{"a.csv", "a b,1\nc\n", text.Layout{Delimiter: "none"}, "a b,1|c"},
		{"a.tsv", "a b,1\nc\n", text.Layout{}, "a b,1|c"},
		{"a.tsv", "a b,1\nc,2\n", text.Layout{Delimiter: ","}, "a b|c"},
	} {
		got, err := ReadNodes(context.Background(), filetest.TempFile(t, test.file, test.content), "", Options{Layout: test.layout})
		if err != nil || strings.Join(got, "|") != test.nodes {
			t.Errorf("%q with %+v: %q, %v", test.content, test.layout, got, err)
		}
	}
	for _, l := range []text.Layout{{Header: true, NoHeader: true}, {Skip: -1}, {Delimiter: "\n"}} {
		if _, err := ReadNodes(context.Background(), filetest.TempFile(t, "a.csv", "1\n"), "", Options{Layout: l}); err == nil {
			t.Errorf("%+v is read", l)
		}
	}
	path := filetest.TempFile(t, "a.csv", "node,label\n3,7\n1\n")
	_, err := ReadNodes(context.Background(), path, "", Options{})
	filetest.WantError(t, err, path, "line 3", "1 cells")
	_, err = ReadNodes(context.Background(), path, "nodes", Options{})
	filetest.WantError(t, err, path, `did you mean "node"`)
	path = filetest.TempFile(t, "b.csv", "node,label\n3,7\n,8\n4,\n")
	_, err = ReadNodes(context.Background(), path, "", Options{})
	filetest.WantError(t, err, path, "line 3", "the id of a node is missing")
	if words, err := ReadWords(context.Background(), path, "label", Options{}); err != nil || strings.Join(words, "|") != "7|8|" {
		t.Errorf("labels %q, %v", words, err)
	}
}

func TestReadGraphCora(t *testing.T) {
	path := filetest.RealData(t, "cora.edges.csv")
	nodes, err := ReadNodes(context.Background(), filetest.RealData(t, "cora.labels.csv"), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := mustReadGraph(t, path, Options{})
	listed := mustReadGraph(t, path, Options{Nodes: nodes})
	a := g.Adjacency
	if len(nodes) != 2708 || a.Rows != 2708 || listed.Adjacency.Rows != 2708 || g.Edges != 5429 || a.NNZ() != 5429 || a.Value != nil || g.Duplicates+g.SelfLoops != 0 {
		t.Errorf("%d nodes listed, %d and %d read, %d edges, %d entries", len(nodes), a.Rows, listed.Adjacency.Rows, g.Edges, a.NNZ())
	}
	if diff := cmp.Diff(edgesOf(t, g), edgesOf(t, listed)); diff != "" {
		t.Error(diff)
	}
	undirected := mustReadGraph(t, path, Options{Undirected: true, Simple: true})
	if n := undirected.Adjacency.NNZ(); n != 2*5429-302 { // 151 pairs cite each other
		t.Errorf("%d entries of the undirected graph", n)
	}
	looped := mustReadGraph(t, path, Options{SelfLoops: AddSelfLoops, Degrees: sparse.RowStochastic})
	for i, sum := range looped.Adjacency.RowSums() {
		if math.Abs(sum-1) > 1e-15*10 {
			t.Fatalf("row %d adds up to %v", i, sum)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A few bytes may ask for a table of small ids, not more.
func TestReadGraphAllocatesLittle(t *testing.T) {
	for _, text := range []string{"4194303 1\n", "1 2000000000\n", "9223372036854775807 3\n", "1 2\n"} {
		path := filetest.TempFile(t, "a.txt", text)
		if n := allocated(func() { mustReadGraph(t, path, Options{}) }); n > 40<<20 {
			t.Errorf("%q allocates %d bytes", text, n)
		}
	}
}

// TestReadGraphOverLimit: the error says what was needed, for both formats.
func TestReadGraphOverLimit(t *testing.T) {
	for name, text := range map[string]string{"a.txt": "1,2\n", "a.mtx": "%%MatrixMarket matrix coordinate real general\n1000 1000 1\n1 1 1\n"} {
		path := filetest.TempFile(t, name, text)
		_, err := Read(t.Context(), path, Options{Limit: 100})
		var over *stream.OverBudgetError
		if !errors.As(err, &over) || over.Limit != 100 || over.Need <= 100 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Read(t.Context(), path, Options{Limit: over.Need}); err != nil {
			t.Errorf("%s: %v with as much as it said it needs", name, err)
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	for _, seed := range []string{"src,dst\n1,2\n2,3\n", "# c\n1\t2\n-5\t9223372036854775808\n", "a b 1.5\nb a nan\n", "\"x\",\"y\"\"z\"\nx,1\n",
		"from;to;weight\n1;2;3\n", "\ufeff007 7\r\n7 -0", "1,2\n1,\x00\n", "a b\tc d\ne\tf\n", "1,2,3,4\n", "%%MatrixMarket\n1 2\n", "\x1f\x8b"} {
		f.Add(seed, uint8(len(seed)))
	}
	f.Fuzz(func(t *testing.T, content string, flags uint8) {
		o := Options{Layout: text.Layout{NoHeader: flags&4 != 0}, Undirected: flags&1 != 0, SelfLoops: SelfLoops(flags >> 1 & 1), Limit: 64 << 20}
		if flags&8 != 0 {
			o.Weight = "-"
		}
		checkReadGraph(t, content, o)
	})
}

// checkReadGraph reads any text as a graph, twice, and looks for contradictions.
func checkReadGraph(t *testing.T, text string, o Options) {
	t.Helper()
	path := filetest.TempFile(t, "a", text)
	g, err := Read(context.Background(), path, o)
	if err != nil {
		if errors.As(err, new(*fault.ReaderError)) {
			t.Fatal(err)
		}
		filetest.WantError(t, err, path)
		return
	}
	if g.Adjacency.Rows > 1<<20 {
		return
	}
	edges := edgesOf(t, g)
	if int64(len(edges)) != g.Adjacency.NNZ() {
		t.Fatalf("%d edges by name, %d by number: names are not unique", len(edges), g.Adjacency.NNZ())
	}
	again := mustReadGraph(t, path, o)
	if diff := cmp.Diff(g, again); diff != "" {
		t.Fatalf("read twice: %s", diff)
	}
	twice := *g.Adjacency.Transpose().Transpose()
	if diff := cmp.Diff(g.Adjacency.Index, twice.Index); diff != "" {
		t.Fatal(diff)
	}
	if o.NoHeader && o.Weight == noWeight && isPlain(text) {
		want, listed := mapGraph(text, o)
		if diff := cmp.Diff(want, edges); diff != "" || listed != g.Edges {
			t.Fatalf("%d edges, want %d: %s", g.Edges, listed, diff)
		}
	}
}

// isPlain reports whether a text needs no more than mapGraph to be read: two words a
// line, between blanks.
func isPlain(text string) bool {
	for line := range strings.Lines(text) {
		if len(strings.Fields(line)) != 2 || strings.ContainsAny(line, ",;|\"#%\ufeff\v\f\u0085\u00a0") || strings.ContainsFunc(line, func(r rune) bool { return r > 0x7f }) {
			return false
		}
	}
	return true
}

// TestOver checks that the edges to nodes of another graph come under their numbers
// there, and that the others are counted.
func TestOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.csv")
	if err := os.WriteFile(path, []byte("src,dst,weight\na,b,1\nb,c,2\nc,a,3\nc,b,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	g, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if same, strange, err := g.Reindex(g.Adjacency, g.IDs, g.Names); err != nil || same != g.Adjacency || strange != 0 {
		t.Errorf("over its own nodes: %v, %d, %v", same, strange, err)
	}
	rows, strange, err := g.Reindex(g.Adjacency, nil, []string{"x", "b", "a"}) // not c
	if err != nil || strange != 1 || rows.Rows != 3 || rows.Cols != 3 || rows.NNZ() != 3 {
		t.Fatalf("%v, %d, %v", rows, strange, err)
	}
	want := map[sparse.Entry]bool{{Row: 0, Col: 1, Value: 1}: true, {Row: 2, Col: 2, Value: 3}: true, {Row: 2, Col: 1, Value: 4}: true}
	for entry := range rows.Entries() {
		if !want[entry] {
			t.Errorf("entry %v", entry)
		}
	}
}

// Text in another encoding is read as in other files, compressed or not.
func TestEncoding(t *testing.T) {
	ctx := context.Background()
	wide := "\xff\xfe"
	for _, c := range "é,b\nb,日\n" {
		wide += string([]byte{byte(c), byte(c >> 8)})
	}
	for _, test := range []struct{ text, encoding, first, last string }{
		{"\xe9,b\nb,\xdf\n", "latin1", "é", "ß"},
		{"a,b\nb,\x93\xfa\n", "shift_jis", "a", "日"},
		{wide, "", "é", "日"},
	} {
		path := filetest.TempFile(t, "a.csv", test.text)
		g, err := Read(ctx, path, Options{Layout: text.Layout{Encoding: test.encoding}})
		if err != nil {
			t.Fatal(err)
		}
		if got := []string{test.first, "b", test.last}; !slices.Equal(g.Names, got) {
			t.Errorf("%s: %q, want %q", test.encoding, g.Names, got)
		}
		nodes, err := ReadNodes(ctx, path, "1", Options{Layout: text.Layout{Encoding: test.encoding}})
		if err != nil || !slices.Equal(nodes, []string{"b", test.last}) {
			t.Errorf("%s: %q, %v", test.encoding, nodes, err)
		}
	}
	_, err := Read(ctx, filetest.TempFile(t, "a.csv", "a,\xe9\n"), Options{})
	filetest.WantError(t, err, "line 1", "`Layout.Encoding latin1`")
}
