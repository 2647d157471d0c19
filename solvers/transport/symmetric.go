package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// The transport of a side to itself with a symmetric kernel has one scaling, u = v. An iteration takes the mean of log u
// and of Sinkhorn's step from it (Feydy et al. 2019, Section 3.1). With a positive definite kernel that at least halves
// the error, whatever ε is. It computes half of the tiles: a tile and its mirror image are one.

// symmetric reports whether both sides have the same scaling.
func (x *exact) symmetric() bool { return x.left == x.right && x.logs.Kernel.Symmetric() }

// symmetricStep makes an iteration, and returns the error of the plan before it.
func (x *exact) symmetricStep(ctx context.Context) (before float64, err error) {
	masses, err := x.halfMasses(ctx)
	if err != nil {
		return 0, err
	}
	logs, err := x.logsOf(ctx, masses)
	if err != nil {
		return 0, err
	}
	exponent := x.exponent()
	var change, mass float64
	for i, log := range logs {
		f := x.left.log[i] - exponent*log
		after := math.Exp(f + log)
		change += math.Abs(math.Exp(x.f[i]+log) - after)
		mass += after
		x.f[i] = (x.f[i] + f) / 2
	}
	return change / mass, nil
}

// halfMasses returns the row sums of the plan, from the upper half of its tiles.
func (x *exact) halfMasses(ctx context.Context) ([]float64, error) {
	x.passes++
	n := x.left.rows.Rows
	across, down := make([]float64, n), make([]float64, n) // as rows of tiles and as columns
	if x.pairs == nil {
		rows := &tiles.Rows{Dense: x.left.rows}
		x.pairs = x.logs.NewGrid(x.engine, [2]string{x.left.name, x.left.name}, rows, rows)
	}
	err := x.pairs.Pairs(ctx, "round", stream.Upper, func() tiles.Visitor {
		ones := make([]float64, min(stream.PairRows, n))
		floats.AddConst(1, ones)
		return func(tile blas64.General, i, j int) error {
			for k := range tile.Rows {
				row := dense.Row(tile, k)
				dense.Axpy(1, x.f[j:j+tile.Cols], row)
				floats.AddConst(x.f[i+k], row)
				logsum.Exponentials(row)
				across[i+k] += floats.Sum(row)
			}
			if i != j {
				blas64.Gemv(blas.Trans, 1, tile, dense.Vector(ones[:tile.Rows]), 1, dense.Vector(down[j:j+tile.Cols]))
			}
			return nil
		}
	})
	floats.Add(across, down)
	return across, err
}
