package transport

import (
	"context"
	"fmt"
)

// stageStep is what ε is divided by from stage to stage.
const stageStep = 4

// stageTolerance is how far a stage goes: it begins the next one, no more.
const stageTolerance = 1e-2

// warm iterates with larger ε first, each from where the one before has ended: potentials, which
// are ε times logarithms of scalings over masses, change less with ε than scalings do (Kosowsky
// & Yuille 1994, "The invisible hand algorithm: solving the assignment problem with statistical
// physics"). It returns the rounds that it took.
func (x *exact) warm(ctx context.Context) (rounds int, err error) {
	for epsilon := x.From; epsilon > x.Epsilon; epsilon /= stageStep {
		g, err := newGibbs(x.kernel, epsilon)
		if err != nil {
			return rounds, err
		}
		stage := &exact{grid: newGrid(x.engine, g, x.left, x.right), Sinkhorn: x.Sinkhorn, f: x.f, g: x.g}
		stage.Epsilon, stage.Tolerance = epsilon, max(x.Tolerance, stageTolerance)
		p := &progress{Sinkhorn: stage.Sinkhorn}
		n, err := p.iterate(ctx, func(first bool) (float64, error) { return stage.round(ctx, first) })
		if err != nil {
			return rounds, fmt.Errorf("`epsilon` %g, on the way: %w", epsilon, err)
		}
		rounds += n
		next := max(epsilon/stageStep, x.Epsilon)
		for j, mass := range x.right.log {
			x.g[j] = (x.g[j]-mass)*epsilon/next + mass
		}
		x.entries.Add(g.entries.Load())
		x.passes += stage.passes
	}
	return rounds, nil
}
