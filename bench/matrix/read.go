package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// matrices are made or read by name.
var matrices = map[string]func(ctx context.Context) (blas64.General, error){
	"slow":   made(func(j int) float64 { return math.Pow(float64(j), -1.13) }),
	"steep":  made(func(j int) float64 { return math.Pow(float64(j), -2) }),
	"noisy":  made(func(j int) float64 { return map[bool]float64{true: 1, false: 0.05}[j <= 10] }),
	"autumn": grey("autumn"),
	"woods":  grey("woods"),
	"mnist": func(ctx context.Context) (blas64.General, error) {
		d, err := datasets.LoadLabelled(ctx, "mnist")
		if err != nil {
			return blas64.General{}, err
		}
		return d.X, nil
	},
}

func read(ctx context.Context, name string) (blas64.General, error) { return matrices[name](ctx) }

// made returns a matrix with known singular values.
func made(value func(j int) float64) func(context.Context) (blas64.General, error) {
	return func(context.Context) (blas64.General, error) { return withValues(2000, 600, value) }
}

// grey returns the luma of the pixels of a photograph.
func grey(name string) func(context.Context) (blas64.General, error) {
	return func(context.Context) (blas64.General, error) {
		p, err := datasets.Photograph(name)
		if err != nil {
			return blas64.General{}, err
		}
		a := stream.NewMatrix(p.Bounds.Dy(), p.Bounds.Dx())
		for i, j := range p.Index {
			a.Data[i] = dense.Dot(dense.Row(p.Colours, j), []float64{0.299, 0.587, 0.114})
		}
		return a, nil
	}
}
