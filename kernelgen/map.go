package kernelgen

import (
	"fmt"
	"math"
	"strings"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// ElementMap is an element-wise function of an explicit matrix: f(scale·a) for every
// entry a, with f one of
//
//	abs cos exp expm1 identity log1p relu sigmoid sin sqrt square tanh
//
// where relu is max(0, a) and sigmoid is the logistic function 1/(1+e^−a) (unlike the kernel of that name, which is
// scikit-learn's tanh). Finite entries give NaN only where the function is undefined: sqrt below 0, log1p below −1, sin
// and cos if scale·a overflows. An ElementMap is an immutable value; the zero ElementMap is the identity.
type ElementMap struct {
	entry *mapEntry
	scale float64
}

type mapEntry struct {
	name string
	// apply sets dst[i] = f(src[i]); the two may be the same.
	apply func(dst, src []float64)
}

// Maps that are also parts of kernels have a vector path.
var maps = []*mapEntry{
	{"abs", eachEntry(math.Abs)},
	{"cos", eachEntry(math.Cos)},
	{"exp", vectorMap(simd.ScaledExp, 1)},
	{"expm1", eachEntry(math.Expm1)},
	{"identity", func(dst, src []float64) { copy(dst, src) }},
	{"log1p", vectorMap(simd.Log1p, 1)},
	{"relu", vectorMap(simd.Relu)},
	{"sigmoid", logistic},
	{"sin", eachEntry(math.Sin)},
	{"sqrt", eachEntry(math.Sqrt)},
	{"square", eachEntry(func(a float64) float64 { return a * a })},
	{"tanh", vectorMap(simd.Tanh, 1, math.Copysign(0, -1))}, // z + −0 is z, also for −0
}

func vectorMap(f simd.Function, p ...float64) func(dst, src []float64) {
	return func(dst, src []float64) { f.Apply(dst, src, p...) }
}

// logistic sets dst[i] = 1/(1 + e^−src[i]).
func logistic(dst, src []float64) {
	simd.ScaledExp.Apply(dst, src, -1)
	simd.Reciprocal.Apply(dst, dst, 1)
}

func eachEntry(f func(float64) float64) func(dst, src []float64) {
	return func(dst, src []float64) {
		for i, a := range src {
			dst[i] = f(a)
		}
	}
}

// ParseElementMap reads the name of a map, such as "exp", or a map of a scaled entry,
// such as "exp(scale=-10)". Errors are of type [*ParseError].
func ParseElementMap(text string) (ElementMap, error) {
	s := &scanner{what: "map", text: text}
	s.space()
	start := s.pos
	name := s.name()
	e := findMap(name)
	if e == nil {
		return ElementMap{}, s.errorAt(start, "no map is called %q%s; known are %s",
			name, suggestion(name, ElementMapNames()), strings.Join(ElementMapNames(), ", "))
	}
	scale, err := s.mapScale()
	if err != nil {
		return ElementMap{}, err
	}
	if !s.end() {
		return ElementMap{}, s.errorAt(s.pos, "unexpected %s after the map", s.here())
	}
	return ElementMap{entry: e, scale: scale}, nil
}

// mapScale reads an optional "(scale=number)".
func (s *scanner) mapScale() (float64, error) {
	if !s.accept('(') || s.accept(')') {
		return 1, nil
	}
	s.space()
	start := s.pos
	if s.name() != "scale" || !s.accept('=') {
		return 0, s.errorAt(start, "a map takes scale=number only")
	}
	s.space()
	start = s.pos
	v, err := s.number()
	if err != nil {
		return 0, err
	}
	if v == 0 || !matrix.IsFinite(v) {
		return 0, s.errorAt(start, "scale=%s: scale must be a finite number other than 0", formatNumber(v))
	}
	if !s.accept(')') {
		return 0, s.errorAt(s.pos, "expected a closing parenthesis, found %s", s.here())
	}
	return v, nil
}

// String returns the canonical text: [ParseElementMap] of it gives the same map.
func (m ElementMap) String() string {
	if m.entry == nil {
		return "identity"
	}
	if m.scale == 1 {
		return m.entry.name
	}
	return m.entry.name + "(scale=" + formatNumber(m.scale) + ")"
}

// Apply sets dst[i] = f(scale·src[i]). The two may be the same slice; Apply
// panics unless the lengths agree.
func (m ElementMap) Apply(dst, src []float64) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("kernelgen: map of %d values into %d", len(src), len(dst)))
	}
	if m.entry == nil {
		copy(dst, src)
		return
	}
	if m.scale != 1 {
		simd.Scale.Apply(dst, src, m.scale)
		src = dst
	}
	m.entry.apply(dst, src)
}

// ElementMapNames lists the names of the maps.
func ElementMapNames() []string {
	list := make([]string, len(maps))
	for i, e := range maps {
		list[i] = e.name
	}
	return list
}

func findMap(name string) *mapEntry {
	for _, e := range maps {
		if e.name == name {
			return e
		}
	}
	return nil
}
