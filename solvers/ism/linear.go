package ism

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
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
	gamma     *gamma // of the last pass
	before    *carried

	entries  int64
	features int     // of the first term, in the last pass
	left     float64 // the largest part of a trace that features left on the sample
}

// carried is what a pass knows of the sums of the sample: how much is missing from them.
type carried struct {
	w     blas64.General
	marks []*landmarks       // of each term
	off   [][]blas64.General // for each part and term (τ − τ of the sample)·Q, k×r
}

// noise returns what the features leave, which changes from one W to the next.
func (l *linear) noise() float64 { return math.Max(rounding, 10*l.left) }

func (l *linear) start(ctx context.Context, g *gamma) (blas64.General, error) {
	p := &pass{linear: l, gamma: g}
	for _, t := range l.terms {
		p.addSlope(t, t.slopeAtZero(), nil)
	}
	if err := p.sum(ctx); err != nil {
		return blas64.General{}, err
	}
	v := p.finish()
	return v.phi, v.check()
}

func (l *linear) evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error) {
	p := &pass{linear: l, gamma: g, w: w}
	l.left = 0
	for _, t := range l.terms {
		if err := l.add(ctx, p, t); err != nil {
			return nil, err
		}
	}
	if err := l.degrees(ctx, p); err != nil {
		return nil, err
	}
	if err := p.sum(ctx); err != nil {
		return nil, err
	}
	l.carry(p)
	l.features = p.features[0].cols
	v := p.finish()
	return v, v.check()
}

// add picks the landmarks of a term for W.
func (l *linear) add(ctx context.Context, p *pass, t term) error {
	if t.Slope.Flat {
		p.addSlope(t, t.Weight*t.Slope.Factor, nil)
		return nil
	}
	marks, err := l.landmarks(ctx, t.slopes(), p.w)
	if err != nil {
		return err
	}
	p.addSlope(t, t.Weight*t.Slope.Factor, marks)
	if t.known() {
		return nil
	}
	k, factor := t.values(p.gamma.centred())
	marks, err = l.landmarks(ctx, k, p.w)
	if t.anchored(p.gamma.centred()) && errors.Is(err, errZero) {
		return nil // f is constant to rounding, and Γ does not see constants
	}
	if err != nil {
		return err
	}
	p.addValue(t, t.Weight*factor, marks)
	return nil
}

// landmarks picks landmarks for W, from rows of the sample at equal steps.
func (l *linear) landmarks(ctx context.Context, k *tiles.Tiles, w blas64.General) (*landmarks, error) {
	index := equalSteps(l.held.x.Rows, 2*l.most)
	pool := dense.Mul(noTrans, dense.PickRows(l.held.x, index), noTrans, w)
	marks, err := newLandmarks(ctx, k, pool, l.most, l.tolerance)
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

// degrees predicts the degrees of distances before the pass has the sums over all rows that they
// need, τ(z) = Σ_j g_j·κ'(x_j, z) at the landmarks z. It takes the sums over the sample, scaled up,
// and adds what was missing from them with the W before: its features carry that to any z. When W
// no longer changes, the prediction is exact.
//
// For the first W with another Γ it makes a light pass, without products of rows.
func (l *linear) degrees(ctx context.Context, p *pass) error {
	var exact *pass
	if l.gamma != nil && l.gamma != p.gamma && p.hasDistances() {
		exact = &pass{linear: l, gamma: p.gamma, w: p.w, features: p.features, cols: p.cols, light: true}
		if err := exact.sum(ctx); err != nil {
			return err
		}
	}
	rows := dense.Mul(noTrans, l.held.x, noTrans, p.w)
	for i, f := range p.features {
		if f.marks == nil || f.term.Base == kernelgen.InnerProduct {
			continue
		}
		c, err := l.between(ctx, rows, f.marks)
		if err != nil {
			return err
		}
		carry, err := l.carriedTo(ctx, p, i)
		if err != nil {
			return err
		}
		for s, part := range p.gamma.parts {
			sums := dense.Mul(trans, part.scaledUp(l.held.rows), noTrans, c)
			part.centre(sums)
			f.sampled = append(f.sampled, dense.Clone(sums))
			if exact != nil {
				sums = exact.sumsOf(s, f)
			} else if carry.Rows > 0 {
				blas64.Gemm(noTrans, trans, 1, l.before.off[s][i], carry, 1, sums)
			}
			f.setDegrees(s, part, sums)
		}
	}
	return nil
}

// between returns the kernel entries between rows and landmarks, and counts them.
func (l *linear) between(ctx context.Context, rows blas64.General, marks *landmarks) (blas64.General, error) {
	l.entries += int64(rows.Rows) * int64(marks.columns())
	return marks.between(ctx, l.data.engine, rows)
}

// carriedTo returns the kernel entries, with the W before, between the landmarks of a feature and those
// of its term before; nothing unless the pass before had the same Γ.
func (l *linear) carriedTo(ctx context.Context, p *pass, term int) (blas64.General, error) {
	if l.before == nil || l.gamma != p.gamma {
		return blas64.General{}, nil
	}
	rows := dense.PickRows(l.held.x, p.features[term].marks.index)
	return l.between(ctx, dense.Mul(noTrans, rows, noTrans, l.before.w), l.before.marks[term])
}

// carry keeps what the sums of the sample were off by.
func (l *linear) carry(p *pass) {
	l.gamma, l.before = p.gamma, &carried{w: p.w, off: make([][]blas64.General, len(p.gamma.parts))}
	for _, f := range p.features {
		l.before.marks = append(l.before.marks, f.marks)
		for s := range p.gamma.parts {
			var off blas64.General
			if len(f.sampled) > 0 {
				off = dense.Clone(p.sumsOf(s, f))
				dense.Add(-1, f.sampled[s], off)
				off = dense.Mul(noTrans, off, noTrans, f.marks.inverse)
			}
			l.before.off[s] = append(l.before.off[s], off)
		}
	}
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

// setDegrees makes the degrees of part s of sums τ, k×r: 2·factor·τ·Q.
func (f *feature) setDegrees(s int, p *part, sums blas64.General) {
	d := dense.Clone(sums)
	if p.codes != nil { // rows of G are those of Y less the shares of the classes
		shared := dense.MulVector(trans, sums, p.sums)
		for a := range d.Rows {
			dense.Axpy(-1/float64(len(p.codes)), shared, dense.Row(d, a))
		}
	}
	if f.marks != nil {
		d = dense.Mul(noTrans, d, noTrans, f.marks.inverse)
	}
	dense.Scale(2*f.factor*p.weight, d)
	f.degrees[s] = d
}

// scaledUp returns the rows of G, or of Y, for a sample, scaled up: each class, or all rows of G, by how
// many more there are.
func (p *part) scaledUp(rows []int64) blas64.General {
	g := stream.NewMatrix(len(rows), p.k)
	if p.codes == nil {
		for i, r := range rows {
			dense.Axpy(float64(p.g.Rows)/float64(len(rows)), dense.Row(p.g, int(r)), dense.Row(g, i))
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
