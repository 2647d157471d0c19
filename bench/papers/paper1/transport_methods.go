package paper1

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Settings of the paper.
const (
	transportSigma  = 0.1
	transportRank   = 100
	transportSketch = 300
)

// transportMethod is a row of the table: a way to approximate the kernel between colours.
type transportMethod struct {
	name string
	of   func(seed uint64) fitter
	// stacked marks methods for symmetric matrices. They fit the stacked rows of both sides, and the block between them
	// approximates the kernel (Altschuler, Bach, Rudi & Niles-Weed 2019).
	stacked bool
}

// transportMethods returns the methods for the given number of pixels of a side. Below 4000 they use a lower rank,
// since a sketch of 10c needs four times as many rows.
func transportMethods(pixels int) []transportMethod {
	c := max(1, min(transportRank, pixels/40))
	s := c * transportSketch / transportRank
	return []transportMethod{
		{name: "landmark s=1000", of: func(seed uint64) fitter { return lowrank.Landmark{Rank: c, Core: 4 * 10 * c, Seed: seed} }},
		{name: "400 directions, landmark s=1000", of: func(seed uint64) fitter {
			return lowrank.Landmark{Rank: 4 * c, Landmarks: 4 * c, Core: 4 * 10 * c, Seed: seed} // the same rows as above
		}},
		{name: "landmark s=300", of: func(seed uint64) fitter { return lowrank.Landmark{Rank: c, Core: 4 * s, Seed: seed} }},
		{name: "ssrSVD as published, s=300", of: func(seed uint64) fitter {
			return lowrank.SSRSVD{Rank: c, Sketch: s, LeverageRows: -1, Seed: seed}
		}},
		{name: "ssrSVD s=300", of: func(seed uint64) fitter { return lowrank.SSRSVD{Rank: c, Sketch: s, Seed: seed} }},
		{name: "ssrSVD s=1000", of: func(seed uint64) fitter { return lowrank.SSRSVD{Rank: c, Sketch: 10 * c, Seed: seed} }},
		{name: "Nyström on [L;R]", stacked: true, of: func(seed uint64) fitter {
			return lowrank.Nystrom{Rank: c, Seed: seed}
		}},
		{name: "FastSPSD on [L;R]", stacked: true, of: func(seed uint64) fitter { return fastSPSD{c, seed} }},
		{name: "S3SPSD on [L;R], s=300", stacked: true, of: func(seed uint64) fitter {
			return lowrank.S3SPSD{Rank: c, Sketch: s, LeverageRows: -1, Seed: seed, Shift: lowrank.ShiftPaper}
		}},
		{name: "RFF", stacked: true, of: func(seed uint64) fitter { return lowrank.RFF{Rank: c, Seed: seed} }},
	}
}

// kernel approximates the kernel matrix between colours x and y.
func (m transportMethod) kernel(ctx context.Context, x, y blas64.General, seed uint64) (k factors, err error) {
	d := model.Sources{Left: stream.FromMatrix("source", x), Right: stream.FromMatrix("target", y)}
	side := model.Right
	if m.stacked {
		d = model.Sources{Left: stream.FromMatrix("source and target", stacked(x, y))}
		side = model.Left
	}
	f, err := m.of(seed).Fit(ctx, stream.Engine{}, d, kernelgen.RBF(1/transportSigma))
	if err != nil {
		return k, err
	}
	u, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, x, model.Request{})
	if err != nil {
		return k, err
	}
	v, err := model.TransformMatrix(ctx, stream.Engine{}, f.Model, y, model.Request{Side: side})
	if err != nil {
		return k, err
	}
	for i := range u.Rows {
		for j, value := range f.Values {
			u.Data[i*u.Stride+j] *= value
		}
	}
	return factors{lab.Dense(u), lab.Dense(v)}, nil
}

// stacked returns the rows of x followed by those of y.
func stacked(x, y blas64.General) blas64.General {
	var z mat.Dense
	z.Stack(lab.Dense(x), lab.Dense(y))
	return z.RawMatrix()
}
