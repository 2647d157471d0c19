package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// tripletRank is the rank of the decompositions.
const tripletRank = 20

// tripletKernels are the kernels for directed graphs, all centred.
var tripletKernels = []string{"sne(gamma=2)", "t()", "softmax(scale=0.5)", "rbf(sigma=3)", "poly(degree=2, gamma=1, coef0=1)"}

// tripletLandmarks are the numbers of landmarks of each side; 0 means all.
var tripletLandmarks = []int{100, 400, 1200, 0}

// triplets compares the estimates of ksvd fits with the exact leading triplets, and with errors and residuals over all
// entries.
func triplets(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: fmt.Sprintf("What fit ksvd --method nystrom says, and the truth: rank %d, centred", tripletRank),
		Head: []string{"graph", "kernel", "landmarks", "directions: said", "true", "missed: said", "true", "residual: said", "true",
			"spectral: said", "true", "Frobenius: said", "true", "warns"}}
	counts := map[string]*agreement{}
	for _, name := range o.data {
		a, err := tripletGraph(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, text := range tripletKernels {
			if err := tripletCases(ctx, t, counts, name, a, text, tripletLandmarks); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", name, text, err)
			}
		}
	}
	t.Notes = append(t.Notes, "directions: the error η of the leading singular directions, from 0 to 2. residual: the largest one. "+
		"Errors are relative to the norm of G. Numbers below 0.002 count as equal.")
	for _, figure := range []string{"directions", "residual", "spectral", "Frobenius"} {
		if c := counts[figure]; c != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: within a factor of 2 in %d of %d cases; the truth beyond 3 times without a warning in %d.",
				figure, c.near, c.cases, c.silent))
		}
	}
	return t, nil
}

// agreement counts how often estimates are close to the truth.
type agreement struct{ cases, near, silent int }

// add compares an estimate with the true value.
func (c *agreement) add(said, truth float64, warns bool) {
	const rounding = 0.002
	c.cases++
	if math.Max(said, truth) <= rounding || said <= 2*truth && truth <= 2*said {
		c.near++
	}
	if truth > 3*math.Max(said, rounding) && !warns {
		c.silent++
	}
}

// tripletCases adds a row for each number of landmarks.
func tripletCases(ctx context.Context, t *report.Table, counts map[string]*agreement, name string, a *sparse.CSR, text string, landmarks []int) error {
	k, err := kernelgen.Parse(text)
	if err != nil {
		return err
	}
	data, err := ksvd.Graph(name, a)
	if err != nil {
		return err
	}
	exact := ksvd.Exact{Rank: tripletRank, Center: true, ResidualTol: 1e-6, Seed: 1}
	truth, err := exact.Fit(ctx, stream.Engine{}, data, k)
	if err != nil {
		return err
	}
	for _, l := range landmarks {
		m := ksvd.Nystrom{Rank: tripletRank, Rows: min(l, a.Rows), Center: true, Seed: 1}
		if l == 0 {
			m.Rows = a.Rows
		}
		fit, err := m.Fit(ctx, stream.Engine{}, data, k)
		if err != nil {
			return err
		}
		eta, missed, err := trueDirections(ctx, truth, fit)
		if err != nil {
			return err
		}
		rows := model.Sources{Left: sparse.NewRows(name, a, nil), Right: sparse.NewRows(name, a.Transpose(), nil)}
		v, err := fit.Verify(ctx, stream.Engine{}, rows, 0, 1)
		if err != nil {
			return err
		}
		warns := len(fit.Warnings) > 0
		cells := []any{name, text, fit.Samples[0]}
		figures := []struct {
			name        string
			said, truth float64
		}{{"directions", fit.Directions.Error, eta}, {"residual", slices.Max(fit.EstimatedResiduals), slices.Max(v.Residuals)},
			{"spectral", fit.Estimates[0].Value, v.SpectralError}, {"Frobenius", fit.Estimates[1].Value, v.FrobeniusError}}
		for i, f := range figures {
			if counts[f.name] == nil {
				counts[f.name] = &agreement{}
			}
			counts[f.name].add(f.said, f.truth, warns)
			cells = append(cells, fmt.Sprintf("%.2g", f.said), fmt.Sprintf("%.2g", f.truth))
			if i == 0 {
				cells = append(cells, fit.Directions.Missed, missed)
			}
		}
		t.Add(append(cells, map[bool]string{true: "yes", false: "no"}[warns])...)
		progress(t)
	}
	return nil
}

