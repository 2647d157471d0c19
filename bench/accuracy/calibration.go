package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// calibration compares estimated errors of fits with those over all entries. It shares its cases with
// TestEstimateCalibration in solvers/lowrank, which checks limits on a few of them.
func calibration(ctx context.Context, o options) (*report.Table, error) {
	var spectral, frobenius []float64
	for number := uint64(1); len(spectral) < int(o.cases); number++ {
		d, k, m, err := drawCase(number)
		if err != nil {
			return nil, err
		}
		f, err := m.Fit(ctx, stream.Engine{}, d, k)
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", number, err)
		}
		v, err := f.Verify(ctx, stream.Engine{}, d, 0, 1)
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", number, err)
		}
		if v.SpectralError > 1e-11 { // below, both are rounding errors
			spectral = append(spectral, v.SpectralError/f.EstimateIn(lowrank.NormSpectral))
			frobenius = append(frobenius, v.FrobeniusError/f.EstimateIn(lowrank.NormFrobenius))
		}
	}
	return &report.Table{Title: fmt.Sprintf("True error over its estimate, %d random cases", o.cases),
		Head: append([]string{"truth / estimate"}, spreadHead...),
		Rows: [][]string{append([]string{"spectral"}, spread(spectral)...),
			append([]string{"Frobenius"}, spread(frobenius)...)},
	}, nil
}

var spreadHead = []string{"least", "2.5 %", "median", "97.5 %", "most", "within a factor of 2"}

// spread returns the statistics of spreadHead for ratios.
func spread(ratios []float64) (cells []string) {
	slices.Sort(ratios)
	for _, p := range []float64{0, 0.025, 0.5, 0.975, 1} {
		cells = append(cells, fmt.Sprintf("%.2f", ratios[int(p*float64(len(ratios)-1))]))
	}
	within := 0
	for _, v := range ratios {
		if v >= 0.5 && v <= 2 {
			within++
		}
	}
	return append(cells, fmt.Sprintf("%d of %d", within, len(ratios)))
}

// drawCase draws the rows, the width of the kernel, and the method and its rank.
func drawCase(number uint64) (d model.Sources, k kernelgen.Kernel, m lowrank.Method, err error) {
	r := rand.New(rand.NewPCG(number, 2))
	n := 400 + r.IntN(1100)
	x := drawRows(r, n)
	if k, err = drawKernel(r, x); err != nil {
		return d, k, nil, err
	}
	d.Left = stream.FromMatrix("rows", x)
	m, two := drawMethod(r, 4+r.IntN(min(56, n/25)), number, k)
	if two {
		split := n/2 + r.IntN(n/8)
		d.Left = stream.FromMatrix("left", matrix.Rows(x, 0, split))
		d.Right = stream.FromMatrix("right", matrix.Rows(x, split, n-split))
	}
	return d, k, m, nil
}

// drawRows draws n rows of one of seven kinds.
func drawRows(r *rand.Rand, n int) blas64.General {
	d := []int{1, 2, 3, 8, 20}[r.IntN(5)]
	x, kind := matrix.New(n, d), r.IntN(7)
	centres := matrix.New(3+r.IntN(30), d)
	for i := range centres.Data {
		centres.Data[i] = r.NormFloat64()
	}
	spread := math.Exp(-4 * r.Float64())
	for i := range n {
		centre := centres.Data[d*r.IntN(centres.Rows):]
		for j := range d {
			v := 0.0
			switch kind {
			case 0, 3: // uniform, and with a few rows far away
				if v = r.Float64(); kind == 3 && i%50 == 7 {
					v = 1000 * r.NormFloat64()
				}
			case 1: // clusters
				v = centre[j] + spread*r.NormFloat64()
			case 2: // heavy tails
				v = r.NormFloat64() / math.Sqrt(math.Abs(r.NormFloat64())+0.01)
			case 4: // repeated rows
				v = centre[j] + float64(i%2)*spread
			case 5: // nearly binary
				v = float64(r.IntN(2)) + 0.001*r.NormFloat64()
			case 6: // thin
				v = r.NormFloat64() * math.Exp(-float64(j))
			}
			x.Data[i*d+j] = v
		}
	}
	return x
}

// drawKernel draws a kernel with the median distance or less as its width.
func drawKernel(r *rand.Rand, x blas64.General) (kernelgen.Kernel, error) {
	texts := []string{"rbf(sigma=median)", "rbf(sigma=median)", "laplace(gamma=median)", "matern32(length=median)",
		"imq(length=median)", "poly(degree=2, gamma=0.1)"}
	k, err := kernelgen.Parse(texts[r.IntN(len(texts))])
	if err != nil {
		return k, err
	}
	narrow := math.Exp(2 * r.Float64())
	scaled := matrix.New(x.Rows, x.Cols)
	for i, v := range x.Data {
		scaled.Data[i] = v / narrow
	}
	return k.Resolve(scaled)
}

// drawMethod draws a method of rank c, and reports whether it fits a matrix between two sources.
func drawMethod(r *rand.Rand, c int, seed uint64, k kernelgen.Kernel) (m lowrank.Method, two bool) {
	landmark := lowrank.Landmark{Rank: c, Seed: seed}
	fitted, unshifted, determinantal := landmark, landmark, landmark
	fitted.Shift, determinantal.Rule = lowrank.ShiftFitted, lowrank.RuleDeterminantal
	unshifted.Shift, unshifted.Rule, unshifted.Landmarks, unshifted.Core = lowrank.ShiftNone, lowrank.RuleUniform, c, 5*c
	methods := []lowrank.Method{landmark, landmark, fitted, lowrank.S3SPSD{Rank: c, Seed: seed},
		lowrank.SSRSVD{Rank: c, Seed: seed}, lowrank.Nystrom{Rank: c, Seed: seed},
		lowrank.Nystrom{Rank: c, Seed: seed, Landmarks: 3 * c, Rule: lowrank.RulePivoted}, unshifted,
		lowrank.S3SPSD{Rank: c, Seed: seed, Shift: lowrank.ShiftPaper}, lowrank.RPCholesky{Rank: c, Seed: seed},
		lowrank.RFF{Rank: c, Seed: seed}, landmark}
	number := r.IntN(len(methods))
	m = methods[number]
	if _, err := k.SpectralMeasure(); number == 10 && err != nil { // the kernel has no random features
		m = determinantal
	}
	return m, number == 11 || number == 4 && r.IntN(2) == 0
}
