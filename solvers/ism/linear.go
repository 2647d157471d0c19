package ism

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// linear is the engine that makes one pass for each W.
type linear struct {
	data  *table
	terms []term
	held  *sampled // the sample
	most  int      // landmarks
	// tolerance is what they may leave of the diagonal.
	tolerance float64
	before    *summed // what the last pass with this Γ has summed

	entries  int64
	features int     // of the first term, in the last pass
	left     float64 // the largest part of a trace that features left on the sample
}

// summed is what a pass knows of the sums that degrees are made of.
type summed struct {
	gamma *gamma
	w     blas64.General
	marks []*landmarks       // of each term; nil where none
	sums  [][]blas64.General // for each part and term, Gᵀ·C, k×r
}

// feature is f' of a term in a pass: a block of columns of C, and what becomes of it.
type feature struct {
	term        term
	coefficient float64    // f' is coefficient·C·Q·Cᵀ
	marks       *landmarks // nil: one column, of ones or of 1/σ_i
	scale       []float64  // σ_i, of the column without landmarks; nil for ones
	first, cols int        // the columns of C
	// degrees are, for each part, k×r: the degree of row i is Σ_a g_ia·degrees[a]·c_i,
	// its factor of 2·coefficient included. nil where they are zero.
	degrees []blas64.General
}

// value is f of a term in a pass, where it is no multiple of f'.
type value struct {
	term        int
	factor      float64 // of C·Q·Cᵀ
	marks       *landmarks
	first, cols int // the columns of the second matrix
}

// noise returns what the features leave, which changes from one W to the next.
func (l *linear) noise() float64 { return math.Max(rounding, 10*l.left) }

func (l *linear) start(ctx context.Context, g *gamma) (blas64.General, error) {
	p := l.newPass(g, blas64.General{})
	for _, t := range l.terms {
		f := &feature{term: t, coefficient: t.slopeAtZero(), cols: 1}
		if t.local() {
			f.scale = l.data.scales[t.Neighbour]
		}
		p.add(f)
	}
	v, err := p.run(ctx)
	if err != nil {
		return blas64.General{}, err
	}
	return v.phi, v.check()
}

func (l *linear) evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error) {
	changed := l.before != nil && l.before.gamma != g // another round
	if changed {
		l.before = nil
	}
	p := l.newPass(g, w)
	now := &summed{gamma: g, w: w, marks: make([]*landmarks, len(l.terms))}
	l.left = 0
	for i, t := range l.terms {
		if t.Slope.Flat {
			p.add(&feature{term: t, coefficient: t.Weight * t.Slope.Factor, cols: 1})
			continue
		}
		marks, err := l.landmarks(ctx, t, t.entriesOf(t.Slope, true), w)
		if err != nil {
			return nil, err
		}
		now.marks[i] = marks
		p.add(&feature{term: t, coefficient: t.Weight * t.Slope.Factor, marks: marks, cols: len(marks.index)})
		if t.known() {
			continue
		}
		k, factor := t.valuesOf(g.centred())
		if marks, err = l.landmarks(ctx, t, k, w); k.anchored && errors.Is(err, errZero) {
			continue // f is constant to rounding, and Γ does not see constants
		}
		if err != nil {
			return nil, err
		}
		p.addValue(&value{term: i, factor: t.Weight * factor, marks: marks, cols: len(marks.index)})
	}
	if !changed {
		if err := l.predict(ctx, p, now); err != nil {
			return nil, err
		}
	} else if err := l.count(ctx, p); err != nil {
		return nil, err
	}
	v, err := p.run(ctx)
	if err != nil {
		return nil, err
	}
	now.sums = p.featureSums()
	l.before, l.features = now, p.features[0].cols
	return v, v.check()
}

// project returns the sample times w, with the local scales of a term.
func (l *linear) project(t term, w blas64.General) points {
	p := points{x: dense.Mul(noTrans, l.held.x, noTrans, w)}
	if t.local() {
		p.sigma = l.held.scale[t.Neighbour]
	}
	return p
}

