package paper3

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
)

// The sizes of Figure 1b, of which the slow methods get those up to mostDense.
const (
	growthFirst     = 250
	growthExactLast = 16_000
	growthLast      = 64_000
)

// growthMethod finds W for labelled rows.
type growthMethod struct {
	name string
	most int
	find subspace
}

// growth is Figure 1b: time against rows for the polynomial kernel, on the generated rows.
func growth(ctx context.Context, o *options) error {
	u, err := truth(o.seed)
	if err != nil {
		return err
	}
	k := kernelNamed("polynomial")
	var resolved kernelgen.Kernel
	methods := []growthMethod{
		{"ISM exact", growthExactLast, ismSubspace(k, ism.EngineExact, o.seed, &resolved)},
		{"ISM linear", growthLast, ismSubspace(k, ism.EngineLinear, o.seed, &resolved)},
		{"SM", mostDense, baselineSubspace("SM", k.parsed(), o.seed)},
		{"GM", mostDense, baselineSubspace("GM", k.parsed(), o.seed)},
		{"DG", mostDense, baselineSubspace("DG", k.parsed(), o.seed)},
	}
	t := &report.Table{File: "figure1b", Title: fmt.Sprintf("Figure 1b: seconds against rows, polynomial kernel, %d generated columns, q = %d", generatedColumns, generatedDim),
		Head:  []string{"method", "rows", "seconds", "seconds/iteration", "times the rows before", "J", "angle to the subspace", "iterations", "settled"},
		Notes: []string{fmt.Sprintf("The rows of part generated, in memory, one run each. SM, GM and DG hold n² entries and get at most %d rows. The paper has q = 20 and data that it does not name.", mostDense)}}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "Figure 1b", "log₂ rows", "log₂ seconds"
	for i, m := range methods {
		var line plotter.XYs
		before := math.NaN()
		for n := growthFirst; n <= m.most; n *= 2 {
			x, labels := generatedRows(n, u, o.seed)
			began := time.Now()
			w, found, err := m.find(ctx, x, labels, len(corners), generatedDim)
			if err != nil {
				return fmt.Errorf("%s, %d rows: %w", m.name, n, err)
			}
			seconds := time.Since(began).Seconds()
			angle, err := largestAngle(w, u)
			if err != nil {
				return err
			}
			t.Add(m.name, n, seconds, seconds/float64(max(1, found.iterations)), seconds/before, found.value, angle, found.iterations, found.settled)
			fmt.Fprintf(os.Stderr, "figure 1b: %s, %d rows: %.3g s\n", m.name, n, seconds)
			before, line = seconds, append(line, plotter.XY{X: math.Log2(float64(n)), Y: math.Log2(seconds)})
		}
		l, points, err := plotter.NewLinePoints(line)
		if err != nil {
			return err
		}
		l.Color, points.Color = groupColour(i, len(methods)), groupColour(i, len(methods))
		p.Add(l, points)
		p.Legend.Add(m.name, l, points)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Max += 4 // room for the legend
	if err := drawPanels(o.path("figure1b.svg"), []*plot.Plot{p}); err != nil {
		return err
	}
	return t.Write(o.out)
}

// generatedRows returns rows of part generated, and their classes.
func generatedRows(n int, u blas64.General, seed uint64) (blas64.General, []int) {
	random := sketch.NewRandom(seed, "rows with a subspace")
	wide, labels := stream.NewMatrix(n, generatedColumns+1), make([]int, n)
	for i := range n {
		draws := random.At(uint64(i))
		fillGenerated(dense.Row(wide, i), u, &draws)
		labels[i] = int(dense.Row(wide, i)[generatedColumns])
	}
	wide.Cols = generatedColumns
	return wide, labels
}
