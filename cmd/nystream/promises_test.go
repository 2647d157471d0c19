package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/family/lowrank"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// promise is a sentence of README, docs or help, and the test that holds it.
type promise struct {
	says  string // the sentence, verbatim
	page  string // path from the root of the repository
	check func(t *testing.T)
}

var promises = []promise{
	{"The fit estimates its error from held-out rows and columns.", "docs/methods.md", ksvdErrors},
	{"Each low-rank fit estimates the error of its matrix", "README.md", estimates},
	{"A report warns if the kernel is so narrow that no low-rank model exists.", "README.md", saysWhatIsNarrow},
	{"**Flat memory.**", "README.md", memoryStaysFlat},
	{"A fit with `--memory 512MiB` that needs more is refused before it starts.", "README.md", refusesBeforeItStarts},
	{"Bad input is an error that names file, row and column. No output is left half written.", "README.md", namesBadInput},
	{"The fit tries four kernels and several penalties in one pass and reports the cross-validated error.", "README.md", triesFourKernels},
	{"Where the error is not known the report says why, and JSON has `null` with a `reason`", "docs/accuracy.md", errorOfEveryFamily},
	{"\"As published\" is `--leverage-rows 0`; the last column has the default core.", "docs/accuracy.md", asGoodAsPublished},
	{"RMSE, R² and accuracy have standard errors.", "docs/methods.md", standardErrors},
	{"`nystream plan fit METHOD` prints memory, passes and kernel entries before any work.", "docs/methods.md", costsOfTable},
	{"`plan` prints the rounds, such as `2: scan, fit` with `--scale standard`, or why a fit cannot be shared", "docs/distributed.md", roundsOrWhyNot},
	{"With --tol instead of --rank, the rank is the smallest whose estimated error, plus a fifth of it, is within the tolerance.", "cmd/nystream/internal/flags/help/fit_landmark.txt", smallestRank},
	{"With landmark and ssrsvd models an embedding does not depend on the position.", "cmd/nystream/internal/flags/help/transform.txt", ignoresPosition},
	{"predicted_lower and predicted_upper, between which nine of ten new numbers lie", "cmd/nystream/internal/flags/help/predict.txt", coversNineOfTen},
	{"B = I/n is cross-covariance", "cmd/nystream/internal/flags/help/fit_operator.txt", identityIsCrossCovariance},
	{"These three and kl are asymmetric: they are for fit landmark, ssrsvd, auto, ksvd and askls. fit transport takes kl too. relative is for fit ism",
		"cmd/nystream/internal/flags/topics/kernels.txt", takesEveryKernel},
}

// TestPromises checks sentences of the documentation that no other test covers, and that pages still contain them.
func TestPromises(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writePromised(t)
	for _, p := range promises {
		t.Run(filepath.Base(p.page)+": "+p.says, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(root, p.page))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), p.says) {
				t.Fatalf("%s does not say it", p.page)
			}
			p.check(t)
		})
	}
}

// writePromised writes x.csv and z.csv, 120 and 80 rows of numbers a and b with a target y and a class c, and a graph.
func writePromised(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := func(path string, rows int) {
		text := "a,b,y,c\n"
		for range rows {
			a, b := random.Float64(), random.Float64()
			text += fmt.Sprintf("%v,%v,%v,%s\n", a, b, math.Sin(4*a)+b+0.1*random.NormFloat64(), []string{"p", "q"}[int(a+b)])
		}
		writeText(t, path, text)
	}
	table("x.csv", 120)
	table("z.csv", 80)
	edges, labels := "source,target\n", "node,label\n"
	for i := range 60 {
		labels += fmt.Sprintf("%d,%s\n", i, []string{"u", "v"}[i%2])
		for j := range 4 {
			edges += fmt.Sprintf("%d,%d\n", i, (7*i+5*j*j+1)%60)
		}
	}
	writeText(t, "edges.csv", edges)
	writeText(t, "labels.csv", labels)
}

