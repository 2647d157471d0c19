package paper2

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// speedRank is the number of triplets in Tables 4 and 5, the paper's.
const speedRank = 20

// speedProblem is the problem that the solvers of Tables 4 and 5 decompose.
type speedProblem struct {
	graph     string
	adjacency *sparse.CSR
	gamma     float64
	centred   bool
}

// solve computes the left and right singular vectors from a number of samples: columns, oversamples or passes.
type solve func(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error)

// solver is a member of a family. The best setting of a family counts.
type solver struct {
	family, setting string
	solve           solve
	first           int // initial number of samples
}

// Families, in the order of the tables.
const (
	nameTSVD    = "TSVD"
	nameRSVD    = "RSVD"
	nameSym     = "Sym. Nys"
	nameNystrom = "asym. Nys"
)

var families = []string{nameTSVD, nameRSVD, nameSym, nameNystrom}

// solvers returns all settings.
func solvers() []solver {
	const few = 2 * speedRank
	all := []solver{
		{nameNystrom, "eq. (11), columns", ours(ksvd.Nystrom{Scaling: ksvd.ScaleUnit}), few},
		{nameNystrom, "orthonormal, columns", ours(ksvd.Nystrom{Scaling: ksvd.ScaleOrthonormal}), few},
		{nameTSVD, "passes at most", exactly, 300},
		{nameSym, "columns", symmetricNystrom, few},
	}
	for q := range 4 {
		all = append(all, solver{nameRSVD, fmt.Sprintf("q = %d, oversamples", q), randomised(q), 5})
	}
	return all
}

// exactly computes the singular vectors by block Krylov iteration, to a residual of 1e-10 or up to a limit of passes.
func exactly(ctx context.Context, p *speedProblem, passes int, seed uint64) (u, v blas64.General, err error) {
	fit, err := p.exact(ctx, ksvd.Exact{Iterations: passes, Seed: seed})
	if err != nil {
		return u, v, err
	}
	return fit.U, fit.V, nil
}

// exact fits the leading triplets.
func (p *speedProblem) exact(ctx context.Context, m ksvd.Exact) (*ksvd.Fit, error) {
	data, err := ksvd.Graph(p.graph, p.adjacency)
	if err != nil {
		return nil, err
	}
	m.Rank, m.Center = speedRank, p.centred
	return m.Fit(ctx, stream.Engine{}, data, kernelgen.SNE(p.gamma))
}

// matrix returns G in memory, 8 bytes for each entry. Rows sum to 1, so only columns are centred.
func (p *speedProblem) matrix(ctx context.Context) (*mat.Dense, error) {
	data, err := ksvd.Graph(p.graph, p.adjacency)
	if err != nil {
		return nil, err
	}
	m, err := ksvd.NewMatrix(ctx, stream.Engine{}, data, kernelgen.SNE(p.gamma), true)
	if err != nil {
		return nil, err
	}
	g, means := lab.Dense(m.Held()), make([]float64, p.adjacency.Cols)
	for i := 0; p.centred && i < p.adjacency.Rows; i++ {
		floats.AddScaled(means, 1/float64(p.adjacency.Rows), g.RawRowView(i))
	}
	for i := range p.adjacency.Rows {
		floats.Sub(g.RawRowView(i), means)
	}
	return g, nil
}

// ours is the asymmetric Nyström method with equal numbers of rows and columns, from the fit to the vectors of all
// nodes.
func ours(m ksvd.Nystrom) solve {
	return func(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error) {
		m := m // leaves the shared one unchanged
		data, err := ksvd.Graph(p.graph, p.adjacency)
		if err != nil {
			return u, v, err
		}
		m.Rank, m.Rows, m.Cols, m.Center, m.Seed = speedRank, samples, samples, p.centred, seed
		fit, err := m.Fit(ctx, stream.Engine{}, data, kernelgen.SNE(p.gamma))
		if err != nil {
			return u, v, err
		}
		if u, err = factorsOf(ctx, fit, model.Left); err == nil {
			v, err = factorsOf(ctx, fit, model.Right)
		}
		return u, v, err
	}
}

