// Command paper1 reproduces figures of paper 1 (Xie et al. 2023) and measures
// our methods beside them: relative spectral errors ‖A−Â‖₂/‖A‖₂ by Lanczos on
// exact tiles, mean and worst over seeds.
//
//	go run ./bench/paper1                       satimage and abalone, 10 seeds
//	go run ./bench/paper1 -only letter -c 100 -seeds 3
//	go run ./bench/paper1 -growth 5000,20000    U[0,1]^20, error against n
//	go run ./bench/paper1 -growth 100000 -sample 4096 -methods S3SPSD
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
)

func main() {
	blas64.Use(nyblas.Implementation{}) // as the command does
	only := flag.String("only", "satimage,abalone", "data sets, comma separated")
	ranks := flag.String("c", "", "ranks, comma separated (default: 50,100,200 for satimage, 50,100 otherwise)")
	growth := flag.String("growth", "", "numbers of rows of U[0,1]^20: error against n instead")
	var o options
	flag.IntVar(&o.seeds, "seeds", 10, "number of seeds")
	flag.IntVar(&o.sample, "sample", 0, "measure errors between this many sampled rows (0: all)")
	flag.StringVar(&o.methods, "methods", "", "only methods whose name begins so")
	flag.Parse()
	if err := run(context.Background(), *only, *ranks, *growth, o); err != nil {
		fmt.Fprintln(os.Stderr, "paper1:", err)
		os.Exit(1)
	}
}

// options say what to measure.
type options struct {
	seeds, sample int
	methods       string
}

func run(ctx context.Context, only, ranks, growth string, o options) error {
	if growth != "" {
		return runGrowth(ctx, growth, o)
	}
	fmt.Println("| data | c | floor | method | mean | median | worst | fit s |\n|---|---|---|---|---|---|---|---|")
	for _, name := range strings.Split(only, ",") {
		if err := runData(ctx, name, ranks, o); err != nil {
			return err
		}
	}
	return nil
}

// kernels are the RBF kernels of the paper, exp(−‖x−y‖²/σ²).
func kernelOf(name string) (kernelgen.Kernel, []int, error) {
	sigma2, ranks := "0.2", []int{50, 100}
	switch name {
	case "satimage":
		ranks = []int{50, 100, 200}
	case "abalone":
		sigma2 = "0.02"
	}
	k, err := kernelgen.Parse("rbf(sigma2=" + sigma2 + ")")
	return k, ranks, err
}

func runData(ctx context.Context, name, ranks string, o options) error {
	x, err := datasets.Load(ctx, name)
	if err != nil {
		return err
	}
	k, cs, err := kernelOf(name)
	if err != nil {
		return err
	}
	if ranks != "" {
		if cs, err = numbers(ranks); err != nil {
			return err
		}
	}
	spectrum := eigenvalues(k, x)
	for _, c := range cs {
		floor := "–"
		if spectrum != nil {
			floor = fmt.Sprintf("%.4f", spectrum[c]/spectrum[0])
		}
		for _, m := range o.chosen(methods(c, 0)) {
			e, err := measure(ctx, m, k, x, o)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %s | %s | %.4f | %.4f | %.4f | %.3f |\n", name, c, floor, m.name, e.mean, e.median, e.worst, e.seconds)
		}
	}
	return nil
}

// eigenvalues of the kernel matrix, descending, when it is small enough.
func eigenvalues(k kernelgen.Kernel, x blas64.General) []float64 {
	if x.Rows > 5000 {
		return nil
	}
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(x.Rows, a.Data), false) {
		return nil
	}
	v := eig.Values(nil)
	for i, j := 0, len(v)-1; i < j; i, j = i+1, j-1 {
		v[i], v[j] = v[j], v[i]
	}
	return v
}

// method is one way to fit, with a seed still to be chosen.
type method struct {
	name string
	fit  func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error)
}

