// Command way prints the CPU seconds of fits of every family to generated data, with two builds of nystream: the
// minimum of four runs each. It marks fits that take over 1.03 times as long with the new build. -only selects fits by
// a part of their name.
//
//	go run ./bench/way OLD NEW
//	go run ./bench/way -only ksvd OLD NEW
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

type namedFit struct{ name, args string }

// fits are command lines that take at least 0.4 CPU seconds, so that 3 % is measurable. X has 20,000 rows of 6 columns,
// T 100,000, S 4,000, W 20,000 of 200; Y has the classes of the rows of X, G and H are graphs, and L has the classes of
// the nodes of H.
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

// files replaces the names of data in fits by files.
var files = strings.NewReplacer(" X ", " X.npy ", " S ", " S.npy ", " T ", " T.npy ", " W ", " W.npy ", " Y ", " Y.csv ",
	" G ", " G.csv ", " H ", " H.csv ", " L ", " H.labels.csv ")

type options struct {
	only   string
	builds []string // OLD and NEW
}

func main() { program.Main("way", parse, run) }

func parse(args []string) (o options, err error) {
	f := program.FileFlags("way")
	f.StringVar(&o.only, "only", "", "part of the names of the fits to run")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() != 2 {
		return o, errors.New("name two builds: way OLD NEW")
	}
	for _, build := range f.Args() {
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
		words := strings.Fields("run ./bench/generate " + args + " -o " + filepath.Join(work, name))
		if out, err := exec.CommandContext(ctx, "go", words...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(fits), func(f namedFit) bool { return !strings.Contains(f.name, o.only) })
	return timeFits(ctx, work, o.builds, chosen)
}

// fit runs a fit on one thread. The returned process has ended.
func (f namedFit) fit(ctx context.Context, build, work string) (*os.ProcessState, error) {
	args := strings.Fields(files.Replace("fit " + f.args + " --threads 1 --quiet -o m.npz"))
	c := exec.CommandContext(ctx, build, args...)
	c.Dir = work
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", build, strings.Join(args, " "), err, out)
	}
	return c.ProcessState, nil
}

// timeFits prints the minimum CPU seconds of fits with two builds, which alternate in going first.
func timeFits(ctx context.Context, work string, builds []string, chosen []namedFit) error {
	fmt.Print("| fit | old | new | new / old | |\n|---|---|---|---|---|\n") // rows follow as they become known
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
