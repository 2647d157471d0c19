package ism

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/kernelgen"
)

const (
	alignedWord     = "aligned"
	independentWord = "independent"
	maxText         = 1 << 16 // of a kernel; text may come from a damaged file
)

func (k Kernel) resolved() bool {
	for _, t := range k.terms {
		if !t.atom.resolved() {
			return false
		}
	}
	return k.aligned == notAligned
}

func sum(kernels []Kernel) Kernel {
	if len(kernels) == 1 {
		return kernels[0]
	}
	var s Kernel
	for _, k := range kernels {
		if k.aligned != notAligned {
			panic("ism: a sum of kernels can be aligned, and an aligned one cannot be in a sum")
		}
		s.terms = append(s.terms, k.terms...)
	}
	return s
}

func scale(weight float64, k Kernel) Kernel {
	if !positive(weight) || k.aligned != notAligned {
		panic(fmt.Sprintf("ism: weight %v of %v", weight, k))
	}
	s := Kernel{}
	for _, t := range k.terms {
		s.terms = append(s.terms, term{weight * t.weight, t.atom})
	}
	return s
}

func (k Kernel) text() string {
	var terms []string
	for _, t := range k.terms {
		s := t.atom.text()
		if t.weight != 1 {
			s = number(t.weight) + "*" + s
		}
		terms = append(terms, s)
	}
	s := strings.Join(terms, " + ")
	switch k.aligned {
	case alignedJointly:
		return alignedWord + "(" + s + ")"
	case alignedEach:
		return independentWord + "(" + s + ")"
	}
	return s
}

func (a *atom) text() string {
	var args []string
	for i, p := range a.spec.params {
		v := number(a.args[i])
		if p.word != "" && a.args[i] == 0 {
			v = p.word
		}
		args = append(args, p.name+"="+v)
	}
	return a.spec.name + "(" + strings.Join(args, ", ") + ")"
}

// number has the digits that read back to the same bits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c|0x20 < 'a' || c|0x20 > 'z' {
			if i == 0 || c != '_' && (c < '0' || c > '9') {
				return false
			}
		}
	}
	return s != ""
}

// parser reads the text of a kernel.
type parser struct {
	text  string
	pos   int
	table []*spec
}

func parse(text string, profiles []Profile) (Kernel, error) {
	p := &parser{text: text, table: builtins[:len(builtins):len(builtins)]}
	for _, profile := range profiles {
		s := profile.atom().spec
		if find(p.table, s.name) != nil {
			panic(fmt.Sprintf("ism: two profiles are named %q", s.name))
		}
		p.table = append(p.table, s)
	}
	if len(text) > maxText {
		return Kernel{}, p.errorAt(maxText, "longer than %d characters", maxText)
	}
	k, err := p.kernel()
	if err == nil && p.peek() != 0 {
		err = p.errorAt(p.pos, "unexpected %s; kernels are joined by +, and weights by *", p.here())
	}
	if err != nil {
		return Kernel{}, err
	}
	return k, nil
}

func (p *parser) errorAt(offset int, format string, a ...any) error {
	return &kernelgen.ParseError{What: "kernel", Text: p.text, Offset: offset, Problem: fmt.Sprintf(format, a...)}
}

// peek skips white space and is the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// accept skips c if it is next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// here describes what is next.
func (p *parser) here() string {
	if p.peek() == 0 {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

// word reads letters, digits and what else is in accepted.
func (p *parser) word(accepted string) string {
	p.peek()
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(accepted, c) >= 0) {
			break
		}
		p.pos++
	}
	return p.text[start:p.pos]
}

// number reads the word of a number.
func (p *parser) number() (float64, error) {
	p.peek()
	start := p.pos
	text := p.word(".")
	for strings.HasSuffix(text, "e") || strings.HasSuffix(text, "E") || text == "" {
		if c := p.peek(); c != '-' && c != '+' {
			break
		}
		p.pos++
		p.word(".")
		text = p.text[start:p.pos]
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, p.errorAt(start, "%q is not a number that fits float64", text)
	}
	return v, nil
}