// writeText writes a file and fails the test on an error.
func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// promisedFits are fits of every family and engine.
var promisedFits = []string{
	"landmark x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"auto x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"s3spsd x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"ssrsvd x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"nystrom x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"pca x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"rpcholesky x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"rff x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"subspace x.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"landmark x.csv --right z.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"ssrsvd x.csv --right z.csv --columns a,b --kernel rbf(gamma=1) --rank 4",
	"ksvd x.csv --right z.csv --columns a,b --kernel sne(gamma=1) --rank 4",
	"ksvd x.csv --right z.csv --columns a,b --kernel sne(gamma=1) --rank 4 --method nystrom --landmarks 20",
	"ksvd x.csv --right z.csv --columns a,b --kernel rbf(gamma=1) --rank 4 --method ssrsvd",
	"ism x.csv --columns a,b --label c --kernel rbf(gamma=1) --dim 1 --engine exact",
	"ism x.csv --columns a,b --label c --kernel rbf(gamma=1) --dim 1 --engine linear",
	"askls x.csv --columns a,b --label c --kernel sne(gamma=1) --engine dense",
	"askls x.csv --columns a,b --label c --kernel sne(gamma=1) --engine iterative",
	"askls x.csv --columns a,b --label c --kernel sne(gamma=1) --engine lowrank --rank 10",
	"ridge x.csv --columns a,b --target y --kernel rbf(gamma=1)",
	"ridge x.csv --columns a,b --label c --kernel rbf(gamma=1)",
	"operator x.csv --columns a,b --kernel rbf(gamma=1) --kind covariance --rank 3 --engine exact",
	"operator x.csv --columns a,b --kernel rbf(gamma=1) --kind covariance --rank 3 --engine landmark",
	"operator x.csv --lag 1 --columns a,b --kernel rbf(gamma=1) --kind koopman --task eigen --rank 3",
	"transport x.csv --right z.csv --columns a,b --kernel rbf(gamma=1) --engine exact",
	"transport x.csv --right z.csv --columns a,b --kernel rbf(gamma=1) --rank 20",
}

// reported runs a command line and returns its JSON report.
func reported(t *testing.T, words ...string) (r map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(succeeds(t, append(words, "--format", "json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// fitModel returns the report of a fit that writes m.npz.
func fitModel(t *testing.T, fit string, more ...string) map[string]any {
	t.Helper()
	return reported(t, slices.Concat([]string{"fit"}, strings.Fields(fit), more, []string{"-o", "m.npz"})...)
}

// at returns the value of a report at a path of keys and indices, nil if there is none.
func at(of any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch v := of.(type) {
		case map[string]any:
			of = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return nil
			}
			of = v[i]
		default:
			return nil
		}
	}
	return of
}

// numberAt returns a number of a report, NaN if there is none.
func numberAt(r map[string]any, path string) float64 {
	if v, is := at(r, path).(float64); is {
		return v
	}
	return math.NaN()
}

// between fails unless a number of a report is in [low, high].
func between(t *testing.T, what string, r map[string]any, path string, low, high float64) {
	t.Helper()
	if v := numberAt(r, path); !(v >= low && v <= high) {
		t.Errorf("%s: %s is %v, not in [%.4g, %.4g]", what, path, at(r, path), low, high)
	}
}

// estimates checks that the errors in both norms are within a factor of 3 of those measured by verify, which are those
// of the dense matrix.
func estimates(t *testing.T) {
	_, _, x := tableOf(t, "x.csv")
	for _, m := range lowrank.Family.Verbs {
		r := fitModel(t, m.Name+" x.csv --columns a,b --kernel rbf(gamma=1) --rank 4"+map[string]string{"pca": " --landmarks 16"}[m.Name])
		measured := reported(t, "verify", "m.npz", "x.csv")
		for i, norm := range []string{"spectral", "frobenius"} {
			truth := numberAt(measured, "relative_"+norm+"_error")
			if of, _ := at(r, fmt.Sprintf("errors.%d.of", i)).(string); !strings.Contains(strings.ToLower(of), norm) {
				t.Errorf("%s: error %d is of %q", m.Name, i, of)
			}
			between(t, m.Name, r, fmt.Sprintf("errors.%d.value", i), truth/3, truth*3)
		}
		if m.Name != "pca" { // of the centred matrix
			succeeds(t, "transform", "m.npz", "x.csv", "-o", "u.csv")
			_, _, u := tableOf(t, "u.csv")
			v := u
			if m.Name == "ssrsvd" {
				succeeds(t, "transform", "m.npz", "x.csv", "--side", "right", "-o", "v.csv")
				_, _, v = tableOf(t, "v.csv")
			}
			dense := formedError(x, u, v, numberAt(r, "shift"))
			between(t, m.Name, measured, "relative_frobenius_error", dense*(1-1e-6), dense*(1+1e-6))
		}
	}
}

// formedError returns ‖A − uvᵀ − shift·I‖/‖A‖ in the Frobenius norm, for A = rbf(gamma=1) of the rows x.
func formedError(x, u, v blas64.General, shift float64) float64 {
	errors, whole := 0.0, 0.0
	for i := range x.Rows {
		for j := range x.Rows {
			a, b := x.Data[i*x.Stride]-x.Data[j*x.Stride], x.Data[i*x.Stride+1]-x.Data[j*x.Stride+1]
			k := math.Exp(-a*a - b*b)
			e := k - blas64.Dot(rowVector(u, i), rowVector(v, j))
			if i == j {
				e -= shift
			}
			errors, whole = errors+e*e, whole+k*k
		}
	}
	return math.Sqrt(errors / whole)
}

func rowVector(m blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Data[i*m.Stride:][:m.Cols]}
}

// tableOf reads the numbers of a file.
func tableOf(t *testing.T, path string) (names []string, rows int, x blas64.General) {
	t.Helper()
	src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{})
	if err == nil {
		x, err = stream.ReadAll(t.Context(), src)
	}
	if err != nil {
		t.Fatal(err)
	}
	return src.Info().Columns, x.Rows, x
}

