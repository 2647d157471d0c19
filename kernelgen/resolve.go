package kernelgen

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// Resolve returns the kernel with every word replaced by a number estimated from the sample; see the package comment
// for their meaning. The sample also determines the number of columns, on which defaults depend. It is not retained.
// Cost of medians: O(d·n²) for n = min(rows, 1000).
//
// The error names the kernel, the parameter and a remedy.
func (k Kernel) Resolve(sample blas64.General) (Kernel, error) {
	resolved, _, err := k.ResolveNoting(sample)
	return resolved, err
}

// ResolveNoting is [Kernel.Resolve]. It also returns sentences for the user about words that the rows do not determine:
// if at least half of the pairs of rows are equal, or all are.
func (k Kernel) ResolveNoting(sample blas64.General) (resolved Kernel, notes []string, err error) {
	s := newSample(sample)
	terms, err := resolveTerms(k.terms, s)
	if err == nil {
		err = k.CheckRows(sample, 0)
	}
	if err != nil {
		return Kernel{}, nil, err
	}
	return Kernel{terms: terms, cols: sample.Cols}, s.notes, nil
}

func resolveTerms(terms []term, s *sample) ([]term, error) {
	resolved := make([]term, len(terms))
	for i, t := range terms {
		resolved[i] = term{weight: t.weight, factors: make([]factor, len(t.factors))}
		for j, f := range t.factors {
			r, err := resolveFactor(f, s)
			if err != nil {
				return nil, err
			}
			resolved[i].factors[j] = r
		}
	}
	return resolved, nil
}

func resolveFactor(f factor, s *sample) (factor, error) {
	if f.atom == nil {
		sum, err := resolveTerms(f.sum, s)
		return factor{sum: sum}, err
	}
	if f.atom.profile != nil {
		return f, nil
	}
	a, err := resolveArgs(f.atom.spec, f.atom.args, s)
	if err != nil {
		return factor{}, fmt.Errorf("%s: %w", f.atom.spec.name, err)
	}
	return factor{atom: newAtom(f.atom.spec, a)}, nil
}

// resolveArgs resolves the arguments in the order of the table, since a word may depend on an earlier argument.
func resolveArgs(s *spec, words args, rows *sample) (args, error) {
	resolved := make(args, 0, len(words))
	for _, a := range words {
		p, _ := s.find(a.name)
		v, err := resolveArg(p, a, resolved, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; or give %s as a number", a, err, a.name)
		}
		resolved = append(resolved, arg{name: a.name, value: v})
	}
	return resolved, nil
}

func resolveArg(p *param, a arg, resolved args, rows *sample) (float64, error) {
	if a.word == "" {
		return a.value, nil
	}
	w, _ := p.find(a.word)
	v, err := w.estimate(rows, resolved)
	if err != nil {
		return 0, err
	}
	return a.value * v, p.check(a.value * v)
}
