package paper2

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
)

// speedRank is the number of triplets in Tables 4 and 5, the paper's.
const speedRank = 20

// speedProblem is what the solvers of Tables 4 and 5 decompose.
type speedProblem struct {
	graph     string // of which it is
	name      string // the graph, and whether G is centred
	adjacency *stream.CSR
	gamma     float64
	centred   bool
	engine    stream.Engine
}

// solver finds speedRank pairs of singular vectors, from so many samples (or
// oversamples, or passes). Solvers of one family differ in a setting, of
// which the best counts.
type solver struct {
	family, setting string
	solve           func(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error)
	first           int // samples to begin with
}

// The families, in the order of the tables.
const (
	nameTSVD     = "TSVD, tiles"
	nameRSVD     = "RSVD"
	nameSym      = "Sym. Nys"
	nameNystrom  = "asym. Nys"
	nameLeverage = "asym. Nys, leverage"
	namePaths    = "exact, paths"
)

var families = []string{nameTSVD, nameRSVD, nameSym, nameNystrom, nameLeverage, namePaths}

// solvers returns those that are brought to a tolerance by more samples.
func solvers() []solver {
	const few = 2 * speedRank
	all := []solver{
		{nameNystrom, "eq. (11)", ours(ksvd.Nystrom{Scaling: ksvd.ScaleUnit}), few},
		{nameNystrom, "orthonormal", ours(ksvd.Nystrom{Scaling: ksvd.ScaleOrthonormal}), few},
		{nameLeverage, "orthonormal", ours(ksvd.Nystrom{Scaling: ksvd.ScaleOrthonormal, Choice: ksvd.ChoiceLeverage}), few},
		{namePaths, "passes", byPaths, 1},
		{namePaths, "passes", byPaths, 3},
		{nameSym, "", symmetricNystrom, few},
	}
	for q := range 4 {
		all = append(all, solver{nameRSVD, fmt.Sprintf("q = %d", q), randomised(q), 5})
	}
	return all
}

// byPaths returns block Krylov iteration with products over paths, of so many passes.
func byPaths(ctx context.Context, p *speedProblem, passes int, seed uint64) (u, v blas64.General, err error) {
	fit, err := p.exact(ctx, ksvd.Exact{Operator: ksvd.OperatorPaths, Passes: passes, Seed: seed})
	if err != nil {
		return u, v, err
	}
	return fit.U, fit.V, nil
}

// byTiles returns the truncated SVD on exact tiles, to a residual of 1e-10. It has no
// samples.
func byTiles(ctx context.Context, p *speedProblem, _ int, seed uint64) (u, v blas64.General, err error) {
	fit, err := p.exact(ctx, ksvd.Exact{Operator: ksvd.OperatorTiles, Seed: seed})
	if err != nil {
		return u, v, err
	}
	return fit.U, fit.V, nil
}

func (p *speedProblem) exact(ctx context.Context, m ksvd.Exact) (*ksvd.Fit, error) {
	data, err := ksvd.Graph(p.graph, p.adjacency)
	if err != nil {
		return nil, err
	}
	m.Rank, m.Centre = speedRank, p.centred
	return m.Fit(ctx, p.engine, data, kernelgen.SNE(p.gamma))
}

// truncated returns the truncated SVD to a residual of 1e-10, the truth for all.
func truncated(ctx context.Context, p *speedProblem) (*ksvd.Fit, error) {
	return p.exact(ctx, ksvd.Exact{Operator: ksvd.OperatorPaths, Seed: 1})
}

// ours returns the asymmetric Nyström method with as many rows as columns. Its time is
// that of the fit and of the vectors of all nodes.
func ours(m ksvd.Nystrom) func(context.Context, *speedProblem, int, uint64) (u, v blas64.General, err error) {
	return func(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error) {
		m := m // fits may run side by side
		data, err := ksvd.Graph(p.graph, p.adjacency)
		if err != nil {
			return u, v, err
		}
		m.Rank, m.Rows, m.Cols, m.Centre, m.Seed = speedRank, samples, samples, p.centred, seed
		fit, err := m.Fit(ctx, p.engine, data, kernelgen.SNE(p.gamma))
		if err != nil {
			return u, v, err
		}
		return fit.Factors(ctx, p.engine)
	}
}

