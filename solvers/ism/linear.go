package ism

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// linear is the engine that makes one pass for each W, preceded by a light one for kernels of distances.
type linear struct {
	data         *table
	terms        []term
	sample       *rowSample // the sample
	maxLandmarks int        // limit of landmarks
	// tolerance is the accepted residual of the diagonal.
	tolerance float64

	entries      int64
	features     int     // number of landmarks of the first term, in the last pass
	missingTrace float64 // largest fraction of a trace missing from the features of the sample
}

// noise returns the error of the features, which changes from one W to the next.
func (l *linear) noise() float64 { return math.Max(rounding, 10*l.missingTrace) }

// start returns Φ₀, for which every slope is the constant f'(0).
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

// evaluate selects landmarks for W, and computes Φ and J by one pass. Another pass computes degrees if a kernel has
// distances.
func (l *linear) evaluate(ctx context.Context, g *gamma, w blas64.General) (*evaluation, error) {
	p := &pass{linear: l, gamma: g, w: w}
	l.missingTrace = 0
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
	l.features = p.features[0].cols
	v := p.finish()
	return v, v.check()
}

// add selects the landmarks of a term for W.
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
		return nil // f is constant up to rounding, and Γ removes constants
	}
	if err != nil {
		return err
	}
	p.addValue(t, t.Weight*factor, marks)
	return nil
}

// landmarks selects landmarks for W from evenly spaced rows of the sample.
func (l *linear) landmarks(ctx context.Context, k *tiles.Tiles, w blas64.General) (*landmarks, error) {
	pool := dense.Mul(noTrans, l.sample.evenRows(2*l.maxLandmarks), noTrans, w)
	marks, err := newLandmarks(ctx, k, pool, l.maxLandmarks, l.tolerance)
	if err != nil {
		return nil, err
	}
	l.entries += marks.entries
	l.missingTrace = math.Max(l.missingTrace, marks.meanResidual)
	return marks, nil
}

// degrees computes the degrees of distances in a light pass, without products of rows. They need sums over all rows,
// τ(z) = Σ_j g_j·κ'(x_j, z) at the landmarks z.
func (l *linear) degrees(ctx context.Context, p *pass) error {
	if !p.hasDistances() {
		return nil
	}
	sums := &pass{linear: l, gamma: p.gamma, w: p.w, features: p.features, cols: p.cols, light: true}
	if err := sums.sum(ctx); err != nil {
		return err
	}
	for _, f := range p.features {
		if f.landmarks == nil || f.term.Base == kernelgen.InnerProduct {
			continue
		}
		for s, part := range p.gamma.parts {
			f.setDegrees(s, part, sums.sumsOf(s, f))
		}
	}
	return nil
}

// hasDistances reports whether degrees depend on landmarks.
func (p *pass) hasDistances() bool {
	for _, f := range p.features {
		if f.term.Base == kernelgen.SquaredDistance && f.landmarks != nil {
			return true
		}
	}
	return false
}

// setDegrees sets the degrees of part s from sums τ, k×r: 2·factor·τ·Q.
func (f *feature) setDegrees(s int, p *part, sums blas64.General) {
	d := matrix.Clone(sums)
	if p.codes != nil { // rows of G are those of Y minus the class proportions
		shared := dense.MulVector(trans, sums, p.sums)
		for a := range d.Rows {
			matrix.Axpy(-1/float64(len(p.codes)), shared, matrix.Row(d, a))
		}
	}
	if f.landmarks != nil {
		d = dense.Mul(noTrans, d, noTrans, f.landmarks.inverse)
	}
	dense.Scale(2*f.factor*p.weight, d)
	f.degrees[s] = d
}