func saysWhatIsNarrow(t *testing.T) {
	for _, m := range lowrank.Family.Verbs {
		for gamma, want := range map[string]bool{"1e9": true, "1": false} {
			r := fitModel(t, m.Name+" x.csv --columns a,b --kernel rbf(gamma="+gamma+") --rank 4")
			if said := at(r, "warnings.0") != nil; said != want {
				t.Errorf("%s, gamma=%s: warnings are %v", m.Name, gamma, r["warnings"])
			}
		}
	}
}

// writeHoles writes a sparse file of rows of three zeros, which takes no disk space.
func writeHoles(t *testing.T, path string, rows int64) {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", rows)
	head = "\x93NUMPY\x01\x00\x76\x00" + head + strings.Repeat(" ", 0x75-len(head)) + "\n"
	writeText(t, path, head)
	if err := os.Truncate(path, int64(len(head))+rows*24); err != nil {
		t.Skip(err)
	}
}

// memoryStaysFlat plans fits of a thousand times as many rows. Memory grows only with the height of the tree of states.
func memoryStaysFlat(t *testing.T) {
	for name, rows := range map[string]int64{"few": 1e5, "many": 1e8} {
		writeHoles(t, name+".npy", rows)
		writeHoles(t, name+"-right.npy", rows)
	}
	for _, fit := range []string{
		"landmark X", "landmark X --right R", "s3spsd X", "ssrsvd X", "ssrsvd X --right R", "nystrom X", "pca X", "rff X", "auto X",
		"landmark X --kernel sne(gamma=1) --sums sampled", "landmark X --clusters 3", "pca X --novelty",
		"ksvd X --right R --kernel sne(gamma=1) --method nystrom", "ridge X --target 2", "operator X --with R --kind cca --engine landmark",
		"operator X --lag 1 --engine landmark --kind koopman --task eigen", "transport X --right R",
	} {
		if !strings.Contains(fit, "--kernel") {
			fit += " --kernel rbf(gamma=1)"
		}
		if !strings.Contains(fit, "ridge") {
			fit += " --rank 4"
		}
		bytes := func(rows string) float64 {
			fit := strings.Replace(strings.Replace(fit, " X", " "+rows+".npy", 1), " R", " "+rows+"-right.npy", 1)
			return numberAt(reported(t, append([]string{"plan", "fit"}, strings.Fields(fit)...)...), "memory_bytes")
		}
		if few, many := bytes("few"), bytes("many"); !(many < 2*few) {
			t.Errorf("%s: %v bytes for a thousand times the rows, not %v", fit, many, few)
		}
	}
}

