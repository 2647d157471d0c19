package lowrank

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// svdSpace is a pair of block Krylov spaces of the m×n kernel matrix A between
// rows in memory: orthonormal bases P of left and Q of right vectors, and Aᵀ·P
// and A·Q.
type svdSpace struct {
	p, q   blockBasis
	tiles  *tiles
	engine stream.Engine
	rows   *svdRows
	probe  *probe
	passes int // exact passes so far
}

// newSVDSpace is the pair of spaces that begins with the columns of two blocks.
func newSVDSpace(t *tiles, e stream.Engine, rows *svdRows, start [2]blas64.General, method SubspaceSVD) (*svdSpace, error) {
	m, n := start[0].Rows, start[1].Rows
	most := int64(max(start[0].Cols, start[1].Cols)) * int64(method.Passes)
	s := &svdSpace{tiles: t, engine: e, rows: rows, probe: newProbe(m, n, method.Seed),
		p: newBlockBasis(m, n, int(min(int64(m), most))), q: newBlockBasis(n, m, int(min(int64(n), most)))}
	_, errP := s.p.add(start[0], RankTolerance)
	_, errQ := s.q.add(start[1], RankTolerance)
	return s, firstError(errP, errQ)
}

// multiply makes an exact pass: A times the columns of Q, and Aᵀ times those of P,
// that they are not known for. A tile belongs to one row block of A·Q and one of
// Aᵀ·P, and each of them gets its tiles in a fixed order: see stream.Pairs.
func (s *svdSpace) multiply(ctx context.Context) error {
	p, atp := s.p.unknown()
	q, aq := s.q.unknown()
	first := s.passes == 0
	err := stream.Pairs(ctx, s.engine, "exact pass", s.rows.l, s.rows.r, stream.Full, func() func(i, j *stream.Block) error {
		var w kernelgen.Workspace
		buf := stream.NewMatrix(stream.PairRows, stream.PairRows)
		return func(i, j *stream.Block) error {
			tile := blas64.General{Rows: i.X.Rows, Cols: j.X.Rows, Stride: j.X.Rows, Data: buf.Data[:i.X.Rows*j.X.Rows]}
			s.tiles.fill(tile, i.X, s.tiles.pack(j.X, nil, nil), &w)
			addProduct(blas.NoTrans, tile, blockRows(q, j), blockRows(aq, i))
			addProduct(blas.Trans, tile, blockRows(p, i), blockRows(atp, j))
			if first {
				addProduct(blas.NoTrans, tile, blockRows(s.probe.g, j), blockRows(s.probe.ag, i))
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	s.p.known, s.q.known = s.p.cols, s.q.cols
	s.passes++
	same := func(i int) int64 { return int64(i) }
	return firstError(s.tiles.checkFinite(aq, s.rows.l.Info().Name, same), s.tiles.checkFinite(s.probe.ag, s.rows.l.Info().Name, same),
		s.tiles.checkFinite(atp, s.rows.r.Info().Name, same))
}

// extend adds A times the newest block of Q to P, and Aᵀ times that of P to Q, and
// says whether either has grown. norm is that of A, or nearly.
func (s *svdSpace) extend(norm float64) (bool, error) {
	aq, atp := s.q.newestProduct(), s.p.newestProduct()
	p, errP := s.p.add(aq, RankTolerance*norm)
	q, errQ := s.q.add(atp, RankTolerance*norm)
	return p || q, firstError(errP, errQ)
}

// ritzTriplets are what is known of the singular values of A from two spaces,
// whose products are known.
type ritzTriplets struct {
	values      []float64      // descending, as far as they are more than rounding
	norm        float64        // the largest
	u, v        blas64.General // Ritz vectors, m×k and n×k
	av, atu     blas64.General // A·V and Aᵀ·U
	left, right []float64      // ‖Av − σu‖ and ‖Aᵀu − σv‖ relative to norm
}

// ritz gives at most k Ritz triplets, the largest.
func (s *svdSpace) ritz(k int) (*ritzTriplets, error) {
	d, err := newSVD("the projected kernel matrix", dense.Mul(blas.Trans, s.p.basis(), blas.NoTrans, s.q.product()))
	if err != nil {
		return nil, err
	}
	k = min(k, dense.Rank(d.S, RankTolerance))
	f, g := dense.Columns(d.U, 0, k), dense.Columns(d.V, 0, k)
	r := &ritzTriplets{values: d.S[:k],
		u: dense.Mul(blas.NoTrans, s.p.basis(), blas.NoTrans, f), v: dense.Mul(blas.NoTrans, s.q.basis(), blas.NoTrans, g),
		av: dense.Mul(blas.NoTrans, s.q.product(), blas.NoTrans, g), atu: dense.Mul(blas.NoTrans, s.p.product(), blas.NoTrans, f)}
	if k > 0 {
		r.norm = r.values[0]
	}
	r.left, r.right = residualNorms(r.av, r.u, r.values, r.norm), residualNorms(r.atu, r.v, r.values, r.norm)
	return r, nil
}

// residualNorms are the norms of the columns of au − u·diag(values), over norm.
func residualNorms(au, u blas64.General, values []float64, norm float64) []float64 {
	sums := make([]float64, len(values))
	for i := range u.Rows {
		product := dense.Row(au, i)
		for j, v := range dense.Row(u, i) {
			d := (product[j] - values[j]*v) / norm
			sums[j] += d * d
		}
	}
	for j, s := range sums {
		sums[j] = math.Sqrt(s)
	}
	return sums
}

// residuals are the larger ones of each triplet.
func (r *ritzTriplets) residuals() []float64 {
	out := make([]float64, len(r.values))
	for j := range out {
		out[j] = math.Max(r.left[j], r.right[j])
	}
	return out
}

func (r *ritzTriplets) residual() float64 { return largest(r.residuals()) }

// settled keeps the triplets that Â may be built from, and says how many it has
// left out: see [SubspaceSVD].
func (r *ritzTriplets) settled() (left int) {
	var keep []int
	for j, v := range r.values {
		if relative := v / r.norm; r.left[j]*r.right[j] <= relative*relative {
			keep = append(keep, j)
		}
	}
	left = len(r.values) - len(keep)
	for _, m := range []*blas64.General{&r.u, &r.v, &r.av, &r.atu} {
		*m = pickCols(*m, keep)
	}
	r.values, r.left, r.right = pick(r.values, keep), pick(r.left, keep), pick(r.right, keep)
	return left
}

func pick(v []float64, keep []int) []float64 {
	out := make([]float64, len(keep))
	for j, k := range keep {
		out[j] = v[k]
	}
	return out
}

// pickCols copies some columns of a matrix.
func pickCols(m blas64.General, keep []int) blas64.General {
	out := stream.NewMatrix(m.Rows, len(keep))
	for i := range m.Rows {
		row := dense.Row(m, i)
		for j, k := range keep {
			out.Data[i*out.Stride+j] = row[k]
		}
	}
	return out
}
