package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// unitRows are compared with all others to choose the unit.
const unitRows = 64

// formMatrix returns all entries of A, in one exact pass over a half of them.
func (t *tiles) formMatrix(ctx context.Context, e stream.Engine, src stream.Gatherer) (blas64.General, error) {
	n := int(src.Info().Rows)
	a := stream.NewMatrix(n, n)
	err := t.eachPair(ctx, e, "matrix", src, src, stream.Upper, func() tileVisitor {
		return func(i, j *stream.Block, tile blas64.General) {
			first := int(j.Start)
			for r := range tile.Rows {
				row := dense.Row(tile, r)
				copy(dense.Row(a, int(i.Start)+r)[first:], row)
				if i.Index == j.Index {
					continue
				}
				for c, v := range row {
					a.Data[(first+c)*a.Stride+int(i.Start)+r] = v
				}
			}
		}
	})
	if err != nil {
		return a, err
	}
	return a, t.checkFinite(a, src.Info().Name, basis.From(0))
}

// fitWhole finds all eigenvectors of A, which it forms.
func (m Subspace) fitWhole(ctx context.Context, t *tiles, e stream.Engine, rows *sideRows) (*Fit, error) {
	all := t.pack(rows.left.rows, rows.left.number, nil)
	if err := t.chooseUnit(ctx, e, stream.RowSlice(rows.left.rows, 0, min(rows.left.rows.Rows, unitRows)), all); err != nil {
		return nil, err
	}
	a, err := t.formMatrix(ctx, e, rows.l)
	if err != nil {
		return nil, err
	}
	eig, err := newEigen("the kernel matrix", a)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s, norm := m.leading(eig, choiceOf(t.kernel))
	residuals := krylov.Residuals(dense.Mul(blas.NoTrans, a, blas.NoTrans, s.u), s.u, s.values, norm)
	return m.finishSymmetric(ctx, e, t, s, &krylov.Pairs{Norm: norm, Passes: 1, Residuals: residuals}, rows)
}

// leading returns the c leading eigenpairs, but for those of rounding, and the largest
// |eigenvalue|.
func (m Subspace) leading(eig *eigen, choice krylov.Choice) (*spectrum, float64) {
	order := byOrder(eig.Values, choice == krylov.Magnitude)
	norm := dense.MaxAbs(blas64.General{Rows: 1, Cols: len(eig.Values), Stride: len(eig.Values), Data: eig.Values})
	c := min(m.Rank, len(order))
	for c > 0 && math.Abs(eig.Values[order[c-1]]) <= RankTolerance*norm {
		c--
	}
	kept, left := order[:c], order[c:]
	slices.Sort(kept) // descending values
	s := &spectrum{u: dense.PickColumns(eig.Vectors, kept), values: dense.Pick(eig.Values, kept), rest: dense.Pick(eig.Values, left)}
	s.projection = scaledColumns(s.u, dense.Reciprocals(s.values))
	return s, norm
}

// planWhole returns the cost of fitWhole.
func (m Subspace) planWhole(e stream.Engine, s model.Shape) *model.Plan {
	p := newPlanner(e, s.Rows, s.Columns)
	n := float64(s.Rows)
	p.Add("the matrix and its eigenvectors", 4*s.Rows*s.Rows, "the number of rows")
	p.Add("all rows", 4*s.Rows*int64(s.Columns), "the number of rows")
	p.Add("eigenvectors that are kept", 5*s.Rows*min(s.Rows, int64(m.Rank)), "`rank`")
	p.Add("tiles between a panel and all rows", int64(e.Workers())*basis.PanelRows*s.Rows, "`threads`")
	p.AddEntries(n*n/2 + n*float64(min(s.Rows, rowSample)))
	p.Passes, p.ExactPasses = 1, 1
	p.ByOne("it forms the matrix, which is in memory; landmark and s3spsd make passes over rows alone")
	return p.Plan
}