// refusesBeforeItStarts checks that the memory of the plan is the least that a fit accepts. With less, nothing is
// written.
func refusesBeforeItStarts(t *testing.T) {
	for _, fit := range promisedFits {
		words := append([]string{"plan", "fit"}, strings.Fields(fit)...)
		bytes := numberAt(reported(t, words...), "memory_bytes")
		os.Remove("none.npz")
		words = append(words[1:], "-o", "none.npz", "--memory")
		if !strings.HasPrefix(fit, "auto") { // chooses by it
			fails(t, append(words, fmt.Sprintf("%.0f", bytes-1)), nil, io.Discard, app.ExitBudget, "--memory")
		}
		fails(t, append(words, "1MiB"), nil, io.Discard, app.ExitBudget, "--memory")
		if _, err := os.Stat("none.npz"); err == nil {
			t.Errorf("%s: over the memory there is a model", fit)
		}
	}
}

func namesBadInput(t *testing.T) {
	text, err := os.ReadFile("x.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	cells := strings.Split(lines[8], ",")
	cells[1] = "nan"
	lines[8] = strings.Join(cells, ",")
	writeText(t, "bad.csv", strings.Join(lines, "\n"))
	names := []string{"bad.csv", "row 7", `"b"`}
	for _, f := range promisedFits {
		os.Remove("none.npz")
		words := append([]string{"fit"}, strings.Fields(strings.Replace(f, "x.csv", "bad.csv", 1))...)
		fails(t, append(words, "-o", "none.npz", "--quiet"), nil, io.Discard, app.ExitData, names...)
		fitModel(t, f)
		for _, apply := range [][]string{{"transform", "m.npz", "bad.csv", "-o", "none.npy"}, {"verify", "m.npz", "bad.csv"}} {
			if apply[0] == "transform" || slices.ContainsFunc(lowrank.Family.Verbs, func(m fit.Verb) bool { return strings.HasPrefix(f, m.Name+" x.csv --columns") }) {
				fails(t, append(apply, "--quiet"), nil, io.Discard, app.ExitData, names...)
			}
		}
		for _, path := range []string{"none.npz", "none.npy"} {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: bad input leaves %s", f, path)
			}
		}
	}
}

func triesFourKernels(t *testing.T) {
	for _, learn := range []string{"--target y", "--label c"} {
		r := fitModel(t, "ridge x.csv --columns a,b "+learn)
		kernels, _ := r["kernels"].([]any)
		path, _ := r["path"].([]any)
		if len(kernels) != 4 || len(path) < 3 || numberAt(r, "passes.data") != 1 {
			t.Errorf("%s: %d kernels, %d penalties, %v passes", learn, len(kernels), len(path), numberAt(r, "passes.data"))
		}
		between(t, learn, r, map[string]string{"--target y": "scores.0.rmse", "--label c": "misclassified"}[learn], 0.001, 0.3)
	}
}

// errorOfEveryFamily checks that each report has an error, the reason for its absence, or the residuals of an exact
// method.
func errorOfEveryFamily(t *testing.T) {
	evidence := map[string]string{
		"ksvd": "residual estimated_residuals", "ism": "score", "askls": "out_of_fold.accuracy_error train.accuracy", "ridge": "scores.0.rmse_error accuracy_error",
		"operator": "residuals", "transport": "marginal_error",
	}
	for _, fit := range promisedFits {
		r := fitModel(t, fit)
		errors, _ := r["errors"].([]any)
		for i, e := range errors {
			if at(e, "value") == nil && at(e, "reason") == nil {
				t.Errorf("%s: error %d is %v", fit, i, e)
			}
		}
		family, _, _ := strings.Cut(fit, " ")
		found := len(errors) > 0
		for _, path := range strings.Fields(evidence[family]) {
			found = found || at(r, path) != nil
		}
		if !found {
			t.Errorf("%s: the report has no error and none of %q", fit, evidence[family])
		}
	}
}

