package text

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

func mustOpenARFF(t testing.TB, content string) column.Table {
	t.Helper()
	tb, err := OpenARFF(context.Background(), filetest.TempFile(t, "a.arff", content))
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

const arffSample = `% a comment
@RELATION 'some thing'

@attribute 'sepal length' REAL
@attribute n integer
@attribute "class"{Iris-setosa, 'Iris 2', "it\'s"}
@ATTRIBUTE s string
@attribute d date "yyyy-MM-dd"
@attribute whole numeric
@data
5.1, 3, Iris-setosa, 'a, b', "2001-04-03", 4
% within
?,?,?,?,?,?
-1e3,	9007199254740993, 'Iris 2', '' , 2001-04-03 ,5
{0 2.5, 2 'it\'s', 3 "x\ty"}
{}
`

// Dense and sparse rows, with everything that quotes may hold.
func TestARFF(t *testing.T) {
	tb := mustOpenARFF(t, arffSample)
	var kinds []string
	for _, c := range tb.About().Columns {
		kinds = append(kinds, c.Name+" "+c.Kind.String())
	}
	if diff := cmp.Diff([]string{"sepal length number", "n integer", "class text", "s text", "d text", "whole integer"}, kinds); diff != "" {
		t.Fatal(diff)
	}
	src, err := column.Choose(tb, []int{5, 0}, []int{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	if diff := cmp.Diff([][]float64{{4, 5.1}, {nan, nan}, {5, -1e3}, {0, 2.5}, {0, 0}}, rows, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{3, 0, 9007199254740993, 0, 0}, kept[0].Ints); diff != "" || !kept[0].Null(1) || kept[0].Null(3) {
		t.Error(diff)
	}
	for k, want := range [][]string{{"Iris-setosa", "", "Iris 2", "it's", "Iris-setosa"}, {"a, b", "", "", "x\ty", ""}, {"2001-04-03", "", "2001-04-03", "", ""}} {
		if diff := cmp.Diff(want, kept[k+1].Strings); diff != "" {
			t.Error(diff)
		}
	}
	if !kept[2].Null(1) || kept[2].Null(2) || !kept[2].Null(4) {
		t.Error("the nulls of s:", kept[2].Valid)
	}
	filetest.CheckGather(t, src)
}

func TestARFFRefuses(t *testing.T) {
	head := "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n"
	for content, want := range map[string][]string{
		"":                            {"no line @data"},
		"a,b\n1,2\n":                  {"line 1", "@relation"},
		"@relation r\n@data\n1\n":     {"no attributes"},
		"@attribute a\n@data\n":       {"line 1", "NAME TYPE"},
		"@attribute a int\n@data\n":   {`"int"`, "not known"},
		"@attribute a {x\n@data\n":    {"do not end"},
		"@attribute a relational\n":   {"relational", "flat"},
		head + "1,x\n2\n":             {"line 6", "1 values", "2 attributes"},
		head + "1,x\n2,x,3\n":         {"line 6", "3 values"},
		head + "1,z\n":                {"line 5", `"z"`, `"c"`},
		head + "1,'x\n":               {"line 5", "quotes"},
		head + "1,'x'y\n":             {"line 5", "closing quote"},
		head + "{0 1,2 x}\n":          {"line 5", `"2"`, "0 to 1"},
		head + "{1 x,0 1}\n":          {"ascending"},
		head + "{0 1}, {5}\n":         {"line 5"},
		head + "{0}\n":                {"line 5", "number of an attribute"},
		"@attribute \xe9 real\n@data": {"line 1", "0xe9", "`encoding latin1`"},
	} {
		_, err := OpenARFF(context.Background(), filetest.TempFile(t, "a.arff", content))
		filetest.WantError(t, err, append(want, "a.arff")...)
	}
	tb := mustOpenARFF(t, head+"1,x\nabc,y\n")
	if tb.About().Columns[0].Kind != column.Text || !strings.Contains(tb.About().Spoiled[0], `line 6: "abc"`) {
		t.Error(tb.About().Columns, tb.About().Spoiled)
	}
}

// Rows between blanks alone, as Weka takes them too.
func TestARFFBlanks(t *testing.T) {
	tb := mustOpenARFF(t, "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {x, 'y z'}\n@data\n1 2\t'y z'\n 3  4 x \n")
	rows, kept, err := filetest.Slurp(filetest.ChooseAll(t, tb), 3)
	if diff := cmp.Diff([][]float64{{1, 2}, {3, 4}}, rows); diff != "" || err != nil || !cmp.Equal([]string{"y z", "x"}, kept[0].Strings) {
		t.Error(diff, err, kept)
	}
}

// What SciPy reads of the same file.
func TestARFFSciPy(t *testing.T) {
	var b strings.Builder
	b.WriteString("@relation r\n@attribute a real\n@attribute 'b c' numeric\n@attribute k {u,v}\n@data\n")
	for i := range 50 {
		fmt.Fprintf(&b, "%g, %d,%s\n", float64(i)/3, i*i, []string{"u", "v", "?"}[i%3])
	}
	path := filetest.TempFile(t, "a.arff", b.String())
	out := t.TempDir() + "/said"
	filetest.Python(t, `
import sys
try:
    from scipy.io import arff
except ImportError:
    sys.exit(0)
data, meta = arff.loadarff(sys.argv[1])
with open(sys.argv[2], "w") as f:
    for r in data:
        f.write("%r %r %s\n" % (float(r[0]), float(r[1]), r[2].decode()))
`, path, out)
	said, err := os.ReadFile(out)
	if err != nil {
		t.Skip("python3 has no scipy, which pip install scipy brings")
	}
	tb, err := OpenARFF(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(filetest.ChooseAll(t, tb), 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(said)), "\n") {
		var x, y float64
		var k string
		if _, err := fmt.Sscan(line, &x, &y, &k); err != nil {
			t.Fatal(line, err)
		}
		if k = strings.Join(strings.Fields(line)[2:], " "); k == "?" {
			k = ""
		}
		if rows[i][0] != x || rows[i][1] != y || kept[0].Strings[i] != k {
			t.Fatalf("row %d: %v %q, SciPy says %s", i, rows[i], kept[0].Strings[i], line)
		}
	}
}

func TestARFFConcurrency(t *testing.T) {
	var b strings.Builder
	b.WriteString("@relation r\n@attribute a real\n@attribute k {u,v}\n@data\n")
	for i := range 1200 {
		if i%2 == 0 {
			fmt.Fprintf(&b, "%d,u\n", i)
		} else {
			fmt.Fprintf(&b, "{0 %d, 1 v}\n", i)
		}
	}
	filetest.CheckConcurrency(t, []byte(b.String()), OpenARFF)
}

func FuzzARFF(f *testing.F) {
	for _, seed := range []string{arffSample, "@attribute a{x}\n@data\nx\n{}\n", "@attribute 'a' real\n@data\n{0 1}\n2\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		tb, err := OpenARFF(context.Background(), filetest.TempFile(t, "a.arff", content))
		if err != nil {
			return
		}
		filetest.CheckPromise(t, tb)
	})
}