// kernel reads a sum, aligned or not.
func (p *parser) kernel() (Kernel, error) {
	p.peek()
	start := p.pos
	if word := p.word("_"); word == alignedWord || word == independentWord {
		if !p.accept('(') {
			return Kernel{}, p.errorAt(p.pos, "expected an opening parenthesis after %s, found %s", word, p.here())
		}
		k, err := p.sum()
		if err == nil && !p.accept(')') {
			err = p.errorAt(p.pos, "expected a closing parenthesis, found %s", p.here())
		}
		k.aligned = alignedJointly
		if word == independentWord {
			k.aligned = alignedEach
		}
		return k, err
	}
	p.pos = start
	return p.sum()
}

func (p *parser) sum() (k Kernel, err error) {
	for {
		t, err := p.term()
		if err != nil {
			return k, err
		}
		k.terms = append(k.terms, t)
		if !p.accept('+') {
			return k, nil
		}
	}
}

func (p *parser) term() (term, error) {
	weight := 1.0
	if c := p.peek(); c >= '0' && c <= '9' || c == '.' || c == '-' {
		start := p.pos
		v, err := p.number()
		if err != nil {
			return term{}, err
		}
		if !positive(v) {
			return term{}, p.errorAt(start, "weight %v: weights are positive and finite", v)
		}
		if !p.accept('*') {
			return term{}, p.errorAt(p.pos, "expected * after a weight, found %s", p.here())
		}
		weight = v
	}
	a, err := p.atom()
	return term{weight, a}, err
}

// atom reads a name with its arguments.
func (p *parser) atom() (*atom, error) {
	p.peek()
	start := p.pos
	name := p.word("_")
	s := find(p.table, name)
	if s == nil {
		var names []string
		for _, s := range p.table {
			names = append(names, s.name)
		}
		found := strconv.Quote(name)
		if name == "" {
			found = p.here()
		}
		return nil, p.errorAt(start, "expected the name of a kernel, found %s; known are %s", found, strings.Join(names, ", "))
	}
	a := &atom{spec: s, args: make([]float64, len(s.params))}
	for i, p := range s.params {
		a.args[i] = p.preset
	}
	return a, p.arguments(a)
}

// arguments reads a list in parentheses, which may be left out.
func (p *parser) arguments(a *atom) error {
	if !p.accept('(') || p.accept(')') {
		return nil
	}
	given := make([]bool, len(a.args))
	for {
		if err := p.argument(a, given); err != nil {
			return err
		}
		if p.accept(')') {
			return nil
		}
		if !p.accept(',') {
			return p.errorAt(p.pos, "expected a comma or a closing parenthesis, found %s", p.here())
		}
	}
}

// argument reads name=value.
func (p *parser) argument(a *atom, given []bool) error {
	p.peek()
	start := p.pos
	name := p.word("_")
	for i, param := range a.spec.params {
		if param.name != name {
			continue
		}
		if given[i] {
			return p.errorAt(start, "%s is given twice", name)
		}
		if !p.accept('=') {
			return p.errorAt(p.pos, "expected = after %s, found %s", name, p.here())
		}
		given[i] = true
		return p.value(&a.args[i], param)
	}
	return p.errorAt(start, "%s has no parameter %q; usage: %s", a.spec.name, name, a.text())
}

func (p *parser) value(v *float64, param param) error {
	p.peek()
	start := p.pos
	if param.word != "" && strings.HasPrefix(p.text[start:], param.word) {
		p.word("")
		*v = 0
		return nil
	}
	var err error
	if *v, err = p.number(); err == nil && !param.ok(*v) {
		err = p.errorAt(start, "%s is %v; it must be %s", param.name, *v, param.domain)
	}
	return err
}
