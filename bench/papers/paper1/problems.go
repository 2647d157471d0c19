package paper1

import (
	"context"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/kernelgen"
)

// uniform is the data of the paper's Figure 4, U[0,1]^20 with any number of rows.
const uniform = "uniform"

// The paper's setting for it: c = 50 (and s = 5c, z = 4), a dimension of 20.
const (
	uniformDimension = 20
	uniformRank      = 50
	uniformSample    = 4096 // rows that errors are measured on
	uniformSeeds     = 3
)

// How many seeds there are: measuring an error costs n², and so does a slow fit.
// Pass -seeds for another number.
const (
	fullSeeds = 10 // up to someRows and someRank
	someSeeds = 3  // up to manyRows
	fewSeeds  = 1
	slowSeeds = 2 // of slow methods, and 1 on many rows

	someRows = 5000
	manyRows = 20000
	someRank = 100
)

// problem is a kernel matrix.
type problem struct {
	data   string
	kernel string // word of kernelsOf, or text
	text   string // of the kernel, words in it not resolved
	n      int    // rows of uniform data, else 0
	load   func(ctx context.Context) (blas64.General, error)
}

func (p problem) String() string {
	if p.n > 0 {
		return fmt.Sprintf("%s %s n=%d", p.data, p.kernel, p.n)
	}
	return p.data + " " + p.kernel
}

// kernelsOf returns the kernels of the paper for a data set, exp(−‖x−y‖²/σ²) and
// the compactly supported one with θ = 3σ and v = ⌈(d+1)/2⌉, its defaults.
func kernelsOf(data, word string) (string, error) {
	flat, compact := "0.2", "10"
	switch data {
	case "abalone", "cpusmall":
		flat = "0.02"
	case "mushrooms", "a9a":
		flat, compact = "2.5", "1000"
	case "usps":
		compact = "1000"
	}
	switch word {
	case "rbf":
		return "rbf(sigma2=" + flat + ")", nil
	case "csrbf":
		return "csrbf(sigma2=" + compact + ")", nil
	}
	return "", fmt.Errorf("kernel %q: known are rbf and csrbf, and any kernel with -file", word)
}

// problems returns what the options name.
func problems(o *options) ([]problem, error) {
	var all []problem
	for _, data := range o.data {
		if data == uniform {
			all = append(all, uniformProblems(o.growth)...)
			continue
		}
		for _, word := range o.kernels {
			text, err := kernelsOf(data, word)
			if err != nil {
				return nil, err
			}
			all = append(all, problem{data: data, kernel: word, text: text, load: func(ctx context.Context) (blas64.General, error) {
				return datasets.Load(ctx, data)
			}})
		}
	}
	if o.file != "" {
		all = append(all, problem{data: filepath.Base(o.file), kernel: o.kernel, text: o.kernel, load: func(ctx context.Context) (blas64.General, error) {
			return datasets.Load(ctx, o.file)
		}})
	}
	return all, nil
}

func uniformProblems(sizes []int) []problem {
	var all []problem
	for _, n := range sizes {
		all = append(all, problem{data: uniform, kernel: "rbf", text: "rbf(gamma=1)", n: n, load: func(context.Context) (blas64.General, error) {
			return datasets.Uniform(n, uniformDimension, 7), nil
		}})
	}
	return all
}

// resolved returns the kernel for rows.
func (p problem) resolved(x blas64.General) (kernelgen.Kernel, error) {
	k, err := kernelgen.Parse(p.text)
	if err != nil {
		return k, err
	}
	return k.Resolve(x)
}

// ranks returns those that the rows allow, z·c ≤ n.
func (p problem) ranks(o *options, n int) []int {
	if p.data == uniform {
		return []int{uniformRank}
	}
	var fit []int
	for _, c := range o.ranks {
		if 4*c <= n {
			fit = append(fit, c)
		}
	}
	return fit
}

// seeds returns how many seeds a method gets.
func (p problem) seeds(o *options, m method, n, c int) int {
	switch {
	case o.seeds > 0:
		return o.seeds
	case p.data == uniform:
		return uniformSeeds
	case m.slow && n > manyRows:
		return 1
	case m.slow:
		return slowSeeds
	case n > manyRows:
		return fewSeeds
	case n > someRows, c > someRank:
		return someSeeds
	}
	return fullSeeds
}

// sample returns how many rows errors are measured on, 0 for all.
func (p problem) sample(o *options) int {
	if p.data == uniform && o.sample == 0 {
		return uniformSample
	}
	return o.sample
}
