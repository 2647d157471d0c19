package baselines

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// FastSPSDLeverage is the fast model of [FastSPSD] with the rows of S drawn by leverage,
// as Algorithm 2 of Xie et al. (2023) has it: the score of a row is the squared norm of
// that row of the orthonormal factor of C, and s rows are drawn without replacement by
// priorities score/uniform, so that rows of great scores are sure to be drawn. With the
// landmarks, which are those of FastSPSD with the same seed, all have weight 1.
//
// Cost: C is in memory, n·c numbers, and the rows, n·d; n·c + (s+c)² kernel entries.
type FastSPSDLeverage struct {
	Rank   int // c, at most as many as there are rows
	Sketch int // s, rows drawn by leverage; 0 means 5c
	Seed   uint64
}

// Fit approximates the kernel matrix of the rows of one source. There is no estimate of
// the error.
func (m FastSPSDLeverage) Fit(ctx context.Context, _ stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error) {
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
	landmarks := dense.PickRows(x, indices(j.Positions()))
	c := between(k, x, landmarks)
	frame, err := newFrame(c)
	if err != nil {
		return nil, err
	}
	core, err := m.core(frame.u, j.Positions())
	if err != nil {
		return nil, err
	}
	values, vectors, err := fitCore(k, dense.PickRows(x, core), dense.PickRows(frame.u, core))
	if err != nil {
		return nil, err
	}
	n, s := int64(x.Rows), int64(len(core))
	return &lowrank.Fit{
		Model: &lowrank.Model{Method: "fastspsd", Kernel: k, Seed: m.Seed, Rows: n, Cols: n, Values: values,
			Left: &lowrank.Embedding{Landmarks: landmarks, Rows: j.Positions(), Projection: dense.Mul(blas.NoTrans, frame.back, blas.NoTrans, vectors)}},
		Report: model.Report{SourcePasses: 1, KernelEntries: n*int64(m.Rank) + s*s},
	}, nil
}

func (m FastSPSDLeverage) check(s model.Shape, k kernelgen.Kernel) error {
	switch {
	case !s.OneSource() || !k.Symmetric():
		return fmt.Errorf("fastspsd is for one source and a symmetric kernel")
	case m.Rank < 1 || int64(m.Rank) > s.Rows:
		return fmt.Errorf("rank %d of %d rows: it must be between 1 and their number", m.Rank, s.Rows)
	case m.Sketch < 0:
		return fmt.Errorf("sketch %d: it must not be below 0", m.Sketch)
	}
	return k.CheckPlain()
}

// sketch returns s.
func (m FastSPSDLeverage) sketch() int {
	if m.Sketch == 0 {
		return 5 * m.Rank
	}
	return m.Sketch
}

// core returns S ∪ J, ascending; u is an orthonormal basis of C.
func (m FastSPSDLeverage) core(u blas64.General, landmarks []int64) ([]int, error) {
	random := sketch.NewRandom(m.Seed, "leverage")
	priority := make([]float64, u.Rows)
	for i := range priority {
		row, draws := dense.Row(u, i), random.At(uint64(i))
		priority[i] = dense.Dot(row, row) / (1 - draws.Float64())
	}
	kept := sketch.NewPriority(m.sketch(), u.Cols)
	if err := kept.Add(0, priority, u); err != nil {
		return nil, err
	}
	drawn, _ := kept.Rows()
	all := append(indices(drawn), indices(landmarks)...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// frame is an orthonormal basis u of the columns of C, and the way to it: u = C·back.
type frame struct {
	u, back blas64.General
}

func newFrame(c blas64.General) (*frame, error) {
	q, r, err := sketch.CholeskyQR(c)
	if err != nil {
		return nil, err
	}
	svd, err := dense.NewSVD(r)
	if err != nil {
		return nil, err
	}
	rank := dense.Rank(svd.S, lowrank.RankTolerance)
	back := dense.Clone(dense.Columns(svd.V, 0, rank))
	dense.ScaleColumns(back, dense.Reciprocals(svd.S[:rank]))
	return &frame{dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Columns(svd.U, 0, rank)), back}, nil
}

// fitCore returns the eigenpairs of B⁺·K(X_T, X_T)·B⁺ᵀ; b is B, the rows T of the basis.
func fitCore(k kernelgen.Kernel, rows, b blas64.General) ([]float64, blas64.General, error) {
	svd, err := dense.NewSVD(b)
	if err != nil {
		return nil, b, err
	}
	rank := dense.Rank(svd.S, lowrank.RankTolerance)
	inverse := dense.Clone(dense.Columns(svd.V, 0, rank)) // B⁺, with the next two lines
	dense.ScaleColumns(inverse, dense.Reciprocals(svd.S[:rank]))
	inverse = dense.Mul(blas.NoTrans, inverse, blas.Trans, dense.Columns(svd.U, 0, rank))
	half := dense.Mul(blas.NoTrans, inverse, blas.NoTrans, between(k, rows, rows))
	return symeig.Decompose(dense.Mul(blas.NoTrans, half, blas.Trans, inverse))
}

// between returns the kernel entries between rows.
func between(k kernelgen.Kernel, x, y blas64.General) blas64.General {
	a := stream.NewMatrix(x.Rows, y.Rows)
	k.Fill(a, x, k.Pack(y), nil)
	return a
}

func indices(numbers []int64) []int {
	all := make([]int, len(numbers))
	for i, n := range numbers {
		all[i] = int(n)
	}
	return all
}

// Plan returns the cost of a fit.
func (m FastSPSDLeverage) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(s, k); err != nil {
		return nil, err
	}
	n, c := s.Rows, int64(m.Rank)
	core := min(n, int64(m.sketch())+c)
	p := model.NewPlan(e, s.Columns)
	p.Add("rows", n*int64(s.Columns), "")
	p.Add("C and its orthonormal factors", 4*n*c, "`rank`")
	p.Add("core", core*core+4*core*c, "`rank`")
	p.Work(float64(n*c+core*core), 8*float64(n)*float64(c*c)+2*float64(core*core)*float64(c))
	p.Passes = 1
	p.ByOne("all columns of the landmarks are held in memory")
	return p, nil
}
