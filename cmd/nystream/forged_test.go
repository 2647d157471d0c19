package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/matrix"
)

// forgedFits are fits of every family and method. After a bar follows the data to which the model is applied.
var forgedFits = []string{
	"landmark x.csv --kernel rbf(gamma=1) --rank 4 | x.csv",
	"landmark x.csv --right y.csv --kernel laplace(gamma=1) --rank 3 --scale standard --nulls mean | y.csv --right x.csv",
	"s3spsd x.csv --kernel rbf(gamma=1) --rank 3 | x.csv",
	"ssrsvd x.csv --kernel rbf(gamma=1) --rank 3 | x.csv",
	"ssrsvd x.csv --right y.csv --kernel rbf(gamma=1) --rank 3 | y.csv --right x.csv",
	"ssrsvd --matrix x.csv --map exp --rank 2 | x.csv",
	"nystrom x.csv --kernel rbf(gamma=1) --rank 3 | y.csv",
	"rpcholesky x.csv --kernel rbf(gamma=1) --rank 3 | y.csv",
	"rff x.csv --kernel rbf(gamma=1) --rank 4 | x.csv",
	"subspace x.csv --kernel rbf(gamma=1) --rank 3 | x.csv",
	"auto x.csv --kernel rbf(gamma=1) --tol 0.3 | y.csv",
	"ksvd x.csv --right y.csv --kernel rbf(gamma=1) --rank 3 | x.csv",
	"ksvd x.csv --right y.csv --method nystrom --kernel sne(gamma=1) --rank 3 | x.csv",
	"ksvd x.csv --right y.csv --method exact --kernel t() --rank 3 --center | x.csv",
	"ksvd --graph g.csv --kernel sne(gamma=1) --rank 2 | g.csv",
	"ism labelled.csv --label class --dim 2 --scale standard | labelled.csv",
	"operator x.csv --with y.csv --kind cca --kernel rbf(gamma=1) --rank 2 --landmarks 12 --center | x.csv",
	"operator x.csv --lag 1 --kind koopman --task eigen --kernel rbf(gamma=1) --rank 2 | x.csv",
	"operator x.csv --with y.csv --kind cme --kernel rbf(gamma=1) --rank 2 --engine landmark --landmarks 12 | x.csv",
	"askls labelled.csv --label class --kernel rbf(gamma=1) | labelled.csv",
	"askls labelled.csv --label class --kernel sne(gamma=1) --engine lowrank --rank 4 --landmarks 20 --merge stack | labelled.csv",
	"askls --graph g.csv --labels l.csv | g.csv",
	"transport x.csv --right y.csv --kernel rbf(gamma=1) --engine exact | x.csv",
	"transport x.csv --right y.csv --kernel rbf(gamma=1) --engine lowrank --rank 12 | x.csv",
}

// TestForgedModels changes parts of models, recomputes their digests, and applies them. No command may panic, every
// error must name a file, and a successful command prints and writes finite numbers only. By default it tries each kind
// of change in each family at random positions, and one in a hundred of the rest; FORGED_MODELS=all tries all, in a
// minute or two.
func TestForgedModels(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	writeForgeryData(t)
	random, count, tried := rand.New(rand.NewPCG(13, 14)), 0, 0
	kinds, everything := make(map[string]int), os.Getenv("FORGED_MODELS") == "all"
	chosen := func(kind string) bool {
		n := kinds[kind]
		kinds[kind]++
		switch {
		case everything:
			return true
		case testing.Short():
			return n == 0 && len(kinds)%3 == 0
		}
		return n%100 == 0
	}
	for _, line := range forgedFits {
		fit, data, _ := strings.Cut(line, " | ")
		var says strings.Builder
		if code := run(t.Context(), strings.Fields("fit "+fit+" -o genuine.npz"), nil, &says, &says); code != app.ExitOK {
			t.Fatalf("%s: exit code %d, %s", fit, code, says.String())
		}
		genuine, err := archive.Read("genuine.npz")
		if err != nil {
			t.Fatal(err)
		}
		commands := tryForgery(t, fit, "", genuine, applications(data))
		if everything {
			commands = applications(data)
		}
		all := forgeries(genuine)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		family := familyNamed(genuineMethod(t, genuine))
		for _, m := range all {
			if count++; chosen(family + " " + m.kind) {
				tried++
				tryForgery(t, fit, m.change, m.file, commands)
			}
		}
	}
	t.Logf("%d forged models of %d kinds, of which %d were tried", count, len(kinds), tried)
	if count < 532 {
		t.Errorf("%d forged models, expected 532", count)
	}
}

