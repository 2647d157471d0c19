package kernelgen

import (
	"fmt"
	"slices"
	"strings"
)

// With returns the kernel with another value of a parameter, in the place of those that
// exclude it: "2" for "gamma" makes rbf(gamma=2) of rbf(sigma=1), and "median" for "sigma"
// rbf(sigma=median). Where several parts of the kernel have the parameter, the name of one
// of them comes first, as in "rbf.gamma". Grids of parameters are made of it.
//
// The error says which parameters there are, or what the parameter takes.
func (k Kernel) With(parameter, value string) (Kernel, error) {
	part, name, found := strings.Cut(parameter, ".")
	if !found {
		part, name = "", parameter
	}
	var having []string
	for a := range eachAtom(k.terms) {
		if _, ok := a.spec.find(name); ok && (part == "" || a.spec.name == part) {
			having = append(having, a.spec.name)
		}
	}
	switch len(having) {
	case 0:
		return Kernel{}, fmt.Errorf("kernel %s has no parameter %q; it has %s", k, parameter, strings.Join(k.parameters(), ", "))
	case 1:
	default:
		return Kernel{}, fmt.Errorf("%d parts of kernel %s have the parameter %q: name the one that is meant, as in %s.%s", len(having), k, parameter, having[0], name)
	}
	terms, err := withTerms(k.terms, part, name, value)
	return Kernel{terms: terms, cols: k.cols}, err
}

// parameters returns the names of all parameters, each behind its part.
func (k Kernel) parameters() (list []string) {
	for a := range eachAtom(k.terms) {
		for _, name := range a.spec.paramNames() {
			list = append(list, a.spec.name+"."+name)
		}
	}
	if len(list) == 0 {
		list = []string{"none"}
	}
	return list
}

func withTerms(terms []term, part, name, value string) ([]term, error) {
	changed := slices.Clone(terms)
	for i, t := range changed {
		changed[i].factors = slices.Clone(t.factors)
		for j, f := range t.factors {
			var err error
			if f.atom == nil {
				f.sum, err = withTerms(f.sum, part, name, value)
			} else if _, ok := f.atom.spec.find(name); ok && (part == "" || f.atom.spec.name == part) {
				f.atom, err = f.atom.with(name, value)
			}
			if err != nil {
				return nil, err
			}
			changed[i].factors[j] = f
		}
	}
	return changed, nil
}

// with returns the atom with another value of one of its parameters.
func (a *atom) with(name, value string) (*atom, error) {
	s := a.spec
	param, _ := s.find(name)
	p := &parser{scanner: scanner{text: value, what: "value"}}
	set, err := p.value(param)
	if err == nil && !p.end() {
		err = p.errorAt(p.pos, "unexpected %s; %s", p.here(), param.accepts())
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, s.name, err)
	}
	given := args{set}
	for _, other := range a.args {
		p, _ := s.find(other.name)
		if excluded := param.or != "" && p.or == param.or; other.name != name && !excluded {
			given = append(given, other)
		}
	}
	all, err := s.complete(given)
	if err != nil {
		return nil, err
	}
	return newAtom(s, all), nil
}
