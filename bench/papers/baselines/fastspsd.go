package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// FastSPSD is the fast model of Wang, Luo & Zhang (2016), least squares without a shift:
//
//	Â = C·U·Cᵀ        U = (SᵀC)⁺·(SᵀKS)·(CᵀS)⁺, the least-squares fit of SᵀKS
//
// C = K(·, J) has c columns, drawn uniformly without replacement. S picks J and s rows
// drawn by leverage, as in Algorithm 2 of Xie et al. (2023): the score of a row is its
// squared norm in the orthonormal factor of C, and rows are drawn without replacement by
// priorities score/uniform. All rows of S have weight 1. There is no estimate of the error.
//
// Cost: C is in memory, n·c numbers, and the rows, n·d; n·c + (s+c)² kernel entries.
type FastSPSD struct {
	Rank   int // c, at most as many as there are rows
	Sketch int // s, rows drawn by leverage; 0 means 5c
	Seed   uint64
}

// Fit approximates the kernel matrix of the rows of one source.
func (m FastSPSD) Fit(ctx context.Context, _ stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error) {
	if err := m.check(d.Shape(), k); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	x, err := stream.ReadAll(ctx, d.Left)
	if err != nil {
		return nil, err
	}
	if err := model.CheckRows(d.Left.Info(), x, 0); err != nil {
		return nil, err
	}
	j, err := sketch.NewSample(int64(x.Rows), m.Rank, m.Seed, "C")
	if err != nil {
		return nil, err
	}
	landmarks := lab.PickRows(x, j.Positions())
	u, back, err := pseudoinverse(lab.Kernel(k, x, landmarks)) // u = C·back
	if err != nil {
		return nil, err
	}
	core, err := m.core(u.RawMatrix(), j.Positions())
	if err != nil {
		return nil, err
	}
	values, vectors, err := fitCore(k, lab.PickRows(x, core), lab.Dense(lab.PickRows(u.RawMatrix(), core)))
	if err != nil {
		return nil, err
	}
	var projection mat.Dense
	projection.Mul(back, vectors)
	n, s := int64(x.Rows), int64(len(core))
	return &lowrank.Fit{
		Model: &lowrank.Model{Method: "fastspsd", Kernel: k, Seed: m.Seed, Rows: n, Cols: n, Values: values,
			Left: &lowrank.Embedding{Landmarks: landmarks, Rows: j.Positions(), Projection: projection.RawMatrix()}},
		Report: model.Report{SourcePasses: 1, KernelEntries: n*int64(m.Rank) + s*s},
	}, nil
}

func (m FastSPSD) check(s model.Shape, k kernelgen.Kernel) error {
	switch {
	case !s.OneSource() || !k.Symmetric():
		return fmt.Errorf("fastspsd is for one source and a symmetric kernel")
	case m.Rank < 1 || int64(m.Rank) > s.Rows:
		return fmt.Errorf("rank %d of %d rows: it must be between 1 and their number", m.Rank, s.Rows)
	}
	return k.CheckPlain()
}

// core returns S ∪ J, ascending; u is an orthonormal basis of C.
func (m FastSPSD) core(u blas64.General, landmarks []int64) ([]int64, error) {
	random := sketch.NewRandom(m.Seed, "leverage")
	priority := make([]float64, u.Rows)
	for i := range priority {
		row, draws := lab.Row(u, i), random.At(uint64(i))
		priority[i] = floats.Dot(row, row) / (1 - draws.Float64())
	}
	kept := sketch.NewPriority(cmp.Or(m.Sketch, 5*m.Rank), u.Cols)
	if err := kept.Add(0, priority, u); err != nil {
		return nil, err
	}
	drawn, _ := kept.Rows()
	all := append(slices.Clone(drawn), landmarks...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// pseudoinverse returns the orthonormal basis u of the columns of a, and a⁺ = inverse·uᵀ.
func pseudoinverse(a *mat.Dense) (u, inverse *mat.Dense, err error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, nil, errors.New("a singular value decomposition did not converge")
	}
	s := svd.Values(nil)
	rank := len(s)
	for rank > 1 && s[rank-1] <= lowrank.RankTolerance*s[0] {
		rank--
	}
	u, inverse = new(mat.Dense), new(mat.Dense)
	svd.UTo(u)
	svd.VTo(inverse)
	inverse.Apply(func(_, j int, v float64) float64 { return v / s[j] }, inverse)
	return u.Slice(0, u.RawMatrix().Rows, 0, rank).(*mat.Dense), inverse.Slice(0, len(s), 0, rank).(*mat.Dense), nil
}

// fitCore returns the eigenpairs of B⁺·K(X_T, X_T)·B⁺ᵀ, descending; b is B, the rows T of
// the basis.
func fitCore(k kernelgen.Kernel, rows blas64.General, b *mat.Dense) ([]float64, *mat.Dense, error) {
	u, inverse, err := pseudoinverse(b)
	if err != nil {
		return nil, nil, err
	}
	var plus, core mat.Dense
	plus.Mul(inverse, u.T())
	core.Product(&plus, lab.Kernel(k, rows, rows), plus.T())
	return lab.Eigen(&core)
}
