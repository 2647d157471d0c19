package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// coreRows holds the rows of one side that fit the core of a published sketch, as the columns of
//
//	B = [√(n/s)·O  E]        O the s columns of the core sketch, E unit vectors of the rows found
//
// The core sketch alone hardly covers a direction that lives on few rows, and a fit would divide by nearly zero. The
// pass therefore finds rows of high leverage, which represent themselves: their entries in O are 0. The weight gives
// BᵀQ the norm of a uniform sample of all other rows.
type coreRows struct {
	signs         *sketch.SparseSign // O
	rows          blas64.General     // the rows of core, followed by those found
	core          *basis.Panel       // the rows with nonzeros in O
	found         *basis.Panel
	weight        float64 // √(n/s)
	absent        []int   // positions in O of rows that were found, ascending
	absentColumns []int   // their indices among the columns of tiles
}

// newCoreRows joins the rows of a core sketch of n rows and those found, both from one source. It copies the rows once.
func newCoreRows(signs *sketch.SparseSign, core, found *basis.Panel) *coreRows {
	r := &coreRows{signs: signs, rows: stackRows(core.Rows, found.Rows), weight: math.Sqrt(float64(signs.Rows) / float64(signs.Cols))}
	r.core = basis.NewPanel(matrix.Rows(r.rows, 0, core.Count()), core.Number, nil)
	r.found = basis.NewPanel(matrix.Rows(r.rows, core.Count(), found.Count()), found.Number, nil)
	for _, number := range found.Number {
		if k, both := slices.BinarySearch(core.Number, number); both {
			r.absent = append(r.absent, k)
		}
	}
	for place, k := range signs.FoldOrder() {
		if _, absent := slices.BinarySearch(r.absent, k); absent {
			r.absentColumns = append(r.absentColumns, place)
		}
	}
	return r
}

// cols returns the columns of tiles: a copy of the rows of core in folding order, followed by those found.
func (r *coreRows) cols() *basis.Panel {
	order := slices.Clone(r.signs.FoldOrder())
	for i := range r.found.Count() {
		order = append(order, r.core.Count()+i)
	}
	return basis.NewPanel(dense.PickRows(r.rows, order), nil, nil)
}

// width returns the number of columns of B.
func (r *coreRows) width() int { return r.signs.Cols + r.found.Count() }

// stackRows returns the rows of a above those of b.
func stackRows(a, b blas64.General) blas64.General {
	all := matrix.New(a.Rows+b.Rows, a.Cols)
	for i := range all.Rows {
		if i < a.Rows {
			copy(matrix.Row(all, i), matrix.Row(a, i))
		} else {
			copy(matrix.Row(all, i), matrix.Row(b, i-a.Rows))
		}
	}
	return all
}

// weights returns the norms of the columns of B if no row of O was found.
func (r *coreRows) weights() []float64 {
	w := make([]float64, r.width())
	for i := range w {
		w[i] = 1
		if i < r.signs.Cols {
			w[i] = r.weight
		}
	}
	return w
}

// squares returns the diagonal of BᵀB, which is a diagonal matrix.
func (r *coreRows) squares() []float64 {
	g := make([]float64, r.width())
	for k := range r.core.Count() {
		if _, absent := slices.BinarySearch(r.absent, k); !absent {
			g[r.signs.Col(k)] += math.Pow(r.weight*r.signs.Value(k), 2)
		}
	}
	for i := r.signs.Cols; i < len(g); i++ {
		g[i] = 1
	}
	return g
}

// foldCols stores tile·B, without weights, in dst. The columns of tile are those of cols. It changes the tile.
func (r *coreRows) foldCols(dst, tile blas64.General) {
	of := matrix.Columns(tile, 0, r.core.Count())
	for i := range of.Rows {
		for _, place := range r.absentColumns {
			matrix.Row(of, i)[place] = 0
		}
	}
	r.signs.FoldCols(matrix.Columns(dst, 0, r.signs.Cols), of)
	for i := range dst.Rows {
		copy(matrix.Row(dst, i)[r.signs.Cols:], matrix.Row(tile, i)[r.core.Count():])
	}
}

// foldRows adds Bᵀ·tile, without weights, to sum. The rows of tile are those of rows from first on. It changes the
// tile.
func (r *coreRows) foldRows(sum, tile blas64.General, first int) {
	sketched := min(max(0, r.core.Count()-first), tile.Rows)
	for i := range sketched {
		if _, absent := slices.BinarySearch(r.absent, first+i); absent {
			clear(matrix.Row(tile, i))
		}
	}
	if sketched > 0 {
		r.signs.FoldRows(matrix.Rows(sum, 0, r.signs.Cols), matrix.Rows(tile, 0, sketched), first)
	}
	for i := sketched; i < tile.Rows; i++ {
		matrix.Axpy(1, matrix.Row(tile, i), matrix.Row(sum, r.signs.Cols+first+i-r.core.Count()))
	}
}

// embed returns Bᵀ·Q, where Q embeds the rows of the named source by landmarks.
func (r *coreRows) embed(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	side *Embedding, landmarks *basis.Panel, name string) (blas64.General, error) {
	b := matrix.New(r.width(), side.Rank())
	if side.Rank() == 0 {
		return b, nil
	}
	first := 0
	for _, p := range []*basis.Panel{r.core, r.found} {
		if p.Count() == 0 {
			continue
		}
		q, err := embedRows(ctx, e, t, side, landmarks, p, name)
		if err != nil {
			return q, err
		}
		r.foldRows(b, q, first)
		first += p.Count()
	}
	dense.ScaleRows(b, r.weights())
	return b, nil
}

// foldedCore returns Bᵀ·K·B between the rows of two sides, which may be the same.
func foldedCore(ctx context.Context, e stream.Engine, t *tiles.Tiles, left, right *coreRows) (blas64.General, error) {
	z, err := foldCore(ctx, e, t, left.rows, right.cols(), left.width(), right.width(), func() func(blas64.General, int, blas64.General) {
		fold := matrix.New(basis.PanelRows, right.width())
		return func(sum blas64.General, first int, tile blas64.General) {
			part := matrix.Rows(fold, 0, tile.Rows)
			right.foldCols(part, tile)
			left.foldRows(sum, part, first)
		}
	})
	if err == nil {
		dense.ScaleRows(z, left.weights())
		dense.ScaleColumns(z, right.weights())
	}
	return z, err
}
