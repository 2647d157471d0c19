package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// normalEquations holds the normal equations of some rows: the Gram matrix of [z | 1 | y]·√w, centered by the means of
// features and outputs.
type normalEquations struct {
	whole, without blas64.General // the Gram matrix is whole − without; without may have no rows
	right          blas64.General // p×t: products of features and outputs
	means          []float64      // of features and outputs
	weight         float64        // total weight of the rows
	unexplained    []float64      // Σ w·(y − ȳ)² of each output
}

// newNormalEquations centers the Gram matrix whole − without of p features. without may have no rows. It fails if the
// total weight is 0.
func newNormalEquations(whole, without blas64.General, p int) (*normalEquations, error) {
	t := whole.Cols - p - 1
	n := &normalEquations{whole: whole, without: without, right: matrix.New(p, t), means: make([]float64, p+t+1),
		unexplained: make([]float64, t)}
	n.row(n.means, p, 0)
	n.weight = n.means[p]
	if finite := dense.Finite(whole); !(n.weight > 0 && finite) {
		return nil, fmt.Errorf("rows of a total weight of %v, with finite features: %v", n.weight, finite)
	}
	n.means = slices.Delete(n.means, p, p+1)
	blas64.Scal(1/n.weight, dense.Vector(n.means))
	for i := range p {
		row := matrix.Row(n.right, i)
		n.row(row, i, p+1)
		matrix.Axpy(-n.weight*n.means[i], n.means[p:], row)
	}
	for j, mean := range n.means[p:] {
		n.row(n.unexplained[j:j+1], p+1+j, p+1+j)
		n.unexplained[j] -= n.weight * mean * mean
	}
	return n, nil
}

// row stores row i of the Gram matrix, starting at column from, in dst.
func (n *normalEquations) row(dst []float64, i, from int) {
	copy(dst, matrix.Row(n.whole, i)[from:])
	if n.without.Rows > 0 {
		matrix.Axpy(-1, matrix.Row(n.without, i)[from:][:len(dst)], dst)
	}
}

// upper returns the upper triangle of the centered Gram matrix of features + penalty·I.
func (n *normalEquations) upper(penalty float64) blas64.General {
	p := n.right.Rows
	a := matrix.New(p, p)
	for i := range p {
		row := matrix.Row(a, i)[i:]
		n.row(row, i, i)
		matrix.Axpy(-n.weight*n.means[i], n.means[i:p], row)
		row[0] += penalty
	}
	return a
}

// factor returns R of [normalEquations.upper] = RᵀR. It fails if the penalty is too small. Cost: p³/3 flops.
func (n *normalEquations) factor(penalty float64) (blas64.Triangular, error) {
	a := n.upper(penalty)
	if !dense.Cholesky(a) {
		return blas64.Triangular{}, fmt.Errorf("the penalty %g is too small for %d features", penalty, a.Rows)
	}
	return basis.Upper(a), nil
}

// solve returns the coefficients of the features, followed by a row of intercepts: (p+1)×t. It fails if the penalty is
// too small to factor the equations. Cost: p³/3 flops.
func (n *normalEquations) solve(penalty float64) (blas64.General, error) {
	p, t := n.right.Rows, n.right.Cols
	out := matrix.New(p+1, t)
	factor, err := n.factor(penalty)
	if err != nil {
		return out, err
	}
	b := matrix.Rows(out, 0, p)
	for i := range p {
		copy(matrix.Row(b, i), matrix.Row(n.right, i))
	}
	lapack64.Potrs(factor, b)
	for j := range t {
		intercept := n.means[p+j]
		for i := range p {
			intercept -= n.means[i] * matrix.Row(b, i)[j]
		}
		matrix.Row(out, p)[j] = intercept
	}
	return out, nil
}

// squaredErrors returns Σ w·(y − zB − b)² of each output over the rows of a Gram matrix.
func squaredErrors(gram, coefficients blas64.General) []float64 {
	p1, t := coefficients.Rows, coefficients.Cols
	features := matrix.Columns(matrix.Rows(gram, 0, p1), 0, p1)
	products := dense.Mul(blas.NoTrans, features, blas.NoTrans, coefficients)
	sums := make([]float64, t)
	for j := range sums {
		sums[j] = matrix.Row(gram, p1+j)[p1+j]
	}
	for i := range p1 {
		product, right := matrix.Row(products, i), matrix.Row(gram, i)[p1:]
		for j, c := range matrix.Row(coefficients, i) {
			sums[j] += c * (product[j] - 2*right[j])
		}
	}
	for j, v := range sums {
		sums[j] = math.Max(0, v)
	}
	return sums
}

// sumMatrices returns the sum of Gram matrices.
func sumMatrices(grams []blas64.General) blas64.General {
	sum := matrix.Clone(grams[0])
	for _, g := range grams[1:] {
		dense.Add(1, g, sum)
	}
	return sum
}

// largestEigenvalue returns a lower estimate of the largest eigenvalue of a positive semi-definite matrix, by power
// iteration. It reads the upper triangle.
func largestEigenvalue(a blas64.General) float64 {
	x, norm := make([]float64, a.Rows), 0.0
	for i := range x {
		x[i] = 1 / math.Sqrt(float64(a.Rows))
		norm = math.Max(norm, matrix.Row(a, i)[i])
	}
	symmetric := blas64.Symmetric{N: a.Rows, Stride: a.Stride, Uplo: blas.Upper, Data: a.Data}
	for range 30 {
		y := make([]float64, a.Rows)
		blas64.Symv(1, symmetric, dense.Vector(x), 0, dense.Vector(y))
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

// by tested part, then penalty
type foldCoefficients [][]blas64.General // of each tested part, and penalty

// train fits all tested parts with all penalties. If a penalty is too small for a part, its coefficients are empty.
func (c *candidate) train(ctx context.Context, penalties []float64) (foldCoefficients, error) {
	out := make(foldCoefficients, c.folds.tested)
	return out, stream.Each(ctx, c.engine.Threads, len(out), func(part int) error {
		n, err := newNormalEquations(c.all.whole, c.grams[part], c.upper.Cols)
		if err != nil {
			return fmt.Errorf("%s: without fold %d of %d: %w; take fewer `Folds`", c.data.Rows.Info().Name, part+1,
				c.folds.tested, err)
		}
		out[part] = make([]blas64.General, len(penalties))
		for i, lambda := range penalties {
			if b, err := n.solve(lambda); err == nil {
				out[part][i] = b
			}
		}
		return nil
	})
}
