// Command way runs fits of made data, of every family. It prints the files and lines of solvers
// and blockstore that each enters, by the coverage of the command; -only names a part of a fit's
// name, and prints the files:
//
//	go run ./bench/way
//	go run ./bench/way -only ksvd
//
// time prints the CPU seconds of two builds of nystream instead, the least of four runs each, and
// marks a fit that takes over 1.03 times as long:
//
//	go run ./bench/way time OLD NEW
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

type namedFit struct{ name, args string }

// fits are command lines that take 0.4 CPU seconds or more, so that time can tell 3 %. X has
// 20,000 rows of 6 columns, T 100,000, S 4,000, W 20,000 of 200; Y has the classes of the rows
// of X, G and H are graphs, and L has the classes of the nodes of H.
var fits = []namedFit{
	{"landmark", "landmark X --kernel rbf(gamma=median) --rank 220"},
	{"landmark, uniform", "landmark T --kernel rbf(gamma=median) --rank 100 --rule uniform"},
	{"landmark of two sources", "landmark T --right T --kernel rbf(gamma=median) --rank 50"},
	{"landmark of 200 columns", "landmark W --kernel rbf(gamma=median) --rank 100"},
	{"auto", "auto T --kernel rbf(gamma=median) --tol 0.002"},
	{"s3spsd", "s3spsd T --kernel rbf(gamma=median) --rank 200"},
	{"ssrsvd", "ssrsvd T --kernel rbf(gamma=median) --rank 100"},
	{"nystrom", "nystrom T --kernel rbf(gamma=median) --rank 500"},
	{"rpcholesky", "rpcholesky T --kernel rbf(gamma=median) --rank 200"},
	{"rff", "rff X --kernel rbf(gamma=median) --rank 500"},
	{"subspace", "subspace S --kernel rbf(gamma=median) --rank 50"},
	{"ksvd nystrom", "ksvd X --right X --kernel sne(gamma=1) --method nystrom --rank 20"},
	{"ksvd exact", "ksvd S --right S --kernel sne(gamma=1) --method exact --rank 20"},
	{"ksvd of a graph", "ksvd --graph G --kernel sne(gamma=1) --rank 20"},
	{"ism linear", "ism T --target 0 --dim 2 --engine linear --iterations 20"},
	{"ism exact", "ism S --target 0 --dim 2 --engine exact --iterations 20"},
	{"operator landmark", "operator X --lag 1 --kind koopman --kernel rbf(gamma=median) --rank 5 --engine landmark"},
	{"operator exact", "operator S --lag 1 --kind cca --kernel rbf(gamma=0.01) --rank 5 --engine exact"},
	{"askls lowrank", "askls X --label Y --kernel sne(gamma=1) --engine lowrank --rank 50"},
	{"askls of a graph", "askls --graph H --labels L"},
	{"transport lowrank", "transport T --right T --kernel rbf(gamma=1) --engine lowrank --rank 50 --iterations 5"},
	{"transport exact", "transport S --right S --kernel rbf(gamma=100) --engine exact --iterations 50"},
}

// files are those that fits name.
var files = strings.NewReplacer(" X ", " X.npy ", " S ", " S.npy ", " T ", " T.npy ", " W ", " W.npy ", " Y ", " Y.csv ",
	" G ", " G.csv ", " H ", " H.csv ", " L ", " H.labels.csv ")

type options struct {
	only   string
	builds []string // OLD and NEW of time
}

func main() { program.Main("way", parse, run) }

func parse(args []string) (o options, err error) {
	f := program.FileFlags("way")
	f.StringVar(&o.only, "only", "", "part of the names of the fits to run; the lines of each file are printed too")
	if err := f.Parse(args); err != nil || f.NArg() == 0 {
		return o, err
	}
	if f.NArg() != 3 || f.Arg(0) != "time" {
		return o, errors.New("the arguments are none, or time OLD NEW")
	}
	for _, build := range f.Args()[1:] {
		if build, err = filepath.Abs(build); err != nil {
			return o, err
		}
		o.builds = append(o.builds, build)
	}
	return o, nil
}

