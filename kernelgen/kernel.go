package kernelgen

import (
	"slices"
	"strconv"
	"strings"
)

// Kernel is a function of two rows: a sum of weighted products of profiles. It is an immutable value, safe for use by
// several goroutines. [Kernel.Same] compares two of them. The zero Kernel panics when used; use [Parse], [New] or a
// constructor.
type Kernel struct {
	terms []term
	// cols is the number of columns for which the kernel was resolved, 0 if unknown. Only PositiveSemiDefinite uses it.
	cols int
}

// A term is weight times the product of its factors.
type term struct {
	weight  float64
	factors []factor
}

// A factor is an atom or a sum of two terms or more.
type factor struct {
	atom *atom
	sum  []term
}

// An atom is one entry of the table of kernels with its arguments.
type atom struct {
	spec *spec
	args args
	// profile turns base values into kernel values; nil while an argument is
	// a word.
	profile *profile
}

// newAtom makes an atom of checked arguments.
func newAtom(s *spec, a args) *atom {
	if !a.numbers() {
		return &atom{spec: s, args: a}
	}
	p := s.profile(a)
	return &atom{spec: s, args: a, profile: &p}
}

func (a *atom) kernel() Kernel {
	return Kernel{terms: []term{{weight: 1, factors: []factor{{atom: a}}}}}
}

// String returns the canonical text of the kernel. [Parse] of it returns the same kernel, with the same bits in every
// parameter.
func (k Kernel) String() string {
	var b strings.Builder
	writeTerms(&b, k.terms)
	return b.String()
}

// Same reports whether two kernels have the same text, and custom profiles from the same call of [New] or [Parse]:
// functions cannot be compared.
func (k Kernel) Same(other Kernel) bool {
	return k.String() == other.String() && slices.EqualFunc(slices.Collect(eachAtom(k.terms)), slices.Collect(eachAtom(other.terms)),
		func(a, b *atom) bool { return a.spec == b.spec })
}

func writeTerms(b *strings.Builder, terms []term) {
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" + ")
		}
		if t.weight != 1 {
			b.WriteString(formatNumber(t.weight) + "*")
		}
		for j, f := range t.factors {
			if j > 0 {
				b.WriteString("*")
			}
			writeFactor(b, f)
		}
	}
}

func writeFactor(b *strings.Builder, f factor) {
	if f.atom != nil {
		b.WriteString(f.atom.spec.name + "(" + f.atom.args.String() + ")")
		return
	}
	b.WriteString("(")
	writeTerms(b, f.sum)
	b.WriteString(")")
}

// formatNumber writes the fewest digits that read back to the same bits.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Resolved reports whether every parameter is a number, so that the kernel can
// be evaluated.
func (k Kernel) Resolved() bool {
	for a := range eachAtom(k.terms) {
		if a.profile == nil {
			return false
		}
	}
	return true
}

// PositiveSemiDefinite reports whether the matrix k(x_i, x_j) is known to be symmetric positive semi-definite for every
// data set. False means unknown, as for a custom profile without this property, a sigmoid or a multiquadric.
//
// csrbf with v given as a number is positive semi-definite for rows of up to 2v−1 columns. [Kernel.Resolve] sets the
// number of columns; for a kernel that was not resolved, or was parsed from its text, the result is false.
func (k Kernel) PositiveSemiDefinite() bool {
	for a := range eachAtom(k.terms) {
		if !a.spec.psd(a.args, k.cols) {
			return false
		}
	}
	return len(k.terms) > 0
}

// eachAtom yields the atoms of a sum from left to right.
func eachAtom(terms []term) func(yield func(*atom) bool) {
	return func(yield func(*atom) bool) { visitAtoms(terms, yield) }
}

func visitAtoms(terms []term, yield func(*atom) bool) bool {
	for _, t := range terms {
		for _, f := range t.factors {
			if f.atom != nil && !yield(f.atom) {
				return false
			}
			if !visitAtoms(f.sum, yield) {
				return false
			}
		}
	}
	return true
}

// bases returns the set of bases the kernel needs.
func (k Kernel) bases() (s baseSet) {
	for a := range eachAtom(k.terms) {
		s[a.spec.base] = true
	}
	return s
}
