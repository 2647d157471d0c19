package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// The pass of a fit with ℓ landmarks J also determines the fits with the first ℓ/4 and ℓ/2 landmarks J' of the draw:
//
//	UᵀU = K(J, J),  U[:, J'] = T·U',  k(x, J')·U'⁻¹ = k(x, J)·U⁻¹·T,  F'ᵀF' = Tᵀ·FᵀF·T
//
// Their projections have zero rows for the other landmarks, so one embedding of sampled rows serves all fits.

// part is a model on a subset of the landmarks, and its columns in the embedding of all models.
type part struct {
	*Model
	landmarks, first, end int
}

// of returns the columns of the model.
func (p part) of(all blas64.General) blas64.General {
	return matrix.Columns(all, p.first, p.end-p.first)
}

// fewerCounts returns the numbers of landmarks of the smaller fits, at least the rank.
func fewerCounts(landmarks, rank int) (counts []int) {
	for _, part := range []int{4, 2} {
		if count := (landmarks + part - 1) / part; count >= rank && count < landmarks {
			counts = append(counts, count)
		}
	}
	return counts
}

// withFewer returns models with fewer landmarks.
func (f *landmarkFit) withFewer(ctx context.Context, e stream.Engine) (models []part, err error) {
	if f.basis == nil {
		return nil, nil
	}
	for _, count := range fewerCounts(f.landmarks.Count(), f.Rank) {
		s, err := f.leading(count)
		if err != nil {
			return nil, err
		}
		if err := s.fitCore(ctx, e); err != nil {
			return nil, err
		}
		models = append(models, part{Model: s.model(f.Rank), landmarks: count})
	}
	f.square = blas64.General{}
	return models, nil
}

// planFewer adds the fits with fewer landmarks.
func (m Landmark) planFewer(e stream.Engine, plan *model.Plan, s model.Size, k kernelgen.Kernel) error {
	points, err := m.points(s.Rows, "C", "S", false)
	if err != nil || !k.PositiveSemiDefinite() {
		return err
	}
	c, drawn := int64(len(points.landmarks)), int64(len(points.core))
	core := drawn + int64(points.scouted)*(s.Rows-drawn)/max(1, s.Rows) // found at the rate of others
	p := newPlanner(e, s.Rows, s.Columns)
	for _, count := range fewerCounts(int(c), m.Rank) {
		t, r := core*int64(count)/c, int64(count)
		p.stage(func(p *planner) {
			p.Add("smaller fits", 4*c*c+t*p.d, "`Rank`")
			p.symmetricCore(t, r)
			p.AddEntries(float64(t) * float64(c+min(t, (t+tilesize.PairRows)/2)))
		})
	}
	plan.Stage(p.Plan)
	return nil
}

// leading returns the fit with the first landmarks and a proportional part of the core points, without its core.
func (f *landmarkFit) leading(count int) (*landmarkFit, error) {
	places, s := f.landmarks.Leading(count, f.Seed), *f
	t := leadingUpper(f.basis.upper, places)
	u, err := triangularFactor(t)
	if err != nil {
		return nil, err
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(u), t)
	gram := dense.Mul(blas.Trans, t, blas.NoTrans, dense.Mul(blas.NoTrans, f.square, blas.NoTrans, t))
	if err := s.decompose(u, gram); err != nil {
		return nil, err
	}
	s.use(leadingColumns(f.Rank, count, s.side.Rank()))
	s.side.Projection = scatteredRows(s.side.Projection, places, f.landmarks.Count())
	s.core = leadingCore(f.core, f.landmarks.Pick(places), f.landmarks.Count(), f.Seed)
	return &s, nil
}

// leadingCore returns the core points of a fit with some of the landmarks: these, and random others.
func leadingCore(core, landmarks *basis.Panel, of int, seed uint64) *basis.Panel {
	others := core.Without(landmarks)
	more := others.Leading(core.Count()*landmarks.Count()/of-landmarks.Count(), seed)
	return core.Select(basis.Union(landmarks.Number, others.Pick(more).Number))
}

// leadingUpper returns columns of an upper triangular matrix. The lower triangle is ignored.
func leadingUpper(u blas64.General, places []int) blas64.General {
	t := dense.PickColumns(u, places)
	for k, place := range places {
		for i := place + 1; i < t.Rows; i++ {
			matrix.Row(t, i)[k] = 0
		}
	}
	return t
}