// asGoodAsPublished is a small version of Table I of paper 1: colours of two pictures, most of them dark in one and
// bright in the other. Few rows determine the leading directions, and uniform core points rarely contain them.
func asGoodAsPublished(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, path := range []string{"dark.npy", "bright.npy"} {
		rows := map[string]int{"dark.npy": 1000, "bright.npy": 800}[path]
		x := matrix.New(rows, 3)
		for i := range x.Data {
			if x.Data[i] = math.Pow(random.Float64(), 8); path == "bright.npy" {
				x.Data[i] = 1 - 0.9*x.Data[i]
			}
		}
		if err := writeTable(path, stream.NumberedColumns(3), x); err != nil {
			t.Fatal(err)
		}
	}
	for method, right := range map[string][]string{"ssrsvd": {"--right", "bright.npy"}, "s3spsd": nil} {
		for seed := range 3 {
			fit := slices.Concat([]string{"fit", method, "dark.npy", "--kernel", "rbf(gamma=2)", "--rank", "40", "--sketch", "120",
				"--nnz", "4", "-o", "m.npz", "--seed", fmt.Sprint(seed)}, right)
			measured := func(more ...string) float64 {
				succeeds(t, append(fit, more...)...)
				return numberAt(reported(t, append([]string{"verify", "m.npz", "dark.npy"}, right...)...), "relative_spectral_error")
			}
			ours, published, most := measured(), measured("--leverage-rows", "0"), map[string]float64{"ssrsvd": 0.01, "s3spsd": 0.001}[method]
			if !(ours <= published && ours <= most) {
				t.Errorf("%s with seed %d: the error is %.2g, as published %.2g", method, seed, ours, published)
			}
		}
	}
}

func standardErrors(t *testing.T) {
	few := func(r map[string]any, path string) {
		between(t, "standard error", r, path, 1e-4, 0.1)
	}
	r := fitModel(t, "ridge x.csv --columns a,b --target y")
	few(r, "scores.0.rmse_error")
	few(r, "scores.0.r2_error")
	few(reported(t, "predict", "m.npz", "z.csv", "--label", "y", "-o", "p.csv"), "rmse_error")
	few(fitModel(t, "ridge x.csv --columns a,b --label c"), "accuracy_error")
	few(reported(t, "predict", "m.npz", "z.csv", "--label", "c", "-o", "p.csv"), "accuracy_error")
	few(fitModel(t, "askls x.csv --columns a,b --label c --kernel sne(gamma=1) --merge stack"), "out_of_fold.accuracy_error")
	few(fitModel(t, "askls x.csv --columns a,b --label c --kernel sne(gamma=1) --train-fraction 0.6"), "test.accuracy_error")
}

// costsOfTable compares passes and kernel entries of many rows with the table of docs/methods.md.
func costsOfTable(t *testing.T) {
	const rows = 1e7
	writeHoles(t, "rows.npy", rows)
	for _, c := range []struct {
		fit     string
		entries float64 // a row
	}{
		{"landmark --rank 50", 200}, {"s3spsd --rank 50 --nnz 2", 100}, {"ssrsvd --rank 50 --nnz 2", 200},
		{"nystrom --rank 50", 50}, {"pca --rank 50 --landmarks 200", 200}, {"rpcholesky --rank 50", 50}, {"rff --rank 50", 0},
		{"subspace --rank 50 --passes 3", 3 * rows / 2}, {"ridge --target 2 --landmarks 200", 200},
		{"operator --kind covariance --engine landmark --landmarks 200 --rank 50", 200},
	} {
		words := strings.Fields(c.fit)
		r := reported(t, slices.Concat([]string{"plan", "fit", words[0], "rows.npy", "--kernel", "rbf(gamma=1)"}, words[1:])...)
		between(t, c.fit, r, "passes.data", 1, 1)
		between(t, c.fit, r, "kernel_entries", rows*c.entries, rows*(1.1*c.entries+1))
		between(t, c.fit, r, "memory_bytes", 1<<20, 1<<50)
	}
}

