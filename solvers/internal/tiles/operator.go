package tiles

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Operator multiplies by K in exact passes; it is a [krylov.Operator]. If Centered, K is multiplied by I − 11ᵀ/N from
// the left and by I − 11ᵀ/M from the right. The first pass then computes the means, unless Sums has them.
type Operator struct {
	Grid     *Grid
	Sums     *Sums
	Centered bool
}

// pass makes an exact pass over the uncentered tiles of K.
func (o *Operator) pass(ctx context.Context, visit Visitor) error {
	means := o.Centered && o.Sums.RowMeans == nil
	if means {
		o.Sums.begin(o.Grid)
	}
	err := o.Grid.Pairs(ctx, "exact pass", false, func() Visitor {
		return func(tile blas64.General, i, j int) error {
			o.Sums.divide(o.Grid.Tiles, tile, i)
			if means {
				o.Sums.add(tile, i, j)
			}
			return visit(tile, i, j)
		}
	})
	if err == nil && means {
		o.Sums.finish()
		err = o.Sums.Check(o.Grid.Tiles, o.Grid.names)
	}
	return err
}

// Multiply implements [krylov.Operator] by one exact pass. It fails, naming the row, if a product is not finite.
func (o *Operator) Multiply(ctx context.Context, q, aq, p, atp blas64.General) error {
	matrix.Clear(aq)
	matrix.Clear(atp)
	product := &Product{Q: q, AQ: aq, P: p, ATP: atp}
	err := o.pass(ctx, product.Add)
	if err == nil {
		err = o.Grid.check(product)
	}
	if err == nil && o.Centered {
		// The vectors have mean 0 up to rounding, but short ones may be mostly rounding.
		subtractOuter(aq, o.Sums.RowMeans, q)
		subtractOuter(atp, o.Sums.ColMeans, p)
		dense.CenterColumns(aq)
		dense.CenterColumns(atp)
	}
	return err
}

// Product sums the products of a pass over tiles: AQ = K·Q and ATP = Kᵀ·P. Matrices without columns are skipped.
type Product struct {
	Q, AQ, P, ATP blas64.General
	Half          bool // the pass is over [stream.Upper]: diagonal tiles go to AQ alone
}

// Add implements [Visitor].
func (p *Product) Add(tile blas64.General, i, j int) error {
	rows := func(m blas64.General) blas64.General { return matrix.Rows(m, i, tile.Rows) }
	cols := func(m blas64.General) blas64.General { return matrix.Rows(m, j, tile.Cols) }
	if p.Q.Cols > 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, tile, cols(p.Q), 1, rows(p.AQ))
	}
	if p.P.Cols > 0 && !(p.Half && i == j) {
		dense.Gemm(blas.Trans, blas.NoTrans, 1, tile, rows(p.P), 1, cols(p.ATP))
	}
	return nil
}

// check returns an error for the first row with a product that is not finite.
func (g *Grid) check(p *Product) error {
	for side, m := range []blas64.General{p.AQ, p.ATP} {
		if i, _, bad := dense.NotFinite(m); bad {
			what := fmt.Sprintf("kernel %s is not finite between this row and another", g.Tiles.Kernel)
			return BadRow(g.names[side], int64(i), what)
		}
	}
	return nil
}

// Multiply makes a pass over raw tiles and sums their product. Then it passes the tiles to visitors from also, unless
// it is nil. It fails, naming the row, if a product is not finite.
func (g *Grid) Multiply(ctx context.Context, pass string, p *Product, also func() Visitor) error {
	shape := false
	if p.Half {
		shape = true
	}
	err := g.Pairs(ctx, pass, shape, func() Visitor {
		if also == nil {
			return p.Add
		}
		visit := also()
		return func(tile blas64.General, i, j int) error { return cmp.Or(p.Add(tile, i, j), visit(tile, i, j)) }
	})
	if err != nil {
		return err
	}
	return g.check(p)
}

// Symmetric multiplies by a symmetric K without a normaliser; it is a [krylov.Symmetric]. Each product is an exact pass
// over half of the tiles.
type Symmetric struct{ Grid *Grid }

// Multiply implements [krylov.Symmetric].
func (s Symmetric) Multiply(ctx context.Context, x, y blas64.General) error {
	matrix.Clear(y)
	p := &Product{Q: x, AQ: y, P: x, ATP: matrix.New(y.Rows, y.Cols), Half: true}
	if err := s.Grid.Multiply(ctx, "exact pass", p, nil); err != nil {
		return err
	}
	dense.Add(1, p.ATP, y)
	return nil
}

// subtractOuter subtracts v·(1ᵀq) from m.
func subtractOuter(m blas64.General, v []float64, q blas64.General) {
	sums := make([]float64, q.Cols)
	for i := range q.Rows {
		for k, x := range matrix.Row(q, i) {
			sums[k] += x
		}
	}
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for k := range row {
			row[k] -= v[i] * sums[k]
		}
	}
}

// Form returns K in memory, centered or not, by one exact pass.
func (o *Operator) Form(ctx context.Context) (krylov.Matrix, error) {
	a := matrix.New(int(o.Grid.rows), int(o.Grid.cols))
	err := o.pass(ctx, func(tile blas64.General, i, j int) error {
		for k := range tile.Rows {
			copy(matrix.Row(a, i+k)[j:], matrix.Row(tile, k))
		}
		return nil
	})
	if err == nil && o.Centered {
		o.Sums.Center(a)
	}
	return krylov.Matrix{General: a}, err
}

// MaxBlocks is the largest number of blocks in a Krylov space. Oversampling is the number of vectors in a block beyond
// the rank; they determine how fast residuals decrease.
const (
	MaxBlocks    = 8
	Oversampling = 8
)

// SVD computes a truncated singular value decomposition by block Krylov iteration, from random vectors on both sides.
type SVD struct {
	Rank      int
	Tolerance float64 // for the residuals of all triplets, relative to the largest singular value
	Passes    int     // limit
	Seed      uint64
	Centered  bool // the operator maps 1 to 0 from either side
	Blocks    int  // in the Krylov space; 0 means MaxBlocks
}

// Decompose returns the leading triplets of an n×m operator. The entry of largest magnitude in each right vector is
// positive. It fails with a [krylov.NotFiniteError] if products are not finite.
func (s SVD) Decompose(ctx context.Context, op krylov.Operator, n, m int) (*krylov.Triplets, error) {
	if s.Blocks == 0 {
		s.Blocks = MaxBlocks
	}
	pair, err := krylov.NewPair(op, s.start(n, "krylov left"), s.start(m, "krylov right"), s.Blocks)
	if err != nil {
		return nil, err
	}
	r, err := pair.Run(ctx, krylov.Iteration{Rank: s.Rank, Passes: s.Passes, Done: krylov.Within(s.Tolerance)})
	if err != nil {
		return nil, err
	}
	dense.FixSigns(r.U, r.V)
	return r, nil
}

// start returns standard normal columns, with mean 0 if the operator is centered.
func (s SVD) start(n int, purpose string) blas64.General {
	x := matrix.New(n, min(n, s.Rank+Oversampling))
	sketch.NewRandom(s.Seed, purpose).Normals(x)
	if s.Centered {
		dense.CenterColumns(x)
	}
	return x
}