// landmarks picks landmarks for W, from rows of the sample at equal steps.
func (l *linear) landmarks(ctx context.Context, t term, k entries, w blas64.General) (*landmarks, error) {
	all := l.project(t, w)
	size := min(2*l.most, all.x.Rows)
	index := make([]int, size)
	for i := range index {
		index[i] = i * all.x.Rows / size
	}
	marks, err := newLandmarks(ctx, l.data.engine, k, all.at(index), l.most, l.tolerance)
	if err != nil {
		return nil, err
	}
	for k, i := range marks.index {
		marks.index[k] = index[i] // in the sample
	}
	l.entries += marks.cost
	l.left = math.Max(l.left, marks.left)
	return marks, nil
}

// predict works out the degrees of distances before the pass has the sums over all
// rows that they need, t(z) = Σ_j g_j·κ'(x_j, z) at the landmarks z:
//
//	t̂ = sample(W) + full(W') − sample(W')
//
// with W' the W of the pass before, whose sums its features carry to any z. sample is
// the sum over the sample, scaled up for each class or factor. When W no longer
// changes, t̂ is t.
func (l *linear) predict(ctx context.Context, p *pass, now *summed) error {
	scaledUp := make([]blas64.General, len(p.gamma.parts))
	for s, part := range p.gamma.parts {
		scaledUp[s] = part.scaledUp(l.held.rows, p.gamma.n)
	}
	for i, f := range p.features {
		if f.term.Base == kernelgen.InnerProduct {
			continue
		}
		for s, part := range p.gamma.parts {
			if f.marks == nil {
				continue // done when it was added
			}
			t, err := l.predicted(ctx, f, scaledUp[s], now.w, func() (blas64.General, error) { return l.before.at(ctx, l, i, s, f) })
			if err != nil {
				return err
			}
			f.setDegrees(s, part, t)
		}
	}
	return nil
}

// count works out the sums for the degrees of distances in a pass of their own, for the
// first W with another Γ: no pass before knows anything of them. It is a light pass,
// without products of rows.
func (l *linear) count(ctx context.Context, p *pass) error {
	if !p.hasDistances() {
		return nil
	}
	light := &pass{linear: l, gamma: p.gamma, w: p.w, features: p.features, cols: p.cols, light: true}
	if err := light.sum(ctx); err != nil {
		return err
	}
	for i, f := range p.features {
		for s, part := range p.gamma.parts {
			if f.term.Base == kernelgen.SquaredDistance && f.marks != nil {
				f.setDegrees(s, part, light.featureSums()[s][i])
			}
		}
	}
	return nil
}

// hasDistances reports whether degrees depend on landmarks.
func (p *pass) hasDistances() bool {
	for _, f := range p.features {
		if f.term.Base == kernelgen.SquaredDistance && f.marks != nil {
			return true
		}
	}
	return false
}

// predicted returns t̂ of a feature. full is the sums over all rows with the W before.
func (l *linear) predicted(ctx context.Context, f *feature, scaledUp, w blas64.General, full func() (blas64.General, error)) (blas64.General, error) {
	t, err := l.sumsAt(ctx, f.marks.entries, l.project(f.term, w), f.marks.marks, scaledUp)
	if err != nil || l.before == nil {
		return t, err
	}
	sample, err := l.at(ctx, f, scaledUp)
	if err != nil {
		return t, err
	}
	whole, err := full()
	if err != nil {
		return t, err
	}
	dense.Add(-1, sample, t)
	dense.Add(1, whole, t)
	return t, nil
}

// sumsAt returns G_sampleᵀ·κ'(sample, z) for landmarks z of any W, k×r.
func (l *linear) sumsAt(ctx context.Context, k entries, rows, marks points, scaledUp blas64.General) (blas64.General, error) {
	c, err := k.between(ctx, l.data.engine, rows, marks)
	if err != nil {
		return c, err
	}
	l.entries += int64(c.Rows) * int64(c.Cols)
	return dense.Mul(trans, scaledUp, noTrans, c), nil
}

