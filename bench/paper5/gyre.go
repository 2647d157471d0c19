package main

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// The double gyre of Example 4.2.
const (
	gyreA, gyreDelta, gyreOmega = 0.25, 0.25, 2 * math.Pi
	gyreTau                     = 10.0
	gyreSteps                   = 4000 // of RK4; half of them change no point of a coarse grid by 1e-7
	gyreColumns, gyreRows       = 120, 60
)

// velocity returns the vector field at time t.
func velocity(x, y, t float64) (dx, dy float64) {
	s := gyreDelta * math.Sin(gyreOmega*t)
	f := s*x*x + (1-2*s)*x
	return -math.Pi * gyreA * math.Sin(math.Pi*f) * math.Cos(math.Pi*y),
		math.Pi * gyreA * math.Cos(math.Pi*f) * math.Sin(math.Pi*y) * (2*s*x + 1 - 2*s)
}

// flow carries a point from time 0 to τ in so many steps of the classical Runge–Kutta
// method.
func flow(x, y float64, steps int) (float64, float64) {
	h := gyreTau / float64(steps)
	for i := range steps {
		t := float64(i) * h
		ax, ay := velocity(x, y, t)
		bx, by := velocity(x+h/2*ax, y+h/2*ay, t+h/2)
		cx, cy := velocity(x+h/2*bx, y+h/2*by, t+h/2)
		dx, dy := velocity(x+h*cx, y+h*cy, t+h)
		x += h / 6 * (ax + 2*bx + 2*cx + dx)
		y += h / 6 * (ay + 2*by + 2*cy + dy)
	}
	return x, y
}

// gyrePairs returns the midpoints of boxes and where the flow carries them.
func gyrePairs(columns, rows, steps int) (x, y blas64.General) {
	x, y = stream.NewMatrix(columns*rows, 2), stream.NewMatrix(columns*rows, 2)
	for i := range columns * rows {
		a, b := 2*(float64(i/rows)+0.5)/float64(columns), (float64(i%rows)+0.5)/float64(rows)
		x.Data[2*i], x.Data[2*i+1] = a, b
		y.Data[2*i], y.Data[2*i+1] = flow(a, b, steps)
	}
	return x, y
}

// gyre is Example 4.2: coherent sets of the double gyre by kernel CCA. The paper states no
// ε, and prints its singular values in a figure only.
func gyre(ctx context.Context, o *options) error {
	const sigma, epsilon, count = 0.25, 1e-3, 6
	x, y := gyrePairs(gyreColumns, gyreRows, gyreSteps)
	d, err := pairsOf(x, y)
	if err != nil {
		return err
	}
	t := &report.Table{File: "gyre", Title: "Example 4.2: singular values of kernel CCA, double gyre, 7200 pairs, σ = 0.25, ε = 1e-3",
		Head: []string{"", "engine", "σ1", "σ2", "σ3", "σ4", "σ5", "σ6", "features", "trace left", "kernel entries", "seconds"}}
	var panels []*plot.Plot
	for _, c := range []struct {
		engine    rkhs.Engine
		landmarks int
		centred   bool
	}{{rkhs.EngineExact, 0, false}, {rkhs.EngineLandmark, 100, false}, {rkhs.EngineLandmark, 300, false}, {rkhs.EngineLandmark, 300, true}} {
		f, seconds, err := timed(ctx, rkhs.Solver{Operator: rkhs.CCA{Ridge: epsilon}, Rank: count,
			Engine: c.engine, Landmarks: c.landmarks, Centre: c.centred, Seed: o.seed}, d, kernelgen.RBF(1/(2*sigma*sigma)))
		if err != nil {
			return err
		}
		name := "as the paper"
		if c.centred {
			name = "centred"
		}
		t.Add(row(name, fmt.Sprintf("%s %d", f.Engine, f.Landmarks[0]), f.Values, features(f),
			fmt.Sprintf("%.0e", math.Max(f.TraceResiduals[0], f.TraceResiduals[1])), f.KernelEntries, report.Figure(seconds))...)
		if c.engine == rkhs.EngineExact {
			values, err := f.Right.At(ctx, stream.Engine{}, x)
			if err != nil {
				return err
			}
			for j := range 4 {
				panels = append(panels, heatPanel(fmt.Sprintf("v%d, σ = %.3f", j+1, f.Values[j]), values, j, gyreColumns, gyreRows))
			}
		}
	}
	t.Notes = []string{"The paper integrates with a variable step; here it is RK4 with 4000 steps. ε is of the covariance operators; another ε gives other values: it is our choice, made before the run."}
	if err := t.Write(o.out); err != nil {
		return err
	}
	return drawPanels(o.path("gyre.svg"), panels)
}
