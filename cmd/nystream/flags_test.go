package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// flagVerb is a verb with a command line that runs.
type flagVerb struct {
	verb, rest string
	values     map[string]string // of flags that take other values here than in flagValues
}

// flagVerbs are the verbs that compute or write, some with several kinds of input.
var flagVerbs = []flagVerb{
	{"fit auto", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit landmark", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit s3spsd", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit ssrsvd", "x.csv --right y.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit ssrsvd", "--matrix b.csv --rank 2 -o out/m.npz", map[string]string{"columns": "p,q", "keep": "p", "label": "p", "categories": "x.csv: onehot", "sketch": "2"}},
	{"fit nystrom", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit pca", "x.csv --kernel rbf --rank 2 --landmarks 10 -o out/m.npz", map[string]string{"rule": "uniform"}},
	{"fit rpcholesky", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit rff", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit subspace", "x.csv --kernel rbf --rank 2 -o out/m.npz", nil},
	{"fit ksvd", "x.csv --right y.csv --kernel rbf --rank 2 -o out/m.npz", map[string]string{"tol": "1.9"}},
	{"fit ksvd", "--graph e.csv --kernel linear --rank 2 -o out/m.npz", map[string]string{"columns": "to,from", "tol": "1.9", "comment": "1", "skip": "2", "graph": "other.csv", "header": "lines.csv: "}},
	{"fit ism", "x.csv --label k --dim 2 -o out/m.npz", map[string]string{"kernel": "gaussian(sigma=3)", "engine": "linear"}},
	{"fit operator", "x.csv --kind covariance --kernel rbf --rank 2 -o out/m.npz", map[string]string{"kind": "cca", "engine": "landmark", "matrix": "b.csv"}},
	{"fit operator", "x.csv y.csv --kind koopman --lag 1 --kernel rbf --rank 2 -o out/m.npz", map[string]string{"kind": "cca", "engine": "landmark", "matrix": "b.csv", "lag": "2"}},
	{"fit askls", "x.csv --label k --kernel rbf(gamma=1) -o out/m.npz", map[string]string{"engine": "lowrank"}},
	{"fit askls", "--graph e.csv --labels nodes.csv -o out/m.npz", map[string]string{"columns": "to,from", "engine": "iterative", "comment": "1", "label": "other", "skip": "2", "graph": "other.csv", "labels": "others.csv", "nodes": "others.csv", "header": "lines.csv: "}},
	{"fit transport", "x.csv --columns !g --right y.csv --kernel rbf -o out/m.npz", map[string]string{"columns": "c", "engine": "exact", "tol": "0.5", "keep": "a"}},
	{"fit ridge", "x.csv --target s --landmarks 10 -o out/m.npz", map[string]string{"landmarks": "12"}},
	{"fit ridge", "x.csv --label k --landmarks 10 -o out/m.npz", map[string]string{"landmarks": "12"}},
	{"transform", "m.npz x.csv -o out/u.csv", nil},
	{"predict", "c.npz x.csv -o out/p.csv", nil},
	{"predict", "r.npz x.csv -o out/p.csv", nil},
	{"verify", "m.npz x.csv", nil},
	{"convert", "x.csv -o out/c.csv", map[string]string{"inexact": "mixed.csv: round", "types": "a=decimal(9,2)"}},
	{"inspect", "x.csv", nil},
	{"inspect", "m.npz", nil},
}

// flagValues are values of flags that make a difference, after "FILE: " for one with that file in the
// place of x.csv.
var flagValues = map[string]string{
	"C": "2", "as-list": "emb", "array": "b", "categories": "onehot", "center": "", "check": "", "class-weight": "balanced", "clusters": "2", "clusters-output": "out/c.csv",
	"columns": "a,b", "comment": "0", "compat": "pinv", "compression": "zstd", "coordinates": "orthonormal", "core": "15", "dates": "days.csv: number", "decisions": "",
	"degrees": "symmetric", "delimiter": ";", "dim": "3", "encoding": "utf-16", "epsilon": "2", "error": "sampled --sample=10", "factors": "out/u.csv", "fold-by": "g",
	"folds": "3", "given-label": "k", "graph": "e.csv", "header": "n.csv: ", "index-base": "0", "inexact": "big.csv: round", "input-format": "jsonl", "interval": "0.8",
	"iterations": "1", "keep": "a", "kernel": "laplace", "kernel-y": "laplace", "kind": "cca", "label": "a", "labels": "nodes.csv", "lag": "1", "landmarks": "12",
	"left-factors": "out/l.csv", "left-output": "out/l.csv", "leverage-rows": "1", "map": "abs", "marginal-penalty": "1", "matrix": "b.csv", "merge": "source",
	"method": "exact", "metric": "diagonal", "mu": "2", "nnz": "2", "no-header": "", "nodes": "nodes.csv", "norm": "frobenius", "novelty": "0.1", "nulls": "holes.csv: drop",
	"output": "out/other.npz", "output-format": "parquet", "paradigm": "unsupervised", "passes": "1", "penalty": "0.5", "plot": "out/p.svg", "probabilities": "",
	"rank": "3", "refine": "1", "report": "out/r.html", "ridge": "0.5", "right": "y.csv", "right-factors": "out/r.csv", "right-output": "out/r.csv", "right-weights": "s",
	"rows": "1", "rule": "rpc", "sample": "10", "scale": "minmax", "scaling": "unit", "score-rows": "all", "scores": "s", "seed": "2", "self-loops": "drop", "shard": "1/2",
	"shift": "none", "side": "right", "simple": "", "sketch": "12", "skip": "1", "std": "", "sums": "exact", "target": "a", "target-kernel": "laplace", "task": "eigen",
	"tol": "0.5", "train-fraction": "0.5", "trajectories": "all", "trajectory-by": "g", "undirected": "", "weight": "-", "weights": "s", "with": "y.csv", "with-columns": "a,b",
}

// TestFlagsCount gives each flag to each verb: the verb refuses it, or what it writes or reports is
// another one. Flags about the process are not looked at.
func TestFlagsCount(t *testing.T) {
	t.Chdir(t.TempDir())
	makeFlagData(t)
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, v := range flagVerbs {
		cmd, _, err := newRootCommand(app.New(t.Context(), nil, nil, nil)).Find(strings.Fields(v.verb))
		if err != nil {
			t.Fatal(err)
		}
		known := make(map[string]string) // what a command line does, by its words
		does := func(line string) string {
			if _, ok := known[line]; !ok {
				known[line] = done(t, v.verb+" "+line)
			}
			return known[line]
		}
		flags.New(cmd).Visit(func(f *flags.Flag) {
			if f.Effect == flags.Process {
				return
			}
			value, ok := v.values[f.Name]
			if !ok {
				value, ok = flagValues[f.Name]
			}
			if !ok {
				t.Errorf("flagValues has no value for --%s (%s)", f.Name, v.verb)
				return
			}
			base := v.rest
			if file, rest, ok := strings.Cut(value, ": "); ok {
				base, value = firstTable.ReplaceAllString(base, "${1}"+file+"$2"), rest
			}
			flag := "--" + f.Name
			if f.Arg != "" {
				flag += "=" + value
			}
			if a, b := does(base), does(base+" "+flag); a == b {
				t.Errorf("%s %s %s: accepted without effect", v.verb, base, flag)
			}
		})
	}
}

// firstTable finds the first table of a command line.
var firstTable = regexp.MustCompile(`^(.*?)[a-z0-9]+\.csv(.*)$`)

// volatile is what differs between two runs of one command line.
var volatile = regexp.MustCompile(`"(seconds|peak_rss_bytes)":[^,}]*|"read":\{("[a-z]+":\{[^}]*\},?)*\}`)

// done runs a command line in a folder of its own and returns what it prints and writes.
func done(t *testing.T, line string) string {
	t.Helper()
	var out, messages bytes.Buffer
	args := append(strings.Fields(line), "--format", "json", "--provenance=false")
	code := run(t.Context(), args, nil, &out, &messages)
	text := fmt.Sprintf("%d %s %s", code, volatile.ReplaceAllString(out.String(), ""), messages.String())
	written := make(map[string]string)
	err := filepath.WalkDir("out", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		written[path] = string(data)
		return err
	})
	if err == nil {
		err = os.RemoveAll("out")
	}
	if err == nil {
		err = os.Mkdir("out", 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(written)) {
		text += path + written[path]
	}
	return text
}

// makeFlagData writes tables, graphs and models for TestFlagsCount.
func makeFlagData(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tables := map[string]*strings.Builder{}
	line := func(name string, cells ...any) {
		if tables[name] == nil {
			tables[name] = new(strings.Builder)
		}
		for i, c := range cells {
			fmt.Fprint(tables[name], []string{"", ","}[min(1, i)], c)
		}
		fmt.Fprintln(tables[name])
	}
	for _, name := range []string{"x.csv", "holes.csv", "big.csv", "mixed.csv"} {
		line(name, "a", "b", "c", "g", "s", "k", "z")
	}
	for _, name := range []string{"days.csv", "y.csv"} {
		line(name, "a", "b", "c", "g", "s", "k", "z", "day")
	}
	line("b.csv", "p", "q", "r")
	line("e.csv", "from", "to", "w")
	line("nodes.csv", "node", "class", "other")
	line("others.csv", "node", "class", "other")
	line("other.csv", "from", "to")
	for i := range 40 {
		row := func(first any) []any {
			u := random.Float64()
			return []any{first, random.Float64(), random.Float64(), i % 5, u, string("pq"[i*i%3%2]), string("uvw"[i%3])}
		}
		line("x.csv", row(random.Float64())...)
		line("y.csv", append(row(random.Float64()), fmt.Sprintf("2024-03-%02d", i%29+1))...)
		line("n.csv", row(random.Float64())...)
		if i == 7 {
			line("holes.csv", row("")...)
			line("big.csv", row("9007199254740993")...)
		} else {
			line("holes.csv", row(random.Float64())...)
			line("big.csv", row(i)...)
		}
		line("days.csv", append(row(random.Float64()), fmt.Sprintf("2024-02-%02d", i%29+1))...)
		line("mixed.csv", []any{float64(i) + .5, "9007199254740993"}[i%2], 1, 2, 3, 4, "p", "u")
		line("b.csv", random.NormFloat64(), random.NormFloat64(), random.NormFloat64())
		line("e.csv", i%20, (i*7+3)%20, 1+i%3)
		line("e.csv", i%20, (i*7+3)%20, 2)
		line("e.csv", i%20, i%20, 1)
		line("lines.csv", i%20, (i*7+3)%20)
		line("other.csv", i%20, (i*3+1)%20)
		line("others.csv", (i*3)%20+i/20*100, string("qp"[i%2]), "p")
		line("nodes.csv", i%20+i/20*100, string("pq"[i%2]), string("pq"[i%3%2]))
	}
	for name, text := range tables {
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, fit := range []string{"landmark x.csv --kernel rbf --rank 2 -o m.npz", "ridge x.csv --target s --landmarks 10 -o r.npz", "ridge x.csv --label k --landmarks 10 -o c.npz"} {
		command(t, "fit "+fit)
	}
}

// TestResultsAreIdentity: another value of a flag that decides a result is another identity of states, and
// that of any other flag is not.
func TestResultsAreIdentity(t *testing.T) {
	for _, v := range flagVerbs {
		if !strings.HasPrefix(v.verb, "fit ") {
			continue
		}
		cmd, _, err := newRootCommand(app.New(t.Context(), nil, nil, nil)).Find(strings.Fields(v.verb))
		if err != nil {
			t.Fatal(err)
		}
		cmd.InheritedFlags() // adds the seed
		set := flags.New(cmd)
		set.Visit(func(f *flags.Flag) {
			value, ok := v.values[f.Name]
			if !ok {
				value, ok = flagValues[f.Name]
			}
			if !ok {
				return // about the process
			}
			if _, rest, found := strings.Cut(value, ": "); found {
				value = rest
			}
			if f.Arg == "" {
				value = "true"
			}
			before := set.Results()
			if err := set.Assign(f.Name, value); err != nil {
				t.Fatal(err)
			}
			if same := slices.Equal(before, set.Results()); same == (f.Effect == flags.Result) {
				t.Errorf("%s --%s %s: states have the same identity: %v", v.verb, f.Name, value, same)
			}
		})
	}
}

// TestFlagsAreDeclared: what the declaration of each flag must say.
func TestFlagsAreDeclared(t *testing.T) {
	flags.EveryCommand(newRootCommand(app.New(t.Context(), nil, nil, nil)), func(cmd *cobra.Command) {
		flags.New(cmd).Visit(func(f *flags.Flag) {
			if n := len(strings.Fields(f.Usage)); n == 0 || n > 10 {
				t.Errorf("%s --%s: %q has %d words, and ten is the most", cmd.CommandPath(), f.Name, f.Usage, n)
			}
			if strings.HasSuffix(f.Usage, ".") || strings.Contains(f.Usage, "`") {
				t.Errorf("%s --%s: %q is a phrase without marks", cmd.CommandPath(), f.Name, f.Usage)
			}
			if f.Needs != "" && cmd.Flag(f.Needs) == nil {
				t.Errorf("%s --%s needs --%s, which is not there", cmd.CommandPath(), f.Name, f.Needs)
			}
		})
	})
}