// factorsOf returns the singular vectors of all fitted rows of a side.
func factorsOf(ctx context.Context, fit *ksvd.Fit, side model.Side) (blas64.General, error) {
	worker, rows, err := fit.Fitted(side)
	if err != nil {
		return blas64.General{}, err
	}
	return stream.MapRows(ctx, stream.Engine{}, "transform", rows, fit.Rank(), worker)
}

// randomised is the randomised SVD of Halko, Martinsson and Tropp (2011), Algorithms 4.4
// and 5.1, with q power iterations.
func randomised(q int) solve {
	return func(ctx context.Context, p *speedProblem, oversamples int, seed uint64) (u, v blas64.General, err error) {
		g, err := p.matrix(ctx)
		if err != nil {
			return u, v, err
		}
		start := stream.NewMatrix(p.adjacency.Cols, min(speedRank+oversamples, p.adjacency.Cols))
		sketch.NewRandom(seed, "gaussian").Normals(start)
		basis, _, err := sketch.CholeskyQR(product(g, lab.Dense(start)))
		for i := 0; i < q && err == nil && ctx.Err() == nil; i++ {
			if basis, _, err = sketch.CholeskyQR(product(g.T(), lab.Dense(basis))); err == nil {
				basis, _, err = sketch.CholeskyQR(product(g, lab.Dense(basis)))
			}
		}
		if err != nil {
			return u, v, err
		}
		right, r, err := sketch.CholeskyQR(product(g.T(), lab.Dense(basis))) // basisᵀ·G = Rᵀ·rightᵀ
		if err != nil {
			return u, v, err
		}
		small, err := leading(ctx, r, speedRank)
		if err != nil {
			return u, v, err
		}
		return product(lab.Dense(basis), lab.Dense(small.V)), product(lab.Dense(right), lab.Dense(small.U)), nil
	}
}

// symmetricNystrom is the Nyström method of Williams and Seeger (2001) for GGᵀ, whose eigenvectors are the left
// vectors, and for GᵀG, each with the given number of samples.
func symmetricNystrom(ctx context.Context, p *speedProblem, samples int, seed uint64) (u, v blas64.General, err error) {
	g, err := p.matrix(ctx)
	if err != nil {
		return u, v, err
	}
	if u, err = nystromVectors(ctx, g, samples, sketch.NewRandom(seed, "symmetric rows")); err != nil {
		return u, v, err
	}
	v, err = nystromVectors(ctx, g.T(), samples, sketch.NewRandom(seed, "symmetric columns"))
	return u, v, err
}

// nystromVectors extends the leading eigenvectors of sampled rows of GGᵀ to all rows.
func nystromVectors(ctx context.Context, g mat.Matrix, samples int, random sketch.Random) (blas64.General, error) {
	n, m := g.Dims()
	number := random.Choose(int64(n), min(samples, n))
	slices.Sort(number)
	rows := mat.NewDense(len(number), m, nil)
	for k, i := range number {
		rows.SetRow(k, mat.Row(nil, int(i), g))
	}
	k, core := product(g, rows.T()), stream.NewMatrix(len(number), len(number))
	for i, r := range number {
		copy(lab.Row(core, i), lab.Row(k, int(r)))
	}
	d, err := leading(ctx, core, speedRank)
	if err != nil {
		return k, err
	}
	for i := range d.U.Rows {
		for j, value := range d.Values {
			lab.Row(d.U, i)[j] /= value
		}
	}
	return product(lab.Dense(k), lab.Dense(d.U)), nil
}

// leading returns the largest singular triplets of a matrix in memory.
func leading(ctx context.Context, a blas64.General, rank int) (*ksvd.Fit, error) {
	data, err := asProducts(a)
	if err != nil {
		return nil, err
	}
	m := ksvd.Exact{Rank: rank, Seed: 1}
	return m.Fit(ctx, stream.Engine{}, data, kernelgen.Linear())
}

func product(a, b mat.Matrix) blas64.General {
	var m mat.Dense
	m.Mul(a, b)
	return m.RawMatrix()
}
