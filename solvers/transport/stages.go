package transport

import (
	"context"
	"fmt"
)

// stageFactor divides ε from stage to stage.
const stageFactor = 4

// stageTol is the marginal error that ends a stage.
const stageTol = 1e-2

// stages iterates with each larger ε, and starts the next with the same potentials, ε·log(v/b): they change less with ε
// than scalings (Kosowsky & Yuille 1994, "The invisible hand algorithm: solving the assignment problem with statistical
// physics"). It returns the number of iterations.
func (x *exact) stages(ctx context.Context) (iterations int, err error) {
	for epsilon := x.InitialEpsilon; epsilon > x.Epsilon; epsilon /= stageFactor {
		g, err := newGibbs(x.logs.Kernel, epsilon)
		if err != nil {
			return iterations, err
		}
		stage := &exact{grid: newGrid(x.engine, g, x.left, x.right), Sinkhorn: x.Sinkhorn, f: x.f, g: x.g}
		stage.Epsilon, stage.MarginalTol = epsilon, max(x.MarginalTol, stageTol)
		history, err := stage.iterate(ctx, func(first bool) (float64, error) { return stage.step(ctx, first) })
		if err != nil {
			return iterations, fmt.Errorf("with `epsilon` %g, a stage of `initial-epsilon`: %w", epsilon, err)
		}
		iterations += len(history) + 1
		next := max(epsilon/stageFactor, x.Epsilon)
		for j, mass := range x.right.log {
			x.g[j] = (x.g[j]-mass)*epsilon/next + mass
		}
		x.logs.Entries.Add(g.entries())
		x.passes += stage.passes
	}
	return iterations, nil
}
