package main

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/matrix"
)

// A family needs one file and one line: fit, plan, transform, predict and inspect then support it.
func TestToyFamily(t *testing.T) {
	families = append(families, toyFamily)
	defer func() { families = families[:len(families)-1] }()
	folder := t.TempDir()
	in := func(name string) string { return folder + "/" + name }
	x := matrix.New(300, 3)
	for i := range x.Rows {
		copy(x.Data[3*i:], []float64{float64(i), 2, -float64(i % 3)})
	}
	if err := writeTable(in("x.csv"), []string{"a", "b", "c"}, x); err != nil {
		t.Fatal(err)
	}
	check := func(line string, wants ...string) {
		t.Helper()
		out := command(t, line)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not print %q:\n%s", line, want, out)
			}
		}
	}
	check("help fit", "  toy ")
	check("plan fit toy "+in("x.csv"), "plan: toy model of 300 rows", "sums", "means are quick: see --times", "passes over data")
	check("plan fit toy "+in("x.csv")+" --format json", `"method":"toy","rows":300,"columns":300,"dimension":3`, `"knob":"the number of --columns"`)
	check("fit toy "+in("x.csv")+" --factors "+in("u.csv")+" -o "+in("m.npz")+" --format json", `"method":"toy","rows":300,"columns":3,"dimension":3,"rank":3,"values":[149.5,2,-1]`,
		`"passes":{"data":2}`, `"notes":["--times was 1"]`)
	check("inspect "+in("m.npz"), "toy model of means, 300 × 3", "3, a, b, c", "nulls: error; not scaled", "float64 [3]")
	check("inspect "+in("m.npz")+" --format json", `{"format":"nystream model","version":1,"method":"toy","rows":300,"made":{`, `"data":{"columns":["a","b","c"],"nulls":"error","files":[{"file":"u.csv",`, `}]},"dimension":3`)
	check("transform "+in("m.npz")+" "+in("x.csv")+" -o "+in("u2.csv"), "3 of the embedding")
	check("predict "+in("m.npz")+" "+in("x.csv")+" --label b -o "+in("p.csv"), "0 (149), 1 (100), 2 (51)", "accuracy    0.1700 ± 0.0238 (micro F1), of 300 labelled rows")
	u, again := table(t, in("u.csv"), "off"), table(t, in("u2.csv"), "off")
	if u.Rows != 300 || u.Cols != 3 || math.Abs(u.Data[3]-(1-149.5)) > 1e-9 || difference(u, again) != 0 {
		t.Errorf("%d × %d rows, %v", u.Rows, u.Cols, u.Data[:6])
	}
	for line, want := range map[string]string{
		"fit toy -o " + in("n.npz"):                                                        "no data",
		"fit toy " + in("x.csv") + " --times 0 -o " + in("n.npz"):                          "--times must be above 0",
		"fit toy " + in("x.csv"):                                                           "-o is missing",
		"transform " + in("m.npz") + " " + in("x.csv") + " --side right -o " + in("v.csv"): "means have one side",
		"verify " + in("m.npz") + " " + in("x.csv"):                                        "does not measure toy models: means are what they are",
	} {
		fails(t, strings.Fields(line), nil, io.Discard, app.ExitUsage, want)
	}
	if _, err := archive.Read(in("n.npz")); err == nil {
		t.Error("a model was written")
	}
}
