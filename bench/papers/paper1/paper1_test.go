package paper1

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/solvers/nyblas"

	"gonum.org/v1/gonum/blas/blas64"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

func someResults() []result {
	var rows []result
	for seed := 1; seed <= 2; seed++ {
		for i, name := range []string{ssrSVD, paperShift, "landmark", "a method of the past"} {
			r := result{key: key{Data: "abalone", Rows: 4177, Word: "csrbf", Method: name, C: 25, Seed: seed}, Dimension: 8, Kernel: "csrbf(sigma2=10, theta=9.5, v=5)",
				Spectral: float64(seed+i) / 10, Frobenius: 0.5, Estimate: 0.25 * float64(seed), Rank: 25 - seed, EntriesPerRow: 333.5, Shift: 1e-9, Seconds: 0.25, Steps: 17}
			if seed > 1 {
				r.Seconds = math.NaN()
			}
			rows = append(rows, r)
		}
	}
	rows[3].Estimate = math.NaN()
	return rows
}

// reopen closes results and opens their file.
func reopen(t *testing.T, r *results) *results {
	t.Helper()
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	again, err := openResults(r.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestResultsRoundTrip: rows come back as they were, and rows added later follow.
func TestResultsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	r, err := openResults(path)
	if err != nil {
		t.Fatal(err)
	}
	want := someResults()
	for _, part := range [][]result{want[:3], want[3:]} {
		if err := r.add(part); err != nil {
			t.Fatal(err)
		}
		r = reopen(t, r)
	}
	if diff := cmp.Diff(want, r.rows, cmpopts.EquateNaNs(), cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
	if !r.seen[want[5].key] || r.seen[key{}] {
		t.Error("what was measured is not known")
	}
}

// TestResultsCut: of a file that was cut anywhere, whole rows are left.
func TestResultsCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	r, err := openResults(path)
	if err != nil {
		t.Fatal(err)
	}
	want := someResults()
	if err := r.add(want); err != nil {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 0; size <= len(whole); size += 13 {
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := openResults(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		left := len(r.rows)
		if lines := strings.Count(string(whole[:size]), "\n"); left != max(0, lines-1) {
			t.Errorf("cut at %d: %d rows of %d lines", size, left, lines)
		}
		if err := r.add(want[left:]); err != nil {
			t.Fatal(err)
		}
		if r = reopen(t, r); !cmp.Equal(want, r.rows, cmpopts.EquateNaNs(), cmp.AllowUnexported(result{})) {
			t.Errorf("cut at %d: the rows differ once they are added again", size)
		}
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResultsDamaged: a row that means nothing is an error with its place.
func TestResultsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	bad := strings.Join(header, ",") + "\n" + strings.Join(someResults()[0].record()[:4], ",") + ",x" + strings.Repeat(",1", len(header)-5) + "\n"
	if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openResults(path); err == nil || !strings.Contains(err.Error(), "row 0: c:") {
		t.Errorf("error %v", err)
	}
}

// TestTable: means, the worst, ratios and times of known rows.
func TestTable(t *testing.T) {
	f := &floors{known: map[floorKey]floor{{"abalone", "csrbf", 4177, 25}: {0.03, 1e-3}}}
	text := newTable(someResults(), f).markdown()
	for _, want := range []string{
		"| 25 | *floor* | | | | *0.03 ± 1e-03* | | 0.2 | | | |",
		"| 25 | ssrSVD | 2 | 23 | 334 | 0.15 | 0.2 | 1 | 0.5 | 0.50 – 1.00 | 0.250 |",
		"| 25 | S3SPSD paper | 2 | 23 | 334 | 0.25 | 0.3 | 1.67 | 0.5 | 0.50 – 1.00 | 0.250 |",
		"| abalone | csrbf | landmark | 2.33 |",
		"| data, kernel, c | floor | `ssrsvd` | `s3spsd --shift paper` | seeds |",
		"| abalone csrbf, 25 | .03 | .15 (.2) / .5 | .25 (.3) / .5 | 2 |",
		"| a method of the past | 1 | 100.0 % | 1.00 | 1.00 | 1.00 |",
		"## abalone, `csrbf(sigma2=10, theta=9.5, v=5)`, 4,177 × 8",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table has no line %s:\n%s", want, text)
		}
	}
}

// TestErrorsOfOneRow: the cells of a row are of the seeds that all its methods have.
func TestErrorsOfOneRow(t *testing.T) {
	rows := someResults()
	for i := range rows {
		rows[i].Data, rows[i].Shift = uniform, 0.5
	}
	rows = append(rows[:4], rows[5:]...) // without the second seed of ssrSVD
	text := newTable(rows, &floors{known: map[floorKey]floor{}}).errors()
	if want := "| 4,177 | shift .5: .1 (.1) / .5 | shift .5: .2 (.2) / .5 | 1 |"; !strings.Contains(text, want) {
		t.Errorf("no line %s:\n%s", want, text)
	}
}

// TestTogether: groups stay within memory and the most models, and take at least one.
func TestTogether(t *testing.T) {
	m := &measurement{options: &options{memory: 16 * 1000 * 10 * 3}}
	var jobs []*job
	for range 200 {
		jobs = append(jobs, &job{result: result{key: key{Rows: 1000, C: 10}}})
	}
	for memory, want := range map[int64]int{0: 1, 16 * 1000 * 10 * 3: 3, 1 << 40: mostModels} {
		m.options.memory = memory
		if got := m.together(jobs); got != want {
			t.Errorf("%d bytes: %d models, want %d", memory, got, want)
		}
	}
	if got := m.together(jobs[:5]); got > 5 {
		t.Errorf("%d of 5", got)
	}
}

// TestSettings: the kernels of the paper.
func TestSettings(t *testing.T) {
	for _, c := range []struct{ data, word, want string }{
		{"satimage", "rbf", "rbf(sigma2=0.2)"}, {"abalone", "rbf", "rbf(sigma2=0.02)"}, {"a9a", "rbf", "rbf(sigma2=2.5)"}, {"usps", "rbf", "rbf(sigma2=0.2)"},
		{"usps", "csrbf", "csrbf(sigma2=1000)"}, {"letter", "csrbf", "csrbf(sigma2=10)"}, {"mushrooms", "csrbf", "csrbf(sigma2=1000)"},
	} {
		if got, err := kernelsOf(c.data, c.word); err != nil || got != c.want {
			t.Errorf("%s, %s: %s, %v, want %s", c.data, c.word, got, err, c.want)
		}
	}
	k, err := problem{text: "csrbf(sigma2=10)"}.resolved(datasets.Uniform(5, 8, 1))
	if err != nil || k.String() != fmt.Sprintf("csrbf(sigma2=10, theta=%v, v=5)", 3*math.Sqrt(10)) {
		t.Errorf("%s, %v: θ = 3σ and v = ⌈(d+1)/2⌉ are the paper's", k, err)
	}
}

// TestRun measures a small file, goes on with more seeds, and writes all files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	x := datasets.Uniform(400, 3, 1)
	var text strings.Builder
	text.WriteString("a,b,c\n")
	for i := range x.Rows {
		row := x.Data[i*3:]
		fmt.Fprintf(&text, "%g,%g,%g\n", row[0], row[1], row[2])
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	run := func(seeds string, more ...string) []result {
		o, err := parseOptions(append([]string{"-out", out, "-file", path, "-kernel", "rbf(gamma=median)", "-c", "5,10,500", "-seeds", seeds,
			"-methods", "ssrSVD,S3SPSD paper,landmark,subspace"}, more...))
		if err != nil {
			t.Fatal(err)
		}
		if err := run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		r, err := openResults(filepath.Join(out, "results.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
		return r.rows
	}
	first := run("1")
	rows := run("2", "-only", "uniform", "-growth", "300,600")
	if diff := cmp.Diff(first, rows[:len(first)], cmpopts.EquateNaNs(), cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("rows measured before changed: %s", diff)
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Data+" "+r.Method]++
		if !(r.Spectral > 0 && (r.Spectral < 1 || r.Method == paperShift) && r.Frobenius > 0 && r.EntriesPerRow > 0) || r.C == 500 {
			t.Errorf("%+v", r)
		}
	}
	for _, want := range []string{"rows.csv ssrSVD", "rows.csv subspace", "rows.csv subspace no shift", "uniform subspace no shift"} {
		if !strings.Contains(fmt.Sprint(counts), want+":4") {
			t.Errorf("%s: not 4 results: %v", want, counts)
		}
	}
	f, err := openFloors(filepath.Join(out, "floors.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if floor := f.known[floorKey{r.Data, r.Word, r.Rows, r.C}].Value; r.Method == "subspace no shift" && r.Data != uniform && !(r.Spectral > 0.999*floor && r.Spectral < 1.1*floor) {
			t.Errorf("c = %d: error %g without a shift, the floor is %g", r.C, r.Spectral, floor)
		}
	}
	for _, name := range []string{"table.md", "files.svg", "figure4.svg"} {
		if data, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(data), "subspace") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
