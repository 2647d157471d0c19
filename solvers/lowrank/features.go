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

// FeatureMap is a random map φ from rows to a few numbers, the features, with
// φ(x)·φ(y) near a positive multiple of k(x, y). It is an immutable value: the
// maps of this package are those that a model can hold, [RFF]'s and [PolySketch]'s.
type FeatureMap interface {
	Columns() int   // number of features
	Dimension() int // number of columns of the rows
	// Applier returns a function for one goroutine that puts φ(x_i) into row i
	// of dst, x.Rows × Columns. Features may come out not finite.
	Applier() func(dst, x blas64.General)

	header() *FeatureHeader
	put(a *model.Archive, prefix string)
}

// featureSample is how many rows the error estimate of a fit with features looks
// at, and how many, others, a map may look at: there are no landmarks.
const featureSample = 512

// featureFit is a fit with random features:
//
//	Â = w·Z·Zᵀ = U·diag(values)·Uᵀ        Z = φ(X), n×c
//
// With Z = Q·R streamed and R = U'·S·Vᵀ, U = Z·V·S⁻¹ and the values are w·S². It
// takes one pass and no kernel entries but those of the error estimate.
type featureFit struct {
	method string
	seed   uint64
	kernel kernelgen.Kernel
	engine stream.Engine
	src    stream.Source
}

// drawnMap is a feature map and w, what was adjusted, and why.
type drawnMap struct {
	FeatureMap
	weight float64
	notes  []string
}

// run fits; draw makes the map for a source, given rows of it and their number
// n in all.
func (f featureFit) run(ctx context.Context, draw func(t *tiles, rows *panel, n int64) (*drawnMap, error)) (*Fit, error) {
	n := f.src.Info().Rows
	t := newTiles(f.kernel, Float64)
	seen, held := featureRows(n, f.seed)
	panels, err := t.gatherSets(ctx, f.src, rowSet{numbers: seen}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	rows, rest := panels[0], panels[1]
	if err := t.chooseUnit(rows.rows, rows); err != nil {
		return nil, err
	}
	m, err := draw(t, rows, n)
	if err != nil {
		return nil, err
	}
	r, err := f.stream(ctx, t, m)
	if err != nil {
		return nil, err
	}
	found, cond, err := f.finish(t, r, m)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = n, n
	return finishFit(t, found, append(m.notes, rankNote(found.Left.Rank(), m.Columns(), RankTolerance)...), cond, rest, rest, math.NaN())
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

// stream makes the one pass, and returns the triangular factor of Z.
func (f featureFit) stream(ctx context.Context, t *tiles, m FeatureMap) (blas64.General, error) {
	newFactor := func() *sketch.QR { return sketch.NewQR(m.Columns()) }
	qr, err := stream.Fold(ctx, f.engine, "fit", f.src, newFactor, func() func(*sketch.QR, *stream.Block) error {
		em := t.embedder(&Embedding{Features: m}, nil, f.src.Info().Name)
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
func (f featureFit) finish(t *tiles, factor blas64.General, m *drawnMap) (*Model, float64, error) {
	s, err := newSVD("the features", factor)
	if err != nil {
		return nil, 0, err
	}
	root := math.Sqrt(m.weight) * math.Sqrt(t.unit) // the square root of each may be in range when their product is not
	var values []float64
	for _, v := range s.S[:dense.Rank(s.S, RankTolerance)] {
		if v *= root; v*v > 0 { // else the kernel is 0 to rounding
			values = append(values, v*v)
		}
	}
	r := len(values)
	side := &Embedding{Landmarks: noLandmarks(m.Dimension()), Features: m.FeatureMap, Projection: s.whitener(r)}
	return &Model{Method: f.method, Kernel: f.kernel, Seed: f.seed, Left: side, Values: values}, condition(s, r), nil
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
		bad := &stream.BadValueError{Source: m.name, Row: number(i), Column: "(all)",
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

// applyFeatures returns φ of rows in memory.
func applyFeatures(m FeatureMap, x blas64.General) blas64.General {
	z := stream.NewMatrix(x.Rows, m.Columns())
	m.Applier()(z, x)
	return z
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

// planFeatures returns the cost of a fit with c features: numbers is how many
// the map holds, looks how often it looks at the kernel between rows, and flops
// what it takes for one row.
func planFeatures(e stream.Engine, s model.Shape, c int, numbers, looks int64, flops float64) *model.Plan {
	p := newPlanner(e, Float64, s.Columns)
	p.Add("feature map", numbers, "`rank`")
	p.pass(s.Rows, int64(c), int64(c), int64(c)*int64(c))
	rows := min((s.Rows+1)/2, featureSample)
	p.Add("rows of the error estimate", 4*rows*p.d+2*rows*rows, "")
	p.KernelEntries = (2 + looks) * rows * rows // the unit of the tiles, and the estimate
	p.Flops += float64(s.Rows) * flops
	return p.Plan
}