// trueDirections returns η and the number of missed directions of a fit, from the exact triplets. As in
// [ksvd.Directions], values below a thousandth of the largest do not count.
func trueDirections(ctx context.Context, truth, fit *ksvd.Fit) (eta float64, missed int, err error) {
	values := truth.Values
	for len(values) > 0 && values[len(values)-1] < 1e-3*values[0] {
		values = values[:len(values)-1]
	}
	least := slices.Repeat([]float64{1}, len(values))
	for side, exact := range map[model.Side]blas64.General{model.Left: truth.U, model.Right: truth.V} {
		worker, rows, err := fit.Fitted(side)
		if err != nil {
			return 0, 0, err
		}
		u, err := stream.MapRows(ctx, stream.Engine{}, "transform", rows, fit.Rank(), worker)
		if err != nil {
			return 0, 0, err
		}
		part, err := projectionLengths(u, exact)
		if err != nil {
			return 0, 0, err
		}
		for i, v := range values {
			eta += v / floats.Sum(values) * (1 - part[i])
			least[i] = math.Min(least[i], part[i])
		}
	}
	for _, v := range least {
		if v*v < 0.5 {
			missed++
		}
	}
	return eta, missed, nil
}

// projectionLengths returns the lengths of the projections of unit vectors onto the span of the columns of u.
func projectionLengths(u, unit blas64.General) ([]float64, error) {
	x := mat.NewDense(u.Rows, u.Cols, nil)
	x.Copy(gonumOf(u))
	for j := range u.Cols {
		if norm := mat.Norm(x.ColView(j), 2); norm > 0 {
			column := x.ColView(j).(*mat.VecDense)
			column.ScaleVec(1/norm, column)
		}
	}
	var d mat.SVD
	if !d.Factorize(x, mat.SVDThin) {
		return nil, errors.New("the SVD of the vectors did not converge")
	}
	var basis, inner mat.Dense
	d.UTo(&basis)
	rank := floats.Count(func(v float64) bool { return v > 1e-12 }, d.Values(nil))
	inner.Mul(basis.Slice(0, u.Rows, 0, rank).T(), gonumOf(unit))
	out := make([]float64, unit.Cols)
	for j := range out {
		out[j] = math.Min(1, mat.Norm(inner.ColView(j), 2))
	}
	return out, nil
}

// gonumOf returns a gonum matrix that shares the memory of m.
func gonumOf(m blas64.General) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(m)
	return &d
}

// tripletGraph returns A + I for one of three graphs: cora; a graph with power-law in-degrees; or forty groups in a
// circle, with most edges from each group to the next.
func tripletGraph(ctx context.Context, name string) (*sparse.CSR, error) {
	switch name {
	case "powerlaw":
		return madeGraph(3000, func(r *rand.Rand, from int) int { return int(3000 * math.Pow(r.Float64(), 3)) })
	case "groups":
		return madeGraph(2400, func(r *rand.Rand, from int) int {
			if r.IntN(4) == 0 {
				return r.IntN(2400)
			}
			return (from/60+1)%40*60 + r.IntN(60)
		})
	}
	base := filepath.Join(datasets.Dir(), name)
	nodes, err := graph.ReadNodes(ctx, base+".labels.csv", "", graph.Options{})
	if err != nil {
		return nil, err
	}
	g, err := graph.Read(ctx, base+".edges.csv", graph.Options{Nodes: nodes, Simple: true, Weight: "-"})
	if err != nil {
		return nil, err
	}
	return withLoops(g.Adjacency), nil
}

// madeGraph draws six outgoing edges for each node.
func madeGraph(nodes int, to func(r *rand.Rand, from int) int) (*sparse.CSR, error) {
	r := rand.New(rand.NewPCG(1, 2))
	var entries []sparse.Entry
	for i := range 6 * nodes {
		entries = append(entries, sparse.Entry{Row: int32(i % nodes), Col: int32(to(r, i%nodes)), Value: 1})
	}
	a, err := sparse.NewCSR(nodes, nodes, slices.Values(entries))
	if err != nil {
		return nil, err
	}
	return withLoops(a), nil
}

// withLoops returns A + I with weights of 1.
func withLoops(a *sparse.CSR) *sparse.CSR {
	loops := a.AddIdentity()
	loops.Value = nil
	return loops
}