// roundsOrWhyNot checks that two shards make the same model in as many rounds as planned, and that a fit without rounds
// refuses shards.
func roundsOrWhyNot(t *testing.T) {
	for i, fit := range promisedFits {
		words := strings.Fields(fit)
		rounds, _ := reported(t, append([]string{"plan", "fit"}, words...)...)["rounds"].([]any)
		states := fmt.Sprint("states", i)
		shard := append(append([]string{"fit"}, words...), "--states", states, "--shard")
		if len(rounds) == 0 {
			fails(t, append(shard, "1/2"), nil, io.Discard, app.ExitUsage, "cannot be sharded: ")
			continue
		}
		fitModel(t, fit)
		most := len(rounds)
		if strings.Contains(succeeds(t, slices.Concat([]string{"plan", "fit"}, words)...), "or more: ") {
			most = 40
		}
		merge := []string{"merge", "--states", states, "-o", "merged.npz", "--quiet", "--provenance=false"}
		for round := range most {
			succeeds(t, append(shard, "2/2")...)
			succeeds(t, append(shard, "1/2")...)
			if round+1 >= len(rounds) && run(t.Context(), merge, nil, io.Discard, io.Discard) == app.ExitOK {
				break
			}
		}
		one, _ := os.ReadFile("m.npz")
		merged, err := os.ReadFile("merged.npz")
		if os.Remove("merged.npz"); err != nil || string(merged) != string(one) {
			t.Errorf("%s: shards make another model: %v", fit, err)
		}
	}
}

// smallestRank checks that the next smaller rank, even with more landmarks, misses the tolerance.
func smallestRank(t *testing.T) {
	for i, norm := range []string{"spectral", "frobenius"} {
		path, fit := fmt.Sprintf("errors.%d.value", i), "landmark x.csv --columns a,b --kernel rbf(gamma=1)"
		for _, tolerance := range []float64{0.1, 0.01, 0.001} {
			r := fitModel(t, fit, "--tol", fmt.Sprint(tolerance), "--norm", norm)
			between(t, norm, r, path, 0, tolerance)
			less := fitModel(t, fit, "--rank", fmt.Sprint(numberAt(r, "rank")-1), "--landmarks", "60")
			between(t, fmt.Sprintf("%s %v, rank %v less 1", norm, tolerance, r["rank"]), less, path, tolerance/1.2, 1)
		}
	}
}

