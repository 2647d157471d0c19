package kernelgen

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/internal/simd"
)

// profile turns base values into kernel values. It is either a function that tiles apply in registers, or a function
// over slices.
type profile struct {
	fused simd.Profile
	// apply, if not nil, is used instead. It works in place, with scratch memory of the same length.
	apply func(v, tmp []float64)
	// factor, if not 0, means that the profile is e^(factor·base).
	factor float64
}

// run turns base values into kernel values in place.
func (p *profile) run(v, tmp []float64) {
	if p.apply == nil {
		p.fused.Apply(v)
		return
	}
	p.apply(v, tmp)
}

// A spec is an entry of the table of kernels.
type spec struct {
	name    string
	base    Base
	formula string
	params  []param
	// psd reports whether the kernel is positive semi-definite for rows of
	// cols columns; cols is 0 if unknown. Arguments may be words.
	psd func(a args, cols int) bool
	// affine reports whether the kernel is a·(base) + b; nil if it never is.
	affine func(a args) bool
	// divides is set for a kernel that is another one divided by its row sums; its profile is then never applied.
	divides *normalisation
	// profile and smooth are called with resolved arguments. smooth is nil for kernels without a finite derivative by
	// their base.
	profile func(a args) profile
	smooth  func(a args) smooth
	// scaled is set for a kernel with a base divided by scales of both rows, which depend on other rows.
	scaled bool
	custom bool // a user's profile
	// spells is set for an alternative name of a kernel, which is parsed but never written.
	spells *normalisation
}

func (s *spec) find(name string) (*param, bool) {
	for i := range s.params {
		if s.params[i].name == name {
			return &s.params[i], true
		}
	}
	return nil, false
}

// complete sorts the given arguments into the order of the parameters and adds the defaults.
func (s *spec) complete(given args) (args, error) {
	var all args
	for i := range s.params {
		p := &s.params[i]
		if a, ok := given.find(p.name); ok {
			if other, clash := s.rival(p, all); clash {
				return nil, fmt.Errorf("%s takes %s or %s, not both", s.name, other, p.name)
			}
			all = append(all, a)
			continue
		}
		if _, replaced := s.rival(p, given); replaced {
			continue
		}
		if p.preset != "" {
			all = append(all, p.presetArg())
		} else if p.or == "" {
			return nil, fmt.Errorf("%s needs %s, %s", s.name, p.name, p.values())
		}
	}
	return all, nil
}

// rival finds an argument for a parameter that excludes p.
func (s *spec) rival(p *param, among args) (string, bool) {
	for _, a := range among {
		other, _ := s.find(a.name)
		if p.or != "" && other.or == p.or && other != p {
			return a.name, true
		}
	}
	return "", false
}

// usage returns the kernel with its parameters, as in "rbf(gamma=auto | sigma2 | sigma)".
func (s *spec) usage() string {
	var b strings.Builder
	for i, p := range s.params {
		switch {
		case i == 0:
		case p.or != "" && p.or == s.params[i-1].or:
			b.WriteString(" | ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(p.name)
		if p.preset != "" {
			b.WriteString("=" + p.preset)
		}
	}
	return s.name + "(" + b.String() + ")"
}

func (s *spec) paramNames() []string {
	names := make([]string, len(s.params))
	for i, p := range s.params {
		names[i] = p.name
	}
	return names
}

// presets returns the arguments that have a default.
func (s *spec) presets() args {
	var all args
	for i := range s.params {
		if s.params[i].preset != "" {
			all = append(all, s.params[i].presetArg())
		}
	}
	return all
}
