package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// command runs a command line that must succeed and returns its output.
func command(t *testing.T, line string) string {
	t.Helper()
	var out, messages strings.Builder
	if code := run(t.Context(), strings.Fields(line), nil, &out, &messages); code != app.ExitOK {
		t.Fatalf("%s: exit code %d, %s", line, code, messages.String())
	}
	return out.String()
}

// table reads the columns of a file whose names begin with the given letter, u or v.
func table(t *testing.T, path, letter string) blas64.General {
	t.Helper()
	src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Columns: []string{letter + "*"}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := stream.InMemory(t.Context(), src, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := matrix.New(int(src.Info().Rows), len(src.Info().Columns))
	number := make([]int64, x.Rows)
	for i := range number {
		number[i] = int64(i)
	}
	if err := rows.Gather(t.Context(), number, &stream.Batch{X: x}); err != nil {
		t.Fatal(err)
	}
	return x
}

// difference returns the largest difference between two tables, relative to the largest entry.
func difference(a, b blas64.General) float64 {
	if a.Rows != b.Rows || a.Cols != b.Cols || a.Rows == 0 {
		return math.NaN()
	}
	most, off := 0.0, 0.0
	for i := range a.Data {
		most = math.Max(most, math.Abs(a.Data[i]))
		off = math.Max(off, math.Abs(a.Data[i]-b.Data[i]))
	}
	return off / most
}

// writeGraph writes a random weighted directed graph, in which some nodes have no incoming or outgoing edges.
func writeGraph(t *testing.T, path string, nodes, edges int) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("src,dst,weight\n")
	for range edges {
		fmt.Fprintf(&b, "n%d,n%d,%g\n", random.IntN(nodes), random.IntN(nodes*2/3)+random.IntN(nodes/3), 0.5+random.Float64())
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// ksvdFiles writes the data of the tests: x.csv, q.csv and k.csv of 4 columns, a square matrix, and a graph.
func ksvdFiles(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	random := rand.New(rand.NewPCG(1, 7))
	for _, f := range []struct {
		name       string
		rows, cols int
	}{{"x.npy", 120, 12}, {"wide.npy", 9, 80}, {"q.npy", 130, 4}, {"k.npy", 110, 4}, {"square.npy", 60, 60}} {
		if err := writeTable(folder+"/"+f.name, rows.Numbered("x", f.cols), randomMatrix(random, f.rows, f.cols)); err != nil {
			t.Fatal(err)
		}
	}
	writeGraph(t, folder+"/g.csv", 90, 400)
	return folder
}

// transform gives the rows of the fit the same vectors as the factor files, on both sides.
func TestKSVDTransform(t *testing.T) {
	t.Parallel()
	folder := ksvdFiles(t)
	for _, c := range []struct{ data, right, flags string }{
		{"x.npy", "", "--kernel sne(gamma=2) --method exact"},
		{"x.npy", "", "--kernel rbf(gamma=0.5) --compat pca --method exact --center"},
		{"wide.npy", "", "--kernel t() --compat random --method exact"},
		{"x.npy", "", "--kernel sne(gamma=1) --compat pca --landmarks 12 --scale standard"},
		{"q.npy", "k.npy", "--kernel sne(gamma=2) --landmarks 40"},
		{"q.npy", "k.npy", "--kernel softmax() --landmarks 40 --center --sums sampled --scaling unit"},
		{"q.npy", "k.npy", "--kernel softmax() --landmarks 40,30 --center --sums exact --scaling orthonormal --scale minmax"},
		{"q.npy", "k.npy", "--kernel kl(a=1) --landmarks 40"},
		{"q.npy", "k.npy", "--kernel laplace(gamma=1) --method ssrsvd"},
		{"q.npy", "q.npy", "--kernel t() --method exact --center"},
		{"square.npy", "", "--kernel sne(gamma=4) --method exact"},
		{"g.csv", "graph", "--kernel sne(gamma=2) --method exact --self-loops add"},
		{"g.csv", "graph", "--kernel rbf(gamma=0.5) --method exact --center"},
		{"g.csv", "graph", "--kernel sne(gamma=2) --landmarks 60 --degrees row --scaling orthonormal"},
		{"g.csv", "graph", "--kernel sne(gamma=2) --landmarks 60 --center --undirected --degrees symmetric"},
		{"g.csv", "graph", "--kernel softmax(scale=0.2) --landmarks 60 --sums sampled --weight - --simple"},
	} {
		data, left, right := folder+"/"+c.data, folder+"/"+c.data, folder+"/"+c.right
		fit, transform := data, ""
		switch c.right {
		case "":
			right = folder + "/turned.npy"
			x := table(t, data, "x")
			turned := matrix.New(x.Cols, x.Rows)
			for i := range x.Data {
				turned.Data[i%x.Cols*x.Rows+i/x.Cols] = x.Data[i]
			}
			if err := writeTable(right, rows.Numbered("x", x.Rows), turned); err != nil {
				t.Fatal(err)
			}
		case "graph":
			fit, right = "--graph "+data, data
			if strings.Contains(c.flags, "--weight -") {
				transform = "--weight -"
			}
		default:
			fit += " --right " + right
		}
		command(t, fmt.Sprintf("fit ksvd %s %s --rank 4 -o %s/m.npz --left-factors %s/U.csv --right-factors %s/V.csv", fit, c.flags, folder, folder, folder))
		command(t, fmt.Sprintf("transform %s/m.npz %s %s -o %s/U2.csv", folder, left, transform, folder))
		if d := difference(table(t, folder+"/U.csv", "u"), table(t, folder+"/U2.csv", "u")); !(d < 1e-7) {
			t.Errorf("%s: U differs by %v", c, d)
		}
		if strings.Contains(c.flags, "--scale standard") {
			continue // columns of a matrix are not scaled by transform
		}
		command(t, fmt.Sprintf("transform %s/m.npz %s %s --side right -o %s/V2.csv", folder, right, transform, folder))
		if d := difference(table(t, folder+"/V.csv", "v"), table(t, folder+"/V2.csv", "v")); !(d < 1e-7) {
			t.Errorf("%s: V differs by %v", c, d)
		}
	}
}

// A new node is embedded by its edges: one with the edges of a known node gets its vectors.
func TestKSVDNewNode(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"g.csv":   "src,dst,w\na,b,1\nb,c,2\nb,d,1\nc,a,1\nd,a,1\na,c,3\ne,b,1\n",
		"new.csv": "src,dst,w\nb2,c,2\nb2,d,1\nb2,nobody,7\n",
		"in.csv":  "src,dst,w\nb,c2,2\na,c2,3\n",
	} {
		if err := os.WriteFile(folder+"/"+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command(t, fmt.Sprintf("fit ksvd --graph %s/g.csv --kernel sne(gamma=1) --rank 2 -o %s/m.npz --left-factors %s/U.csv --right-factors %s/V.csv", folder, folder, folder, folder))
	for _, c := range []struct{ file, side, letter, factors, known, fresh string }{
		{"new.csv", "left", "u", "U.csv", "b", "b2"}, {"in.csv", "right", "v", "V.csv", "c", "c2"},
	} {
		command(t, fmt.Sprintf("transform %s/m.npz %s/%s --side %s -o %s/out.csv", folder, folder, c.file, c.side, folder))
		want, got := rowOf(t, folder+"/"+c.factors, c.known), rowOf(t, folder+"/out.csv", c.fresh)
		for j := range want {
			if math.Abs(want[j]-got[j]) > 1e-9 {
				t.Errorf("%s: %v is %v, and %v is %v", c.side, c.known, want, c.fresh, got)
			}
		}
	}
}

// rowOf returns the numbers in the row of a node.
func rowOf(t *testing.T, path, node string) (row []float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if cells[len(cells)-1] != node {
			continue
		}
		for _, cell := range cells[:len(cells)-1] {
			var v float64
			if _, err := fmt.Sscan(cell, &v); err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		return row
	}
	t.Fatalf("%s has no node %s", path, node)
	return nil
}

// Models with contradictory contents and a valid digest are refused, and so are flipped bytes.
func TestKSVDDamagedModels(t *testing.T) {
	t.Parallel()
	folder := ksvdFiles(t)
	models := map[string]string{"rows.npz": folder + "/q.npy", "graph.npz": folder + "/g.csv"}
	command(t, fmt.Sprintf("fit ksvd %s/q.npy --right %s/k.npy --kernel sne(gamma=2) --landmarks 30 --center --rank 3 --scale standard -o %s/rows.npz", folder, folder, folder))
	command(t, fmt.Sprintf("fit ksvd --graph %s/g.csv --kernel sne(gamma=2) --landmarks 30 --rank 3 -o %s/graph.npz", folder, folder))
	refused := func(what, path, data string) {
		t.Helper()
		refuses(t, what, path, data)
	}
	bad := folder + "/bad.npz"
	for name, data := range models {
		file, err := archive.Read(folder + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range file.Arrays {
			if strings.HasSuffix(a.Name, "landmark_rows") {
				continue // looked at by nobody
			}
			short := *file
			short.Arrays = append([]array.Array{}, file.Arrays...)
			short.Arrays[i] = shortened(a)
			if err := archive.Write(bad, &short); err != nil {
				t.Fatal(err)
			}
			refused(name+" with a shorter "+a.Name, bad, data)
		}
		for _, edit := range [][2]string{{`"input": "`, `"input": "no`}, {`"version": 1`, `"version": 2`}, {`"rank": 3`, `"rank": 4`}, {`"kernel": "sne`, `"kernel": "sme`},
			{`"input": "sources"`, `"input": "graph"`}, {`"input": "graph"`, `"input": "matrix"`}, {`"degrees": "none"`, `"degrees": "some"`}, {`"nulls": "error"`, `"nulls": "x"`}} {
			meta := strings.Replace(string(file.Meta), edit[0], edit[1], 1)
			if meta == string(file.Meta) {
				continue
			}
			if err := archive.Write(bad, &archive.Archive{Meta: []byte(meta), Arrays: file.Arrays}); err != nil {
				t.Fatal(err)
			}
			refused(name+" with "+edit[1], bad, data)
		}
		whole, err := os.ReadFile(folder + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/40 {
			damaged := append([]byte{}, whole...)
			damaged[at] ^= 4
			if err := os.WriteFile(bad, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			refused(fmt.Sprintf("%s with byte %d flipped", name, at), bad, data)
		}
	}
}

// shortened returns an array with one row or number less.
func shortened(a array.Array) array.Array {
	a.Shape = append([]int{a.Shape[0] - 1}, a.Shape[1:]...)
	if a.Ints != nil {
		a.Ints = a.Ints[:a.Shape[0]]
		return a
	}
	n := a.Shape[0]
	if len(a.Shape) == 2 {
		n *= a.Shape[1]
	}
	a.Floats = a.Floats[:n]
	return a
}

// The passes and kernel entries of a plan are those of the fit.
func TestKSVDPlan(t *testing.T) {
	t.Parallel()
	folder := ksvdFiles(t)
	for _, line := range []string{
		folder + "/x.npy --kernel t() --rank 3 --landmarks 12",
		folder + "/q.npy --right " + folder + "/k.npy --kernel rbf(gamma=1) --rank 3 --landmarks 40",
		folder + "/q.npy --right " + folder + "/k.npy --kernel rbf(gamma=1) --rank 3 --landmarks 40 --scaling unit",
	} {
		var plan, fit struct {
			Passes        map[string]int `json:"passes"`
			KernelEntries int64          `json:"kernel_entries"`
		}
		mustDecode(t, command(t, "plan fit ksvd "+line+" --format json"), &plan)
		mustDecode(t, command(t, "fit ksvd "+line+" --format json -o "+folder+"/m.npz"), &fit)
		if fmt.Sprint(plan) != fmt.Sprint(fit) {
			t.Errorf("%s: planned %v, took %v", line, plan, fit)
		}
	}
}

// mustDecode decodes JSON and fails the test on an error.
func mustDecode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