// ignoresPosition checks that transformed rows do not depend on their order.
func ignoresPosition(t *testing.T) {
	text, err := os.ReadFile("x.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Reverse(lines[1:])
	writeText(t, "reversed.csv", strings.Join(lines, "\n"))
	for _, fit := range promisedFits {
		if strings.HasPrefix(fit, "s3spsd") {
			continue // depends on it
		}
		fitModel(t, fit)
		succeeds(t, "transform", "m.npz", "x.csv", "-o", "u.csv")
		succeeds(t, "transform", "m.npz", "reversed.csv", "-o", "v.csv")
		_, n, u := tableOf(t, "u.csv")
		_, _, v := tableOf(t, "v.csv")
		for i := range n {
			if !slices.Equal(rowVector(u, i).Data, rowVector(v, n-1-i).Data) {
				t.Errorf("%s: row %d is %v, and reversed %v", fit, i, rowVector(u, i).Data, rowVector(v, n-1-i).Data)
				break
			}
		}
	}
}

// coversNineOfTen checks the coverage of 90 % intervals for noise that grows with a, normal or with a heavy tail.
func coversNineOfTen(t *testing.T) {
	for _, noise := range []func(r *rand.Rand) float64{(*rand.Rand).NormFloat64, (*rand.Rand).ExpFloat64} {
		random := rand.New(rand.NewPCG(8, 9))
		for path, rows := range map[string]int{"old.npy": 1500, "new.npy": 4000} {
			x := matrix.New(rows, 3)
			for i := range rows {
				a, b := random.Float64(), random.Float64()
				x.Data[3*i], x.Data[3*i+1], x.Data[3*i+2] = a, b, math.Sin(5*a)+b+(0.05+a)*noise(random)
			}
			if err := writeTable(path, stream.NumberedColumns(3), x); err != nil {
				t.Fatal(err)
			}
		}
		fitModel(t, "ridge old.npy --target 2 --kernel rbf(gamma=1) --landmarks 60")
		for _, level := range []float64{0.5, 0.9} {
			r := reported(t, "predict", "m.npz", "new.npy", "--label", "2", "--interval", fmt.Sprint(level), "-o", "p.npy")
			between(t, fmt.Sprint(level), r, "covered", level-0.03, level+0.03)
		}
	}
}

func identityIsCrossCovariance(t *testing.T) {
	identity := matrix.New(120, 120)
	for i := range 120 {
		identity.Data[121*i] = 1. / 120
	}
	if err := writeTable("b.npy", stream.NumberedColumns(120), identity); err != nil {
		t.Fatal(err)
	}
	fit := "operator x.csv --with x.csv --columns a --with-columns b --kernel rbf(gamma=1) --rank 3 --kind "
	want := fitModel(t, fit+"cross-covariance")
	got := fitModel(t, fit+"explicit --matrix b.npy")
	for i := range 3 {
		path := fmt.Sprint("values.", i)
		v := numberAt(want, path)
		between(t, "explicit", got, path, v-1e-12, v+1e-12)
	}
}

func ksvdErrors(t *testing.T) {
	r := reported(t, "fit", "ksvd", "x.csv", "--right", "z.csv", "--kernel", "sne(gamma=1)", "--rank", "3", "--landmarks", "9", "-o", "m.npz")
	measured := reported(t, "verify", "m.npz", "x.csv", "--right", "z.csv")
	if v, is := r["direction_error"].(float64); !is || !(v > 0 && v < 2) {
		t.Errorf("the error of the directions is %v", r["direction_error"])
	}
	for i, key := range []string{"relative_spectral_error", "relative_frobenius_error"} {
		said, _ := r["errors"].([]any)[i].(map[string]any)["value"].(float64)
		if v, is := measured[key].(float64); !is || !(math.Abs(v-said) < 0.01*v) {
			t.Errorf("%s is %v, and the fit said %v", key, measured[key], said)
		}
	}
	for i, said := range r["estimated_residuals"].([]any) {
		if v := measured["residuals"].([]any)[i].(float64); !(math.Abs(v-said.(float64)) < 0.01*v) {
			t.Errorf("residual %d is %v, and the fit said %v", i, v, said)
		}
	}
}

func takesEveryKernel(t *testing.T) {
	for _, k := range kernelgen.Builtins() {
		text := kernelOf(t, k.Name)
		takers := []string{"landmark x.csv --rank 3", "landmark x.csv --right z.csv --rank 3", "ssrsvd x.csv --rank 3",
			"ssrsvd x.csv --right z.csv --rank 3", "auto x.csv --rank 3", "auto x.csv --right z.csv --rank 3"}
		refusers := []string{"s3spsd x.csv --rank 3", "nystrom x.csv --rank 3", "pca x.csv --rank 3", "rpcholesky x.csv --rank 3",
			"rff x.csv --rank 3", "subspace x.csv --rank 3", "ridge x.csv --target a", "operator x.csv --kind covariance --rank 3"}
		asymmetric := slices.Contains([]string{"sne", "softmax", "t", "kl"}, k.Name)
		if asymmetric {
			takers = append(takers, "ksvd x.csv --right z.csv --rank 3", "ksvd x.csv --right z.csv --rank 3 --method nystrom --landmarks 9", "askls x.csv --label c")
		} else {
			refusers = nil
		}
		if k.Name == "kl" {
			takers = append(takers, "transport x.csv --right z.csv")
		}
		if k.Name == "relative" {
			takers = []string{"ism x.csv --label c --dim 1"}
		}
		for _, fit := range takers {
			r := fitModel(t, fit, "--kernel", text, "--columns", "a,b")
			if r["kernel"] == nil {
				t.Errorf("%s of kernel %s: %v", fit, text, r)
			}
		}
		for _, fit := range refusers {
			fails(t, slices.Concat([]string{"fit"}, strings.Fields(fit), []string{"--kernel", text, "--columns", "a,b", "-o", "none.npz", "--quiet"}), nil, io.Discard, app.ExitUsage, k.Name)
		}
	}
}

// kernelOf returns a kernel with its default parameters, or with some value for those without a default.
func kernelOf(t *testing.T, name string) string {
	for _, text := range []string{name, name + "(sigma2=median)", name + "(gamma=1)"} {
		if _, err := kernelgen.Parse(text); err == nil {
			return text
		}
	}
	t.Fatalf("kernel %s needs other parameters", name)
	return ""
}