// randomised returns the randomised SVD of Halko, Martinsson and Tropp (2011), Algorithms
// 4.4 and 5.1, with q power iterations and oversampling: 2q+2 passes over G.
func randomised(q int) func(context.Context, *speedProblem, int, uint64) (u, v blas64.General, err error) {
	return func(ctx context.Context, p *speedProblem, oversamples int, seed uint64) (u, v blas64.General, err error) {
		n := p.adjacency.Rows
		g := newSNEGraph(p.adjacency, p.gamma, p.centred)
		basis := orthonormal(g.times(gaussian(n, min(speedRank+oversamples, n), seed)))
		for range q {
			if err := ctx.Err(); err != nil {
				return u, v, err
			}
			basis = orthonormal(g.times(orthonormal(g.timesTransposed(basis))))
		}
		bt := g.timesTransposed(basis)
		right, r := qr(bt) // bt = Q·R, so basisᵀ·G = Rᵀ·Qᵀ
		d, err := dense.NewSVD(r)
		if err != nil {
			return u, v, fmt.Errorf("the SVD of a %d×%d matrix: %w", r.Rows, r.Cols, err)
		}
		return dense.Mul(blas.NoTrans, basis, blas.NoTrans, leading(d.V)), dense.Mul(blas.NoTrans, right, blas.NoTrans, leading(d.U)), nil
	}
}

// symmetricNystrom returns the Nyström method of Williams and Seeger (2001) for GGᵀ, which
// gives left vectors, and GᵀG, which gives right ones, each with so many samples. The
// columns of GGᵀ are products of all rows of G with the sampled ones: two passes over
// G, and another to fetch the sampled columns.
func symmetricNystrom(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error) {
	g := newSNEGraph(p.adjacency, p.gamma, p.centred)
	samples = min(samples, g.a.Rows)
	rows, cols := uniformNumbers(g.a.Rows, samples, seed, "symmetric rows"), uniformNumbers(g.a.Cols, samples, seed, "symmetric columns")
	if u, err = nystromVectors(g.times(dense.Transpose(g.rows(rows))), rows); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return u, v, err
	}
	v, err = nystromVectors(g.timesTransposed(dense.Transpose(g.columns(cols))), cols)
	return u, v, err
}

// nystromVectors extends the leading eigenvectors of the sampled rows of k, which is
// the sampled columns of a symmetric matrix, to all rows.
func nystromVectors(k blas64.General, sample []int64) (blas64.General, error) {
	core := stream.NewMatrix(len(sample), len(sample))
	for i, r := range sample {
		copy(dense.Row(core, i), dense.Row(k, int(r)))
	}
	values, vectors, err := leadingEigen(core, speedRank)
	if err != nil {
		return vectors, err
	}
	for j := range values {
		scaleColumn(vectors, j, 1/values[j])
	}
	return dense.Mul(blas.NoTrans, k, blas.NoTrans, vectors), nil
}

// uniformNumbers returns so many of 0..n−1, ascending.
func uniformNumbers(n, count int, seed uint64, purpose string) []int64 {
	number := sketch.NewRandom(seed, purpose).Choose(int64(n), count)
	slices.Sort(number)
	return number
}

// gaussian returns a matrix of standard normal numbers.
func gaussian(rows, cols int, seed uint64) blas64.General {
	x, noise := stream.NewMatrix(rows, cols), sketch.NewRandom(seed, "gaussian")
	for i := range rows {
		draws := noise.At(uint64(i))
		for j := range cols {
			x.Data[i*x.Stride+j] = draws.Normal()
		}
	}
	return x
}

// orthonormal returns an orthonormal basis of the columns of a.
func orthonormal(a blas64.General) blas64.General {
	q, _ := qr(a)
	return q
}

// qr returns a = Q·R for a matrix of finite numbers.
func qr(a blas64.General) (q, r blas64.General) {
	q, r, err := sketch.CholeskyQR(a)
	if err != nil {
		panic("paper2: " + err.Error())
	}
	return q, r
}

// leading returns the first speedRank columns.
func leading(m blas64.General) blas64.General { return dense.Columns(m, 0, min(speedRank, m.Cols)) }

// bandwidth returns the paper's: γ = k·√(M·γ_x), with the variance γ_x of the entries taken as
// one set of numbers (Appendix D.2).
func bandwidth(a *stream.CSR, k float64) float64 {
	count, sum, squares := float64(a.Rows)*float64(a.Cols), 0.0, 0.0
	for entry := range a.Entries() {
		sum += entry.Value
		squares += entry.Value * entry.Value
	}
	mean := sum / count
	return k * math.Sqrt(float64(a.Cols)*math.Max(0, squares/count-mean*mean))
}
