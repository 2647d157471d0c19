package paper1

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
)

// uniform is the data of the paper's Figure 4, U[0,1]^20 with any number of rows.
const uniform = "uniform"

// The paper's setting for uniform data, with s = 5c and z = 4.
const (
	uniformDimension = 20
	uniformRank      = 50
	uniformSample    = 4096 // number of rows for measuring errors
)

// problem is a kernel matrix.
type problem struct {
	data   string
	word   string // short name of the kernel
	kernel string // text, possibly with words
	n      int    // rows of uniform data, else 0
	load   func(ctx context.Context) (blas64.General, error)
}

func (p problem) String() string {
	if p.n > 0 {
		return fmt.Sprintf("%s, n = %s", p.data, thousands(p.n))
	}
	return p.data + " " + p.word
}

// kernelOf returns the kernel of the paper for a data set: exp(−‖x−y‖²/σ²), or the
// compactly supported one with θ = 3σ and v = ⌈(d+1)/2⌉, its defaults.
func kernelOf(data, word string) string {
	flat, compact := "0.2", "10"
	switch data {
	case "abalone":
		flat = "0.02"
	case "a9a":
		flat, compact = "2.5", "1000"
	}
	if word == "rbf" {
		return "rbf(sigma2=" + flat + ")"
	}
	return "csrbf(sigma2=" + compact + ")"
}

// problems returns the problems selected by the options.
func problems(o *options) []problem {
	var all []problem
	for _, data := range o.data {
		switch data {
		case tableI:
		case uniform:
			for _, n := range o.growth {
				all = append(all, uniformProblem(n))
			}
		default:
			for _, word := range o.kernels {
				load := func(ctx context.Context) (blas64.General, error) {
					x, err := datasets.Load(ctx, data)
					return lab.FirstRows(x, o.rows), err
				}
				all = append(all, problem{data: data, word: word, kernel: kernelOf(data, word), load: load})
			}
		}
	}
	return all
}

func uniformProblem(n int) problem {
	return problem{data: uniform, word: "rbf", kernel: "rbf(gamma=1)", n: n,
		load: func(context.Context) (blas64.General, error) { return datasets.Uniform(n, uniformDimension, 7), nil }}
}

// resolved returns the kernel resolved on rows.
func (p problem) resolved(x blas64.General) (kernelgen.Kernel, error) {
	k, err := kernelgen.Parse(p.kernel)
	if err != nil {
		return k, err
	}
	return k.Resolve(x)
}

// ranks returns the ranks possible with n rows, z·c ≤ n.
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

// sample returns the number of rows for measuring errors, 0 for all.
func (p problem) sample() int {
	if p.data == uniform {
		return uniformSample
	}
	return 0
}