// genuineMethod returns the method that the header of a model names.
func genuineMethod(t *testing.T, genuine *archive.Archive) string {
	t.Helper()
	var header struct{ Method string }
	mustDecode(t, string(genuine.Meta), &header)
	return header.Method
}

// applications returns command lines that apply a model to data.
func applications(data string) []string {
	rows := strings.Fields(data)[0]
	return []string{"transform m.npz " + rows + " -o out.csv", "transform m.npz " + rows + " -o out.csv --side right",
		"predict m.npz " + rows + " -o out.csv --decisions", "predict m.npz " + rows + " -o out.csv --probabilities", "verify m.npz " + data, "inspect m.npz"}
}

// tryForgery applies a model and returns the command lines that were not usage errors.
func tryForgery(t *testing.T, fit, change string, file *archive.Archive, commands []string) (meant []string) {
	t.Helper()
	if err := archive.Write("m.npz", file); err != nil {
		t.Fatalf("%s: %s: %v", fit, change, err)
	}
	for _, command := range commands {
		os.Remove("out.csv")
		code, panicked, says := guardedRun(t.Context(), command+" --threads 1")
		if code != app.ExitUsage {
			meant = append(meant, command)
		}
		if code == app.ExitOK {
			out, _ := os.ReadFile("out.csv")
			says += string(out)
		}
		switch {
		case change == "" && code != app.ExitOK && code != app.ExitUsage:
			t.Errorf("%s: %s: exit code %d: %s", fit, command, code, says)
		case panicked:
			t.Errorf("%s: %s: %s: %s", fit, change, command, says)
		case code != app.ExitOK && code != app.ExitUsage && (code != app.ExitData || !strings.Contains(says, "m.npz") && !strings.Contains(says, ".csv: ")):
			t.Errorf("%s: %s: %s: exit code %d, and no file is named: %s", fit, change, command, code, says)
		case code == app.ExitOK && notFiniteWord(says):
			t.Errorf("%s: %s: %s: exit code 0 and a number that is not finite: %.300s", fit, change, command, says)
		}
	}
	return meant
}

// notFiniteWord reports whether text contains a number that is not finite.
func notFiniteWord(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,\n\t()%±", r) }) {
		switch strings.ToLower(strings.TrimLeft(word, "+-−")) {
		case "nan", "inf", "∞":
			return true
		}
	}
	return false
}

// guardedRun runs a command line and returns its output, or the value of its panic.
func guardedRun(ctx context.Context, line string) (code int, panicked bool, says string) {
	var out strings.Builder
	defer func() {
		if p := recover(); p != nil {
			panicked, says = true, fmt.Sprint(p)
		}
	}()
	code = run(ctx, strings.Fields(line), nil, &out, &out)
	return code, false, out.String()
}

// writeForgeryData writes x.csv, y.csv, labelled.csv, the graph g.csv and its labels l.csv.
func writeForgeryData(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	var labelled strings.Builder
	labelled.WriteString("a,b,c,class\n")
	for _, name := range []string{"x.csv", "y.csv"} {
		m := matrix.New(60, 3)
		for i := range m.Data {
			m.Data[i] = r.Float64()
		}
		if err := writeTable(name, []string{"a", "b", "c"}, m); err != nil {
			t.Fatal(err)
		}
		for i := range m.Rows {
			fmt.Fprintf(&labelled, "%v,%v,%v,c%d\n", m.Data[3*i], m.Data[3*i+1], m.Data[3*i+2], int(2*m.Data[3*i]))
		}
	}
	var edges, labels strings.Builder
	edges.WriteString("from,to\n")
	labels.WriteString("node,label\n")
	for i := range 40 {
		fmt.Fprintf(&labels, "%d,%d\n", i, i%2)
		for range 4 {
			fmt.Fprintf(&edges, "%d,%d\n", i, (i+2*r.IntN(19)+1)%40)
		}
	}
	for name, text := range map[string]string{"labelled.csv": labelled.String(), "g.csv": edges.String(), "l.csv": labels.String()} {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// familyNamed returns the family of a method.
func familyNamed(method string) string {
	for _, f := range families {
		if slices.Contains(f.Methods, method) {
			return f.Name
		}
	}
	return ""
}
