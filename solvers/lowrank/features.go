package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// FeatureMap is a map φ from rows to a few numbers, the features, with φ(x)·φ(y) near
// a positive multiple of k(x, y). It is an immutable value. Models with the maps of
// [RFF] can be saved, those with maps of other packages cannot.
type FeatureMap interface {
	Columns() int   // number of features
	Dimension() int // number of columns of the rows
	// Applier returns a function for one goroutine that puts φ(x_i) into row i
	// of dst, x.Rows × Columns. Features may come out not finite.
	Applier() func(dst, x blas64.General)
}

// featureSample is how many rows the error estimate of a fit with features looks
// at, and how many, others, a map may look at: there are no landmarks.
const featureSample = 512

// Features is a [Method] with features that Draw draws:
//
//	Â = w·Z·Zᵀ = U·diag(values)·Uᵀ        Z = φ(X), n×c
//
// With Z = Q·R streamed and R = U'·S·Vᵀ, U = Z·V·S⁻¹ and the values are w·S². It
// takes one pass and no kernel entries but those of the error estimate.
type Features struct {
	Name string // of the method
	Rank int    // c, the most features
	Seed uint64
	// Draw returns the features for a kernel without words and n rows, of which the sample
	// has up to half, 512 at most.
	Draw func(k kernelgen.Kernel, sample blas64.General, n int64) (*DrawnFeatures, error)
}

// DrawnFeatures are features, and what is known about them.
type DrawnFeatures struct {
	FeatureMap
	Weight        float64 // w
	KernelEntries int64   // that it took to draw the map
	Notes         []string
}

// Fit approximates the kernel matrix of the rows of one source.
func (m Features) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Features) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	t := newTiles(k)
	seen, held := featureRows(n, m.Seed)
	panels, err := t.gatherSets(ctx, d.Left, rowSet{numbers: seen}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	rows, rest := panels[0], panels[1]
	if err := t.chooseUnit(ctx, e, rows.rows, rows); err != nil {
		return nil, err
	}
	drawn, err := m.Draw(k, rows.rows, n)
	if err != nil {
		return nil, err
	}
	t.entries.Add(drawn.KernelEntries)
	r, err := t.featureFactor(ctx, e, d.Left, drawn)
	if err != nil {
		return nil, err
	}
	found, cond, err := m.finish(t, r, drawn)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = n, n
	return finishFit(ctx, e, t, found, append(drawn.Notes, rankNote(found.Left.Rank(), drawn.Columns(), RankTolerance)...), cond, rest, rest, math.NaN())
}

// Plan returns the cost of a fit, but for what it takes to draw, hold and apply the
// map.
func (m Features) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	p, c := newPlanner(e, s.Rows, s.Columns), int64(m.Rank)
	p.pass(s.Rows, c, c, c*c)
	rows := min((s.Rows+1)/2, featureSample)
	p.Add("rows of the error estimate", 4*rows*p.d+2*rows*rows, "")
	p.KernelEntries = 2 * rows * rows // the unit of the tiles, and the estimate
	p.Rounds = []string{"fit"}
	return p.Plan, nil
}

// featureRows draws the rows that a map may look at, and others for the error
// estimate. Of few rows each is half.
func featureRows(n int64, seed uint64) (seen, held []int64) {
	half := int(min(featureSample, (n+1)/2))
	s, err := sketch.NewSample(n, half, seed, "feature rows")
	if err != nil {
		panic("lowrank: " + err.Error()) // 1 ≤ half ≤ n
	}
	h, err := sketch.NewSample(n, int(min(n, 2*featureSample)), seed, "held back")
	if err != nil {
		panic("lowrank: " + err.Error())
	}
	left := without(h.Positions(), s.Positions())
	held = make([]int64, min(len(left), featureSample))
	for i := range held {
		held[i] = left[i*len(left)/len(held)]
	}
	return s.Positions(), held
}

