// Command tolerance measures fits to a tolerance (lowrank.Adaptive): whether the
// relative error, measured on all entries, is within it, and the rank beside the
// smallest that would do in the spectral norm.
//
//	go run ./bench/tolerance                                  everything
//	go run ./bench/tolerance -only abalone -tol 0.01 -seeds 3
//	go run ./bench/tolerance -only uniform -norm frobenius
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

func main() { program.Main("tolerance", parseOptions, run) }

// options say what to measure.
type options struct {
	data       []string
	tolerances []float64
	norm       lowrank.Norm
	seeds      int
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.FileFlags("tolerance")
	only := f.String("only", "abalone,uniform,satimage", "data sets; uniform is 4000 rows of U[0,1]^3")
	tolerances := f.String("tol", "0.1,0.01,0.001", "tolerances")
	norm := f.String("norm", "spectral", "norm of the tolerances, spectral or frobenius")
	f.IntVar(&o.seeds, "seeds", 10, "number of seeds")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	var err error
	if o.norm, err = lowrank.ParseNorm(*norm); err != nil {
		return nil, fmt.Errorf("-norm: %w", err)
	}
	o.data = program.List(*only)
	for _, word := range program.List(*tolerances) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("-tol: %q is not a number", word)
		}
		o.tolerances = append(o.tolerances, v)
	}
	if o.seeds < 1 {
		return nil, fmt.Errorf("-seeds %d: at least 1", o.seeds)
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	fmt.Printf("| data | tolerance, %s | rank | smallest rank without, with the best shift | spectral error | Frobenius error | within |\n|---|---|---|---|---|---|---|\n", o.norm)
	for _, name := range o.data {
		x, k, err := load(ctx, name)
		if err != nil {
			return err
		}
		values, err := eigenvalues(k, x)
		if err != nil {
			return err
		}
		for _, tolerance := range o.tolerances {
			if err := o.row(ctx, name, x, k, values, tolerance); err != nil {
				return err
			}
		}
	}
	return nil
}

// load returns the rows and the RBF kernel of paper 1.
func load(ctx context.Context, name string) (blas64.General, kernelgen.Kernel, error) {
	switch name {
	case "uniform":
		return datasets.Uniform(4000, 3, 7), kernelgen.RBF(1), nil
	case "abalone":
		x, err := datasets.Load(ctx, name)
		return x, kernelgen.RBF(1 / 0.02), err
	}
	x, err := datasets.Load(ctx, name)
	return x, kernelgen.RBF(1 / 0.2), err
}

// eigenvalues of the kernel matrix, descending.
func eigenvalues(k kernelgen.Kernel, x blas64.General) ([]float64, error) {
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(x.Rows, a.Data), false) {
		return nil, fmt.Errorf("the eigenvalues did not converge")
	}
	v := eig.Values(nil)
	slices.Reverse(v)
	return v, nil
}

// smallest returns the least rank that leaves no eigenvalue above limit.
func smallest(values []float64, limit float64) int {
	c := 0
	for c < len(values) && values[c] > limit {
		c++
	}
	return c
}

// row measures one tolerance. With a shift a rank will do that leaves eigenvalues
// of up to twice the tolerance.
func (o *options) row(ctx context.Context, name string, x blas64.General, k kernelgen.Kernel, values []float64, tolerance float64) error {
	src := stream.FromMatrix(name, x)
	var ranks []int
	var errors [2][]float64
	within, reached := 0, 0
	for seed := 1; seed <= o.seeds; seed++ {
		began := time.Now()
		f, err := lowrank.Adaptive{Choice: lowrank.ChoiceAuto, Seed: uint64(seed), Tolerance: tolerance, Norm: o.norm}.Fit(ctx, stream.Engine{}, model.Sources{Left: src}, k)
		if err != nil {
			return err
		}
		seconds := time.Since(began).Seconds()
		v, err := f.Verify(ctx, stream.Engine{}, model.Sources{Left: src}, 0, 1)
		if err != nil {
			return err
		}
		found := [2]float64{v.SpectralError, v.FrobeniusError}
		ranks = append(ranks, len(f.Values))
		for n := range found {
			errors[n] = append(errors[n], found[n])
		}
		if found[o.norm] <= tolerance {
			within++
		}
		if !f.Unsettled {
			reached++
		}
		fmt.Fprintf(os.Stderr, "%s, tolerance %g, seed %d: rank %d in %d steps, error %.3g, estimate %.3g, %.2f s\n",
			name, tolerance, seed, len(f.Values), len(f.Steps), found[o.norm], f.EstimateIn(o.norm), seconds)
	}
	told := ""
	if reached < o.seeds {
		told = fmt.Sprintf("; %d told that they do not reach it", o.seeds-reached)
	}
	fmt.Printf("| %s, %s | %g | %d–%d | %d, %d | %s | %s | %d of %d%s |\n", name, k, tolerance, slices.Min(ranks), slices.Max(ranks),
		smallest(values, tolerance*values[0]), smallest(values, 2*tolerance*values[0]), span(errors[0]), span(errors[1]), within, o.seeds, told)
	return nil
}

// span returns the least and the largest of some errors.
func span(v []float64) string { return fmt.Sprintf("%.2g–%.2g", slices.Min(v), slices.Max(v)) }
