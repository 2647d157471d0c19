package paper1

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/papers/baselines"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// The settings of the paper.
const (
	transportSigma  = 0.1
	transportRank   = 100
	transportSketch = 300
)

// transportMethod is a row of the table: how to approximate the kernel between colours.
type transportMethod struct {
	name string
	of   func(seed uint64) lowrank.Method
	// stacked says that the method is for symmetric matrices: it gets the rows of both
	// sides as those of one, and the block between them serves (Altschuler, Bach, Rudi &
	// Niles-Weed 2019).
	stacked bool
	// once says that seeds hardly change it.
	once bool
}

func transportMethods() []transportMethod {
	const c, s = transportRank, transportSketch
	return []transportMethod{
		{name: "landmark s=1000", of: func(seed uint64) lowrank.Method { return lowrank.Landmark{Rank: c, Seed: seed} }},
		{name: "400 directions, landmark s=1000", of: func(seed uint64) lowrank.Method {
			return lowrank.Landmark{Rank: 4 * c, NNZ: 1, Sketch: 4 * 10 * c, Seed: seed} // the same rows as above
		}},
		{name: "landmark s=300", of: func(seed uint64) lowrank.Method { return lowrank.Landmark{Rank: c, Sketch: s, Seed: seed} }},
		{name: "ssrSVD as published, s=300", of: func(seed uint64) lowrank.Method { return lowrank.SSRSVD{Rank: c, Sketch: s, Seed: seed} }},
		{name: "ssrSVD s=1000", of: func(seed uint64) lowrank.Method { return lowrank.SSRSVD{Rank: c, Sketch: 10 * c, Seed: seed} }},
		{name: "Nyström on [L;R]", stacked: true, of: func(seed uint64) lowrank.Method { return lowrank.Nystrom{Rank: c, Seed: seed} }},
		{name: "FastSPSD on [L;R], s=300", stacked: true, of: func(seed uint64) lowrank.Method {
			return baselines.FastSPSDLeverage{Rank: c, Sketch: s, Seed: seed}
		}},
		{name: "S3SPSD on [L;R], s=300", stacked: true, of: func(seed uint64) lowrank.Method {
			return lowrank.S3SPSD{Rank: c, Sketch: s, Seed: seed, Shift: lowrank.ShiftPaper}
		}},
		{name: "RFF", stacked: true, of: func(seed uint64) lowrank.Method { return lowrank.RFF{Rank: c, Seed: seed} }},
		{name: "best of rank 100", once: true, of: func(seed uint64) lowrank.Method {
			return lowrank.Subspace{Rank: c, Passes: 2, Seed: seed}
		}},
	}
}

// fit approximates the kernel between colours x and y by u·vᵀ.
func (m transportMethod) fit(ctx context.Context, e stream.Engine, x, y blas64.General, seed uint64) (f *lowrank.Fit, u, v blas64.General, err error) {
	d := model.Sources{Left: stream.FromMatrix("source", x), Right: stream.FromMatrix("target", y)}
	if m.stacked {
		d = model.Sources{Left: stream.FromMatrix("source and target", stacked(x, y))}
	}
	f, err = m.of(seed).Fit(ctx, e, d, kernelgen.RBF(1/transportSigma))
	if err != nil {
		return f, u, v, err
	}
	if u, err = embedded(ctx, e, f.Model, model.Left, d.Left); err != nil {
		return f, u, v, err
	}
	if m.stacked {
		u, v = dense.Clone(stream.RowSlice(u, 0, x.Rows)), dense.Clone(stream.RowSlice(u, x.Rows, y.Rows))
	} else if v, err = embedded(ctx, e, f.Model, model.Right, d.Right); err != nil {
		return f, u, v, err
	}
	dense.ScaleColumns(u, f.Values)
	return f, u, v, nil
}

// repairedPlan is what package transport makes of a kernel with products that are not
// positive.
type repairedPlan struct {
	*transport.Fit
	ctx    context.Context
	engine stream.Engine
}

// repaired makes as many rounds with a kernel as the paper, by package transport, which makes
// the entries of some rows exact, or else refuses.
func repaired(ctx context.Context, e stream.Engine, x, y blas64.General, kernel *lowrank.Model) (*repairedPlan, error) {
	d := &transport.Data{Sources: model.Sources{Left: stream.FromMatrix("source", x), Right: stream.FromMatrix("target", y)}}
	never := math.SmallestNonzeroFloat64
	f, err := transport.LowRank{Sinkhorn: transport.Sinkhorn{Rounds: transportRounds, Tolerance: never}, Given: kernel, Strict: true}.Fit(ctx, e, d, kernel.Kernel)
	return &repairedPlan{f, ctx, e}, err
}

// times returns T̂·x.
func (p *repairedPlan) times(x []float64) ([]float64, error) { return p.apply(model.Left, x) }

// transposed returns T̂ᵀ·y.
func (p *repairedPlan) transposed(y []float64) ([]float64, error) { return p.apply(model.Right, y) }

func (p *repairedPlan) apply(side model.Side, x []float64) ([]float64, error) {
	m, err := p.Apply(p.ctx, p.engine, side, blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x})
	return m.Data, err
}

// stacked returns the rows of x and then those of y.
func stacked(x, y blas64.General) blas64.General {
	z := stream.NewMatrix(x.Rows+y.Rows, x.Cols)
	for i := range z.Rows {
		if i < x.Rows {
			copy(dense.Row(z, i), dense.Row(x, i))
		} else {
			copy(dense.Row(z, i), dense.Row(y, i-x.Rows))
		}
	}
	return z
}

// embedded returns a factor of a model at rows.
func embedded(ctx context.Context, e stream.Engine, m *lowrank.Model, side model.Side, rows stream.Source) (blas64.General, error) {
	names, err := m.Outputs(side)
	if err != nil {
		return blas64.General{}, err
	}
	u := stream.NewMatrix(int(rows.Info().Rows), len(names))
	err = m.Transform(ctx, e, side, rows, false, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			copy(dense.Row(u, int(b.Start)+i), dense.Row(out, i))
		}
		return nil
	})
	return u, err
}