// featureFactor makes the one pass, and returns the triangular factor of Z.
func (t *tiles) featureFactor(ctx context.Context, e stream.Engine, src stream.Source, m FeatureMap) (blas64.General, error) {
	newFactor := func() *sketch.QR { return sketch.NewQR(m.Columns()) }
	qr, err := stream.Fold(ctx, e, "fit", src, newFactor, func() func(*sketch.QR, *stream.Block) error {
		em := t.embedder(&Embedding{Features: m}, nil, src.Info().Name)
		return func(qr *sketch.QR, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				z, err := em.raw(x, b.Start+int64(first))
				if err != nil {
					return err
				}
				if err := qr.Add(z); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// finish makes the model from the triangular factor of Z.
func (m Features) finish(t *tiles, factor blas64.General, drawn *DrawnFeatures) (*Model, float64, error) {
	s, err := newSVD("the features", factor)
	if err != nil {
		return nil, 0, err
	}
	root := math.Sqrt(drawn.Weight) * math.Sqrt(t.unit) // the square root of each may be in range when their product is not
	var values []float64
	for _, v := range s.S[:dense.Rank(s.S, RankTolerance)] {
		if v *= root; v*v > 0 { // else the kernel is 0 to rounding
			values = append(values, v*v)
		}
	}
	r := len(values)
	side := &Embedding{Landmarks: noLandmarks(drawn.Dimension()), Features: drawn.FeatureMap, Projection: s.whitener(r)}
	return &Model{Method: m.Name, Kernel: t.kernel, Seed: m.Seed, Left: side, Values: values}, condition(s, r), nil
}

// noLandmarks returns a matrix that says how many columns rows have.
func noLandmarks(d int) blas64.General {
	return blas64.General{Cols: d, Stride: max(1, d)}
}

// features applies the map of an embedding to at most PanelRows rows and checks
// the result. number gives the number of a row for messages.
func (m *embedder) features(x blas64.General, number func(i int) int64) (blas64.General, error) {
	fold := stream.RowSlice(m.fold, 0, x.Rows)
	if i, j := firstNotFinite(x); i >= 0 {
		return fold, &stream.BadValueError{Source: m.name, Row: number(i), Column: fmt.Sprint(j), Reason: fmt.Sprint(dense.Row(x, i)[j])}
	}
	m.apply(fold, x)
	if i, j := firstNotFinite(fold); i >= 0 {
		bad := &stream.BadValueError{Source: m.name, Row: number(i),
			Reason: fmt.Sprintf("the random features of kernel %s overflow on this row; scale the columns (`scale standard`) or drop the row", m.t.kernel)}
		if f, plain := m.e.Features.(mapFeatures); plain && m.columns != nil {
			bad.Column, bad.Reason = m.columns[j], f.reason(dense.Row(fold, i)[j])
		}
		return fold, bad
	}
	return fold, nil
}

// firstNotFinite returns the place of the first NaN or infinity, or -1.
func firstNotFinite(m blas64.General) (i, j int) {
	if sketch.CheckFinite(m) == nil {
		return -1, -1
	}
	for i := range m.Rows {
		for j, v := range dense.Row(m, i) {
			if v-v != 0 {
				return i, j
			}
		}
	}
	return -1, -1
}

// centred puts x − centre into dst; a nil centre is 0.
func centred(dst, x blas64.General, centre []float64) {
	for i := range x.Rows {
		row := dense.Row(dst, i)
		copy(row, dense.Row(x, i))
		for j, c := range centre {
			row[j] -= c
		}
	}
}

// checkSupport asks whether a method is for a kernel, as far as that is known before a
// row is read.
func checkSupport(s model.Shape, k kernelgen.Kernel, supports func(kernelgen.Kernel) error) error {
	known, err := k.Resolve(noLandmarks(s.Columns))
	if err != nil {
		return nil // it has words, and Fit will ask
	}
	return supports(known)
}