// at returns the sums over the sample with the W before, at the landmarks of now.
func (l *linear) at(ctx context.Context, f *feature, scaledUp blas64.General) (blas64.General, error) {
	rows := l.project(f.term, l.before.w)
	return l.sumsAt(ctx, f.marks.entries, rows, f.marks.pack(rows.at(f.marks.index)), scaledUp)
}

// at returns the sums over all rows with the W before, by its features, at the landmarks
// of now.
func (b *summed) at(ctx context.Context, l *linear, term, part int, f *feature) (blas64.General, error) {
	marks := b.marks[term]
	c, err := marks.between(ctx, l.data.engine, l.project(f.term, b.w).at(f.marks.index), marks.marks)
	if err != nil {
		return c, err
	}
	l.entries += int64(c.Rows) * int64(c.Cols)
	return dense.Mul(noTrans, dense.Mul(noTrans, b.sums[part][term], noTrans, marks.inverse), trans, c), nil
}

// setDegrees makes the degrees of part s of sums Gᵀ·C, k×r: 2·coefficient·T·sums·Q. They
// are left out where they are rounding, as for one column of ones and a centred Γ.
func (f *feature) setDegrees(s int, p *part, sums blas64.General) {
	d := dense.Mul(noTrans, p.table, noTrans, sums)
	if dense.MaxAbs(d) <= 1e-12*dense.MaxAbs(p.table)*math.Max(dense.MaxAbs(sums), 1)*float64(p.k) {
		return
	}
	if f.marks != nil {
		d = dense.Mul(noTrans, d, noTrans, f.marks.inverse)
	}
	for i := range d.Data {
		d.Data[i] *= 2 * f.coefficient
	}
	f.degrees[s] = d
}

// scaledUp returns the part of G on a sample, scaled up: each class, or all rows of factors, by
// how many more there are. It is a matrix.
func (p *part) scaledUp(rows []int64, n int) blas64.General {
	g := stream.NewMatrix(len(rows), p.k)
	if p.codes == nil {
		for i, r := range rows {
			for a, v := range dense.Row(p.g, int(r)) {
				g.Data[i*g.Stride+a] = v * float64(n) / float64(len(rows))
			}
		}
		return g
	}
	count := make([]float64, p.k)
	for _, r := range rows {
		count[p.codes[r]]++
	}
	for i, r := range rows {
		c := p.codes[r]
		g.Data[i*g.Stride+int(c)] = p.sums[c] / count[c]
	}
	return g
}

// columnSums returns Gᵀ·u, k×1, for u of ones or 1/σ_i.
func (p *part) columnSums(sigma []float64) blas64.General {
	sums := stream.NewMatrix(p.k, 1)
	if sigma == nil {
		copy(sums.Data, p.sums)
		return sums
	}
	for i, s := range sigma {
		if p.codes != nil {
			sums.Data[p.codes[i]] += 1 / s
			continue
		}
		for a, v := range dense.Row(p.g, i) {
			sums.Data[a] += v / s
		}
	}
	return sums
}

// fill puts the columns of a feature for rows from number i on into dst.
func (f *feature) fill(dst blas64.General, xw blas64.General, i int, scales map[int][]float64, w *kernelgen.Workspace) {
	if f.marks == nil {
		for a := range dst.Rows {
			v := 1.0
			if f.scale != nil {
				v = 1 / f.scale[i+a]
			}
			dst.Data[a*dst.Stride] = v
		}
		return
	}
	f.marks.fill(dst, localPoints(f.term, xw, i, scales), f.marks.marks, w)
}

// localPoints returns projected rows from number i on, with the scales that a term wants.
func localPoints(t term, xw blas64.General, i int, scales map[int][]float64) points {
	p := points{x: xw}
	if t.local() {
		p.sigma = scales[t.Neighbour][i : i+xw.Rows]
	}
	return p
}
