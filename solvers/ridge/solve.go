package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// normal are the normal equations of some rows: the Gram matrix of [z | 1 | y]·√w, with the means
// of features and outputs taken away.
type normal struct {
	centered    blas64.General // of the features, p×p
	right       blas64.General // p×t: features against outputs
	means       []float64      // of features and outputs
	weight      float64        // of all rows
	unexplained []float64      // Σ w·(y − ȳ)² of each output
}

// newNormal centers a Gram matrix of p features. It fails if no row has a weight.
func newNormal(gram blas64.General, p int) (*normal, error) {
	t := gram.Cols - p - 1
	n := &normal{centered: stream.NewMatrix(p, p), right: stream.NewMatrix(p, t), weight: dense.Row(gram, p)[p],
		means: make([]float64, p+t), unexplained: make([]float64, t)}
	if !(n.weight > 0 && dense.Finite(gram)) {
		return nil, fmt.Errorf("rows of a total weight of %v, with finite features: %v", n.weight, dense.Finite(gram))
	}
	copy(n.means, dense.Row(gram, p)[:p])
	copy(n.means[p:], dense.Row(gram, p)[p+1:])
	for i := range n.means {
		n.means[i] /= n.weight
	}
	for i := range p {
		row, mean := dense.Row(gram, i), n.weight*n.means[i]
		for j := range p {
			dense.Row(n.centered, i)[j] = row[j] - mean*n.means[j]
		}
		for j := range t {
			dense.Row(n.right, i)[j] = row[p+1+j] - mean*n.means[p+j]
		}
	}
	for j := range t {
		n.unexplained[j] = dense.Row(gram, p+1+j)[p+1+j] - n.weight*n.means[p+j]*n.means[p+j]
	}
	return n, nil
}

// factor returns R with RᵀR = centered + penalty·I. It fails if the penalty is too small. Cost: p³/3
// flops.
func (n *normal) factor(penalty float64) (blas64.Triangular, error) {
	a := dense.Clone(n.centered)
	for i := range a.Rows {
		dense.Row(a, i)[i] += penalty
	}
	if !dense.Cholesky(a) {
		return blas64.Triangular{}, fmt.Errorf("the penalty %g is too small for %d features", penalty, a.Rows)
	}
	return basis.Upper(a), nil
}

// solve returns the coefficients of features, and below them the intercepts: (p+1)×t. It fails if
// the penalty is too small to factor the equations. Cost: p³/3 flops.
func (n *normal) solve(penalty float64) (blas64.General, error) {
	p, t := n.right.Rows, n.right.Cols
	out := stream.NewMatrix(p+1, t)
	factor, err := n.factor(penalty)
	if err != nil {
		return out, err
	}
	b := stream.RowSlice(out, 0, p)
	for i := range p {
		copy(dense.Row(b, i), dense.Row(n.right, i))
	}
	lapack64.Potrs(factor, b)
	for j := range t {
		intercept := n.means[p+j]
		for i := range p {
			intercept -= n.means[i] * dense.Row(b, i)[j]
		}
		dense.Row(out, p)[j] = intercept
	}
	return out, nil
}

// squaredErrors returns Σ w·(y − zB − b)² of each output over the rows of a Gram matrix.
func squaredErrors(gram, coefficients blas64.General) []float64 {
	p1, t := coefficients.Rows, coefficients.Cols
	features := dense.Columns(stream.RowSlice(gram, 0, p1), 0, p1)
	products := dense.Mul(blas.NoTrans, features, blas.NoTrans, coefficients)
	sums := make([]float64, t)
	for j := range t {
		sums[j] = dense.Row(gram, p1+j)[p1+j]
		for i := range p1 {
			c := dense.Row(coefficients, i)[j]
			sums[j] += c * (dense.Row(products, i)[j] - 2*dense.Row(gram, i)[p1+j])
		}
		sums[j] = math.Max(0, sums[j])
	}
	return sums
}

// total returns the sum of Gram matrices without one part; none is left out if it is below 0.
func total(grams []blas64.General, without int) blas64.General {
	sum := stream.NewMatrix(grams[0].Rows, grams[0].Cols)
	for p, g := range grams {
		if p != without {
			dense.Add(1, g, sum)
		}
	}
	return sum
}

// largest estimates the largest eigenvalue of a positive semi-definite matrix from below, by
// products with a vector.
func largest(a blas64.General) float64 {
	x, norm := make([]float64, a.Rows), 0.0
	for i := range x {
		x[i] = 1 / math.Sqrt(float64(a.Rows))
		norm = math.Max(norm, dense.Row(a, i)[i])
	}
	for range 30 {
		y := dense.MulVector(blas.NoTrans, a, x)
		length := dense.Norm(y)
		if !(length > 0) {
			break
		}
		norm = math.Max(norm, length)
		blas64.Scal(1/length, dense.Vector(y))
		x = y
	}
	return norm
}

// trained is what a part left out gives: coefficients for each penalty.
type trained [][]blas64.General // of each tested part, and penalty

// train fits all tested parts with all penalties. A penalty that is too small for a part has no
// coefficients there.
func (c *candidate) train(ctx context.Context, penalties []float64) (trained, error) {
	out, p := make(trained, c.folds.tested), c.upper.Cols
	for part := range out {
		out[part] = make([]blas64.General, len(penalties))
		n, err := newNormal(total(c.grams, part), p)
		if err != nil {
			return nil, fmt.Errorf("%s: without fold %d of %d: %w; take fewer `folds`", c.data.Rows.Info().Name, part+1,
				c.folds.tested, err)
		}
		err = stream.Each(ctx, c.engine.Threads, len(penalties), func(i int) error {
			if b, err := n.solve(penalties[i]); err == nil {
				out[part][i] = b
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