func run(ctx context.Context, o options) error {
	work, err := os.MkdirTemp("", "nystream-way-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "Y.csv"), []byte(strings.Repeat("a\nb\nb\nb\n", 5000)), 0o666); err != nil {
		return err
	}
	for name, args := range map[string]string{
		"X.npy": "uniform -rows 20000 -d 6", "S.npy": "uniform -rows 4000 -d 6", "T.npy": "uniform -rows 100000 -d 6",
		"W.npy": "uniform -rows 20000 -d 200",
		"G.csv": "powerlaw -nodes 5000 -edges 50000", "H.csv": "powerlaw -nodes 1500 -edges 15000"} {
		if _, err := goTool(ctx, "run ./bench/generate "+args+" -o "+filepath.Join(work, name)); err != nil {
			return err
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(fits), func(f namedFit) bool { return !strings.Contains(f.name, o.only) })
	if o.builds != nil {
		return timeFits(ctx, work, o.builds, chosen)
	}
	return enterFits(ctx, work, chosen, o.only != "")
}

// goTool runs the go command.
func goTool(ctx context.Context, args string) (output string, err error) {
	out, err := exec.CommandContext(ctx, "go", strings.Fields(args)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args, err, out)
	}
	return string(out), nil
}

// fit runs a fit on one thread. The process that it returns has ended.
func (f namedFit) fit(ctx context.Context, build, work string, env ...string) (*os.ProcessState, error) {
	args := strings.Fields(files.Replace("fit " + f.args + " --threads 1 --quiet -o m.npz"))
	c := exec.CommandContext(ctx, build, args...)
	c.Dir, c.Env = work, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", build, strings.Join(args, " "), err, out)
	}
	return c.ProcessState, nil
}

// enterFits prints the files and lines that fits enter. The command plans a fit and saves its model, too.
func enterFits(ctx context.Context, work string, chosen []namedFit, each bool) error {
	build := filepath.Join(work, "covered")
	if _, err := goTool(ctx, "build -cover -coverpkg=./cmd/nystream,./solvers/...,./blockstore/... -o "+build+" ./cmd/nystream"); err != nil {
		return err
	}
	fmt.Print("| fit | package files / lines |\n|---|---|\n")
	for _, f := range chosen {
		dir, err := os.MkdirTemp(work, "data-*")
		if err != nil {
			return err
		}
		if _, err := f.fit(ctx, build, work, "GOCOVERDIR="+dir); err != nil {
			return err
		}
		profile, err := goTool(ctx, "tool covdata textfmt -o=/dev/stdout -i="+dir)
		if err != nil {
			return err
		}
		files, lines := make(map[string]int), make(map[string]int)
		found := entered(profile)
		for _, file := range slices.Sorted(maps.Keys(found)) {
			name := "blockstore"
			if inner, is := strings.CutPrefix(file, "solvers/"); is {
				name = filepath.Dir(inner)
			}
			files[name], lines[name] = files[name]+1, lines[name]+found[file]
			if each {
				fmt.Printf("| %s | %d |\n", file, found[file])
			}
		}
		var cells []string
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			cells = append(cells, fmt.Sprintf("%s %d / %d", name, files[name], lines[name]))
		}
		fmt.Printf("| %s | %s |\n", f.name, strings.Join(cells, ", "))
	}
	return nil
}

// entered returns how many lines of each file of solvers and blockstore a profile counts.
func entered(profile string) map[string]int {
	seen, lines := make(map[string]bool), make(map[string]int)
	for block := range strings.Lines(profile) {
		file, at, _ := strings.Cut(strings.TrimPrefix(block, "github.com/nystream/nystream/"), ":")
		var first, last, skip, count int
		_, err := fmt.Sscanf(at, "%d.%d,%d.%d %d %d\n", &first, &skip, &last, &skip, &skip, &count)
		if err != nil || count == 0 || strings.HasPrefix(file, "cmd/") {
			continue
		}
		for i := first; i <= last; i++ {
			if line := fmt.Sprint(file, ":", i); !seen[line] {
				seen[line] = true
				lines[file]++
			}
		}
	}
	return lines
}

// timeFits prints the least CPU seconds of fits with two builds, which take turns in being first.
func timeFits(ctx context.Context, work string, builds []string, chosen []namedFit) error {
	fmt.Print("| fit | old | new | new / old | |\n|---|---|---|---|---|\n") // rows follow as they are known
	for _, f := range chosen {
		var least [2]time.Duration
		for run := range 8 {
			which := (run + run/2) % 2
			ended, err := f.fit(ctx, builds[which], work)
			if err != nil {
				return err
			}
			if took := ended.UserTime() + ended.SystemTime(); run < 2 || took < least[which] {
				least[which] = took
			}
		}
		ratio, mark := least[1].Seconds()/least[0].Seconds(), ""
		if ratio > 1.03 {
			mark = "slower"
		}
		fmt.Printf("| %s | %.3f | %.3f | %.3f | %s |\n", f.name, least[0].Seconds(), least[1].Seconds(), ratio, mark)
	}
	return nil
}
