package kernelgen

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// maxText and maxDepth limit the input of Parse, so that text from a damaged file cannot exhaust memory or stack.
	maxText  = 1 << 16
	maxDepth = 64
)

// Parse reads a kernel in the grammar of the package comment, such as "rbf(sigma2=0.2)" or "0.5*rbf(gamma=1) +
// 2*linear()". The names of the custom profiles can be used like built-in ones. Parse panics if one of them is invalid
// for [New] or two have the same name.
//
// Errors are of type [*ParseError].
func Parse(text string, custom ...Profile) (Kernel, error) {
	p := &parser{scanner: scanner{text: text, what: "kernel"}, table: tableWith(custom)}
	if len(text) > maxText {
		return Kernel{}, p.errorAt(maxText, "longer than %d characters", maxText)
	}
	if at := strings.IndexByte(text, '|'); at >= 0 {
		return Kernel{}, p.errorAt(at,
			"one kernel is needed here; alternatives, separated by |, are for methods that choose among kernels")
	}
	k, err := p.kernel()
	if err == nil {
		err = p.finish()
	}
	if err != nil {
		return Kernel{}, err
	}
	return k, nil
}

// MaxAlternatives is the largest number of kernels returned by [ParseAll].
const MaxAlternatives = 32

// ParseAll reads kernels separated by |. Values separated by | also stand for one kernel each: "rbf(gamma=0.1|1) |
// laplace(gamma=median)" has three. It fails if there are more than [MaxAlternatives], or two are equal.
//
// Errors are of type [*ParseError].
func ParseAll(text string, custom ...Profile) ([]Kernel, error) {
	p := &parser{scanner: scanner{text: text, what: "kernel"}, table: tableWith(custom), lists: new(lists)}
	if len(text) > maxText {
		return nil, p.errorAt(maxText, "longer than %d characters", maxText)
	}
	var kernels []Kernel
	for more := true; more; more = p.accept('|') {
		for start, first := p.pos, true; first || p.lists.next(); first = false {
			p.pos = start
			k, err := p.kernel()
			switch {
			case err != nil:
				return nil, err
			case len(kernels) == MaxAlternatives:
				return nil, p.errorAt(start, "more than %d kernels to choose from", MaxAlternatives)
			case slices.ContainsFunc(kernels, func(other Kernel) bool { return other.String() == k.String() }):
				return nil, p.errorAt(start, "%s is listed twice", k)
			}
			kernels = append(kernels, k)
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return kernels, nil
}

// lists enumerates the combinations of lists of values, like an odometer.
type lists struct {
	sizes   []int // of the lists read so far
	indices []int // indices of the current values
}

// current returns the index of the current value of the next list.
func (l *lists) current(size int) int {
	i := len(l.sizes)
	l.sizes = append(l.sizes, size)
	if i == len(l.indices) {
		l.indices = append(l.indices, 0)
	}
	return l.indices[i]
}

// next advances to the next combination, and reports whether there is one.
func (l *lists) next() bool {
	for i := len(l.indices) - 1; i >= 0; i-- {
		if l.indices[i]++; l.indices[i] < l.sizes[i] {
			l.indices, l.sizes = l.indices[:i+1], nil
			return true
		}
	}
	l.indices, l.sizes = nil, nil
	return false
}

// finish returns an error unless the text ends here.
func (p *parser) finish() error {
	if p.end() {
		return nil
	}
	return p.errorAt(p.pos, "unexpected %s; kernels are joined by + and *", p.here())
}

// tableWith returns the table of kernels with the custom profiles.
func tableWith(custom []Profile) []*spec {
	table := slices.Concat(builtins, otherNames)
	for _, profile := range custom {
		s := profile.spec()
		if findSpec(table, s.name) != nil {
			panic(fmt.Sprintf("kernelgen: two profiles are named %q", s.name))
		}
		table = append(table, s)
	}
	return table
}

type parser struct {
	scanner
	table []*spec
	depth int
	lists *lists // nil if alternatives are not allowed
}

// kernel reads terms joined by plus signs.
func (p *parser) kernel() (Kernel, error) {
	p.space()
	start := p.pos
	var terms []Kernel
	for {
		k, err := p.term()
		if err != nil {
			return Kernel{}, err
		}
		terms = append(terms, k)
		if !p.accept('+') {
			return p.sum(start, terms)
		}
	}
}

func (p *parser) sum(start int, terms []Kernel) (Kernel, error) {
	k, err := sum(terms)
	if err != nil {
		return Kernel{}, p.errorAt(start, "%v", err)
	}
	return k, nil
}

// term reads factors joined by stars.
func (p *parser) term() (Kernel, error) {
	p.space()
	start := p.pos
	weight := 1.0
	var kernels []Kernel
	for {
		w, k, err := p.factor()
		if err != nil {
			return Kernel{}, err
		}
		weight *= w
		kernels = append(kernels, k...)
		if !p.accept('*') {
			return p.join(start, weight, kernels)
		}
	}
}

func (p *parser) join(start int, weight float64, kernels []Kernel) (Kernel, error) {
	if len(kernels) == 0 {
		return Kernel{}, p.errorAt(start, "a number must multiply a kernel, as in 2*linear()")
	}
	k, err := product(kernels)
	if err == nil {
		k, err = scale(weight, k)
	}
	if err != nil {
		return Kernel{}, p.errorAt(start, "%v", err)
	}
	return k, nil
}

// factor reads a number or a kernel; for a number the slice is empty.
func (p *parser) factor() (weight float64, k []Kernel, err error) {
	p.space()
	switch c := p.peek(); {
	case isDigit(c) || c == '.' || c == '-':
		weight, err = p.weight()
		return weight, nil, err
	case c == '(':
		return p.group()
	case isLetter(c):
		return p.atom()
	}
	return 0, nil, p.errorAt(p.pos, "expected a kernel, found %s", p.here())
}

func (p *parser) weight() (float64, error) {
	start := p.pos
	w, err := p.number()
	if err != nil {
		return 0, err
	}
	if err := checkWeight(w); err != nil {
		return 0, p.errorAt(start, "%v", err)
	}
	return w, nil
}

// group reads a kernel in parentheses.
func (p *parser) group() (float64, []Kernel, error) {
	open := p.pos
	p.pos++
	if p.depth++; p.depth > maxDepth {
		return 0, nil, p.errorAt(open, "more than %d parentheses inside each other", maxDepth)
	}
	k, err := p.kernel()
	if err != nil {
		return 0, nil, err
	}
	if !p.accept(')') {
		return 0, nil, p.errorAt(p.pos, "expected a closing parenthesis for the one at character %d, found %s", open+1, p.here())
	}
	p.depth--
	return 1, []Kernel{k}, nil
}

// atom reads a name with its arguments.
func (p *parser) atom() (float64, []Kernel, error) {
	start := p.pos
	name := p.name()
	s := findSpec(p.table, name)
	if s == nil {
		return 0, nil, p.errorAt(start, "no kernel is called %q%s; known are %s",
			name, suggestion(name, names(p.table)), strings.Join(names(p.table), ", "))
	}
	given, err := p.arguments(s)
	if err != nil {
		return 0, nil, err
	}
	all, err := s.complete(given)
	if err != nil {
		return 0, nil, p.errorAt(start, "%v", err)
	}
	if s.spells != nil {
		s, all = findSpec(builtins, s.spells.name), s.spells.args(all)
	}
	return 1, []Kernel{newAtom(s, all).kernel()}, nil
}

// arguments reads an optional list in parentheses.
func (p *parser) arguments(s *spec) (args, error) {
	var given args
	if !p.accept('(') || p.accept(')') {
		return nil, nil
	}
	for {
		a, err := p.argument(s, given)
		if err != nil {
			return nil, err
		}
		given = append(given, a)
		if p.accept(')') {
			return given, nil
		}
		if !p.accept(',') {
			return nil, p.errorAt(p.pos, "expected a comma or a closing parenthesis, found %s", p.here())
		}
	}
}

// argument reads name=value.
func (p *parser) argument(s *spec, given args) (arg, error) {
	p.space()
	start := p.pos
	if len(s.params) == 0 {
		return arg{}, p.errorAt(start, "%s takes no parameters", s.name)
	}
	if !isLetter(p.peek()) {
		return arg{}, p.errorAt(start, "expected name=value, found %s; %s", p.here(), usageHint(s))
	}
	name := p.name()
	param, ok := s.find(name)
	if !ok {
		return arg{}, p.errorAt(start, "%s has no parameter %q%s; %s", s.name, name, suggestion(name, s.paramNames()), usageHint(s))
	}
	if _, twice := given.find(name); twice {
		return arg{}, p.errorAt(start, "%s is given twice", name)
	}
	if !p.accept('=') {
		return arg{}, p.errorAt(p.pos, "expected = after %s, found %s", name, p.here())
	}
	return p.value(param)
}

func usageHint(s *spec) string { return "usage: " + s.usage() }

// value reads a value, or the current one of a list.
func (p *parser) value(param *param) (arg, error) {
	var values []arg
	for more := true; more; more = p.lists != nil && p.accept('|') {
		v, err := p.oneValue(param)
		if err != nil {
			return arg{}, err
		}
		values = append(values, v)
	}
	if len(values) == 1 {
		return values[0], nil
	}
	return values[p.lists.current(len(values))], nil
}

// oneValue reads a number, one of the words of the parameter, or a multiple of a word.
func (p *parser) oneValue(param *param) (arg, error) {
	p.space()
	if a, ok := p.word(param); ok {
		return a, nil
	}
	start := p.pos
	if isLetter(p.peek()) {
		name := p.name()
		return arg{}, p.errorAt(start, "%s=%s: %s", param.name, name, param.accepts())
	}
	v, err := p.number()
	if err != nil {
		return arg{}, err
	}
	if len(param.words) == 0 || !p.accept('*') {
		if err := param.check(v); err != nil {
			return arg{}, p.errorAt(start, "%v", err)
		}
		return arg{name: param.name, value: v}, nil
	}
	if !positive.holds(v) {
		return arg{}, p.errorAt(start, "%s=%s*…: the factor must be %s", param.name, formatNumber(v), positive.name)
	}
	p.space()
	a, ok := p.word(param)
	if !ok {
		return arg{}, p.errorAt(p.pos, "expected a word after %s*, found %s; %s", formatNumber(v), p.here(), param.accepts())
	}
	a.value = v
	return a, nil
}

// word reads one of the words of the parameter, which need not be names, such as 1/sqrt(d).
func (p *parser) word(param *param) (arg, bool) {
	for _, w := range param.words {
		rest, found := strings.CutPrefix(p.text[p.pos:], w.name)
		if found && (!isName(w.name) || rest == "" || !isLetter(rest[0]) && !isDigit(rest[0])) {
			p.pos += len(w.name)
			return arg{name: param.name, value: 1, word: w.name}, true
		}
	}
	return arg{}, false
}
