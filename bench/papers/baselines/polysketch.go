package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// PolySketch is a weighted sum of TensorSketches (Pham & Pagh 2013) for rbf, as in Han,
// Avron & Shin (2020), "Polynomial tensor sketch for element-wise function of low-rank
// matrix". With x̂ = √(2·gamma)·x, centred at the median of some rows,
//
//	k(x, y) = exp(−‖x̂‖²/2)·Σ_j (x̂·ŷ)^j/j!·exp(−‖ŷ‖²/2)       φ = (w_0, w_1·φ_1, w_2·φ_2, …)
//
// with φ_j a TensorSketch of degree j and w_j² = 1/j!, fitted to kernel entries by least
// squares: degrees whose sketches are mostly noise count less. Columns are shared out to
// degrees in proportion to their part of the trace of A, estimated from some rows. This
// is good where ‖x̂‖ is about 1, and poor where it is above 3: a TensorSketch of degree j
// has a variance that grows as 3^j.
type PolySketch struct {
	Rank int // columns
	Seed uint64
}

// mostDegree is the largest degree of a TensorSketch: beyond it all is noise.
const mostDegree = 30

// Fit approximates the kernel matrix of the rows of one source. It takes one pass and no
// kernel entries but those of the weights and of the error estimate.
func (m PolySketch) Fit(
	ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel,
) (*lowrank.Fit, error) {
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if p, ok := k.ProductExponential(); !ok || !p.Damped {
		return nil, fmt.Errorf("kernel %s has no tensor sketch features here: they are for rbf and a multiple of it", k)
	}
	return lowrank.Features{Name: "polysketch", Rank: m.Rank, Seed: m.Seed, Draw: m.draw}.Fit(ctx, e, d, k)
}

// draw makes the map for a kernel that Fit accepts.
func (m PolySketch) draw(k kernelgen.Kernel, sample blas64.General, n int64) (*lowrank.DrawnFeatures, error) {
	f, weight := m.series(k, sample)
	f.fitWeights(weight, k, sample, n)
	entries := int64(sample.Rows) * int64(sample.Rows)
	return &lowrank.DrawnFeatures{FeatureMap: f, Weight: weight, KernelEntries: entries}, nil
}

// series returns the sketches with the weights of the Taylor series: then
// weight·φ(x)·φ(y) is unbiased but for the degrees left out.
func (m PolySketch) series(k kernelgen.Kernel, sample blas64.General) (f *tensorMap, weight float64) {
	p, _ := k.ProductExponential()
	f = &tensorMap{scale: math.Sqrt(p.Scale), centre: medians(sample)}
	f.degrees = shareColumns(m.Rank, degreeTrace(f.squares(sample)))
	f.draw(m.Seed)
	return f, p.Weight
}

// medians returns the median of each column: outliers do not move it.
func medians(x blas64.General) []float64 {
	c := make([]float64, x.Cols)
	for j := range c {
		column := mat.Col(nil, j, lab.Dense(x))
		slices.Sort(column)
		c[j] = column[len(column)/2]
	}
	return c
}

// degreeTrace estimates the part of the trace of A that each degree holds: the mean over
// rows of exp(−‖x̂‖²)·‖x̂‖^2j/j!.
func degreeTrace(squares []float64) []float64 {
	held := make([]float64, mostDegree+1)
	for _, s := range squares {
		for j := range held {
			factorial, _ := math.Lgamma(float64(j + 1))
			power := 0.0 // the logarithm of ‖x̂‖^2j
			if j > 0 {
				power = float64(j) * math.Log(s)
			}
			held[j] += math.Exp(power-factorial-s) / float64(len(squares))
		}
	}
	return held
}

// shareColumns gives degree 0 one of c columns, and the others their part of the trace;
// the degree with the largest part gets what rounding leaves. Degrees without a column
// are left out.
func shareColumns(c int, held []float64) []degree {
	degrees := []degree{{columns: 1, weight: 1}}
	total, left, largest := floats.Sum(held[1:]), c-1, 1+floats.MaxIdx(held[1:])
	columns := make([]int, len(held))
	for j := 1; j < len(held) && total > 0; j++ {
		columns[j] = int(held[j] / total * float64(c-1))
		left -= columns[j]
	}
	columns[largest] += left
	weight := 1.0 // √(1/j!)
	for j := 1; j < len(held); j++ {
		weight /= math.Sqrt(float64(j))
		if columns[j] > 0 {
			degrees = append(degrees, degree{power: j, columns: columns[j], weight: weight})
		}
	}
	return degrees
}