// triangularFactor returns the triangular factor of the QR factorisation of a.
func triangularFactor(a blas64.General) (blas64.General, error) {
	qr := sketch.NewQR(a.Cols)
	err := qr.Add(matrix.Clone(a))
	return qr.R(), err
}

// scatteredRows returns a matrix of n rows with the rows of m at the given indices, and zeros elsewhere.
func scatteredRows(m blas64.General, places []int, n int) blas64.General {
	out := matrix.New(n, m.Cols)
	for i, place := range places {
		copy(matrix.Row(out, place), matrix.Row(m, i))
	}
	return out
}

// withFewer returns models with fewer landmarks, from the triangular factor of K(·, L).
func (m Nystrom) withFewer(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	factor blas64.General, landmarks *basis.Panel) (models []part, err error) {
	for _, count := range fewerCounts(landmarks.Count(), m.Rank) {
		places := landmarks.Leading(count, m.Seed)
		r, err := triangularFactor(dense.PickColumns(factor, places))
		if err != nil {
			return nil, err
		}
		found, _, err := m.finish(ctx, e, t, r, landmarks.Pick(places))
		if err != nil {
			return nil, err
		}
		found.Left.Projection = scatteredRows(found.Left.Projection, places, landmarks.Count())
		models = append(models, part{Model: found, landmarks: count})
	}
	return models, nil
}

// finishWith is [finishFit] for a symmetric model, with the errors of smaller fits. All embeddings have the same
// landmarks.
func finishWith(ctx context.Context, e stream.Engine, t *tiles.Tiles, m *Model, fewer []part, notes []string,
	condition float64, held heldRows, trace float64) (*Fit, error) {
	wide, side, own := *m, *m.Left, *m
	own.Values = slices.Clone(m.Values) // the fit has another unit
	last := part{Model: &own, landmarks: m.Left.Landmarks.Rows, end: m.Left.Rank()}
	for i := range fewer {
		fewer[i].Rows, fewer[i].first = m.Rows, side.Rank()
		side.Projection = sideBySide(side.Projection, fewer[i].Left.Projection)
		fewer[i].end = side.Rank()
	}
	wide.Left = &side
	s, err := newErrorSample(ctx, e, t, &wide, held, held)
	if err != nil {
		return nil, err
	}
	if s.block == nil || len(fewer) == 0 {
		return finishSampled(ctx, t, m, notes, condition, s, trace)
	}
	all := s.block.left.u
	s.block.left.u = matrix.Columns(all, 0, last.end)
	fit, err := finishSampled(ctx, t, m, notes, condition, s, trace)
	if err != nil {
		return nil, err
	}
	old := last
	for _, p := range fewer {
		s.replace(all, old, p)
		fit.ByLandmarks = append(fit.ByLandmarks, model.LandmarkError{Landmarks: p.landmarks, Error: s.frobenius(p.Model, trace)})
		old = p
	}
	fit.ByLandmarks = append(fit.ByLandmarks, model.LandmarkError{Landmarks: last.landmarks, Error: fit.EstimateIn(NormFrobenius)})
	return fit, nil
}

// replace turns A − Â of model old into that of model next, in place. all is the embedding of the sampled rows.
func (s *errorSample) replace(all blas64.General, old, next part) {
	s.block.left.u = sideBySide(old.of(all), next.of(all))
	change := &Model{Shift: next.Shift - old.Shift}
	for _, v := range old.Values {
		change.Values = append(change.Values, -v)
	}
	change.Values = append(change.Values, next.Values...)
	s.block.subtract(change)
}

// frobenius returns the relative Frobenius error of the subtracted model.
func (s *errorSample) frobenius(m *Model, wholeTrace float64) float64 {
	squares := s.block.squares()
	if missed := s.block.missed(m, wholeTrace); missed > 0 {
		squares += missed * s.block.largest
	}
	return ratio(math.Sqrt(squares), math.Sqrt(s.squares))
}

// sideBySide returns the columns of two matrices side by side.
func sideBySide(a, b blas64.General) blas64.General {
	out := matrix.New(a.Rows, a.Cols+b.Cols)
	matrix.Copy(matrix.Columns(out, 0, a.Cols), a)
	matrix.Copy(matrix.Columns(out, a.Cols, b.Cols), b)
	return out
}
