package kernelgen

import "github.com/nystream/nystream/internal/simd"

// baseValues holds the base values of one piece of a tile or diagonal, all of the same length; nil for bases the kernel
// does not use.
type baseValues [numBases][]float64

// evalTerms sets out to the sum of the terms.
func evalTerms(out []float64, terms []term, b *baseValues, w *Workspace) {
	evalTerm(out, terms[0], b, w)
	if len(terms) == 1 {
		return
	}
	next := w.take(len(out))
	for _, t := range terms[1:] {
		evalTerm(next, t, b, w)
		simd.Add(out, next)
	}
	w.give(next)
}

// evalTerm sets out to the weighted product of the factors.
func evalTerm(out []float64, t term, b *baseValues, w *Workspace) {
	evalFactor(out, t.factors[0], b, w)
	multiplyFactors(out, t.factors[1:], b, w)
	if t.weight != 1 {
		simd.Scale.Apply(out, out, t.weight)
	}
}

func multiplyFactors(out []float64, factors []factor, b *baseValues, w *Workspace) {
	if len(factors) == 0 {
		return
	}
	next := w.take(len(out))
	for _, f := range factors {
		evalFactor(next, f, b, w)
		simd.Multiply(out, next)
	}
	w.give(next)
}

func evalFactor(out []float64, f factor, b *baseValues, w *Workspace) {
	if f.atom == nil {
		evalTerms(out, f.sum, b, w)
		return
	}
	copy(out, b[f.atom.spec.base])
	tmp := w.take(len(out))
	f.atom.profile.run(out, tmp)
	w.give(tmp)
}