func methods(c, s int) []method {
	spsd := func(rule lowrank.ShiftRule) func(context.Context, stream.Engine, stream.Source, kernelgen.Kernel, uint64) (*lowrank.Fit, error) {
		return func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.S3SPSD{Rank: c, Sketch: s, Seed: seed, Shift: rule}.Fit(ctx, e, src, k)
		}
	}
	return []method{
		{"ssrSVD", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.SSRSVD{Rank: c, Sketch: s, Seed: seed}.Fit(ctx, e, src, nil, k)
		}},
		{"S3SPSD paper shift", spsd(lowrank.ShiftPaper)},
		{"S3SPSD", spsd(lowrank.ShiftDecoupled)},
		{"nystrom uniform", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.Nystrom{Rank: c, Seed: seed}.Fit(ctx, e, src, k)
		}},
		{"nystrom leverage", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.Nystrom{Rank: c, Choice: lowrank.ChoiceLeverage, Seed: seed}.Fit(ctx, e, src, k)
		}},
		{"nystrom rpc", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.Nystrom{Rank: c, Choice: lowrank.ChoicePivoted, Seed: seed}.Fit(ctx, e, src, k)
		}},
		{"fastspsd", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.FastSPSD{Rank: c, Sketch: s, Seed: seed}.Fit(ctx, e, src, k)
		}},
		{"subspace", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			f, err := lowrank.Subspace{Rank: c, Seed: seed}.Fit(ctx, e, src, k)
			if err != nil {
				return nil, err
			}
			return f.Fit, nil
		}},
		{"landmark", func(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, seed uint64) (*lowrank.Fit, error) {
			return lowrank.Landmark{Rank: c, Sketch: s, Seed: seed}.Fit(ctx, e, src, k)
		}},
	}
}

// chosen leaves the methods that were asked for.
func (o options) chosen(all []method) []method {
	return slices.DeleteFunc(all, func(m method) bool { return !strings.HasPrefix(m.name, o.methods) })
}

// measured sums up the errors over the seeds.
type measured struct {
	mean, median, worst float64
	seconds, shift      float64
}

func measure(ctx context.Context, m method, k kernelgen.Kernel, x blas64.General, o options) (measured, error) {
	var out measured
	var errors []float64
	src := stream.FromMatrix("data", x)
	for seed := range o.seeds {
		began := time.Now()
		fit, err := m.fit(ctx, stream.Engine{}, src, k, uint64(seed+1))
		if err != nil {
			return out, err
		}
		out.seconds += time.Since(began).Seconds() / float64(o.seeds)
		v, err := fit.Verify(ctx, stream.Engine{}, src, nil, o.sample, 1)
		if err != nil {
			return out, err
		}
		out.mean += v.SpectralError / float64(o.seeds)
		errors = append(errors, v.SpectralError)
		out.shift += fit.Shift / float64(o.seeds)
	}
	slices.Sort(errors)
	out.worst = errors[len(errors)-1]
	out.median = (errors[(len(errors)-1)/2] + errors[len(errors)/2]) / 2
	return out, nil
}

// subspaceRows is up to how many rows the table against n has the exact passes.
const subspaceRows = 20000

// runGrowth is the paper's scaling setting: U[0,1]^20, γ = 1, c = 50, s = 250.
func runGrowth(ctx context.Context, list string, o options) error {
	ns, err := numbers(list)
	if err != nil {
		return err
	}
	fmt.Println("| n | method | shift | mean | median | worst | fit s |\n|---|---|---|---|---|---|---|")
	for _, n := range ns {
		x := datasets.Uniform(n, 20, 7)
		for _, m := range o.chosen(methods(50, 250)) {
			if m.name == "subspace" && n > subspaceRows {
				continue
			}
			e, err := measure(ctx, m, kernelgen.RBF(1), x, o)
			if err != nil {
				return err
			}
			fmt.Printf("| %d | %s | %.3f | %.4f | %.4f | %.4f | %.3f |\n", n, m.name, e.shift, e.mean, e.median, e.worst, e.seconds)
		}
	}
	return nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for _, f := range strings.Split(list, ",") {
		v, err := strconv.Atoi(f)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", f)
		}
		out = append(out, v)
	}
	return out, nil
}
