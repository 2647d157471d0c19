package kernelgen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nystream/nystream/internal/matrix"
)

// A param is a parameter of a kernel.
type param struct {
	name string
	// preset is the text of the default value; "" if there is none.
	preset string
	domain domain
	// words are allowed instead of a number until Resolve.
	words []word
	// or is a label shared by mutually exclusive parameters, one of which is required.
	or string
}

// word stands for a number estimated from a sample of rows. The arguments are those of earlier parameters, resolved.
type word struct {
	name     string
	estimate func(s *sample, resolved args) (float64, error)
}

// find returns the word with the given name.
func (p *param) find(name string) (word, bool) {
	for _, w := range p.words {
		if w.name == name {
			return w, true
		}
	}
	return word{}, false
}

// A domain is the set of numbers a parameter accepts, and its name in messages.
type domain struct {
	name  string
	holds func(float64) bool
}

var (
	positive = domain{"a positive finite number", func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }}
	finite   = domain{"a finite number", matrix.IsFinite}
	count    = domain{"a whole number from 1 to 1000000", func(v float64) bool {
		return v >= 1 && v <= 1e6 && v == math.Trunc(v)
	}}
)

// check returns an error unless v is in the domain of p.
func (p *param) check(v float64) error {
	if !p.domain.holds(v) {
		return fmt.Errorf("%s=%s: %s must be %s", p.name, formatNumber(v), p.name, p.domain.name)
	}
	return nil
}

// An arg is the value of a parameter: a number, or a multiple of a word still to be resolved.
type arg struct {
	name  string
	value float64 // the factor, for a word
	word  string
}

func (a arg) String() string {
	switch {
	case a.word == "":
		return a.name + "=" + formatNumber(a.value)
	case a.value != 1:
		return a.name + "=" + formatNumber(a.value) + "*" + a.word
	}
	return a.name + "=" + a.word
}

// args are the arguments of one kernel, in the order of its parameters.
type args []arg

func (a args) String() string {
	parts := make([]string, len(a))
	for i, arg := range a {
		parts[i] = arg.String()
	}
	return strings.Join(parts, ", ")
}

func (a args) find(name string) (arg, bool) {
	for _, arg := range a {
		if arg.name == name {
			return arg, true
		}
	}
	return arg{}, false
}

// get returns the number given for a parameter, 0 if it was not given.
func (a args) get(name string) float64 {
	arg, _ := a.find(name)
	return arg.value
}

// numbers reports whether no argument is a word.
func (a args) numbers() bool {
	for _, arg := range a {
		if arg.word != "" {
			return false
		}
	}
	return true
}

// presetArg parses the default.
func (p *param) presetArg() arg {
	v, err := strconv.ParseFloat(p.preset, 64)
	if err != nil {
		return arg{name: p.name, value: 1, word: p.preset}
	}
	return arg{name: p.name, value: v}
}

// accepts describes the parameter's name and values, for messages.
func (p *param) accepts() string {
	return p.name + " must be " + p.values()
}

// values returns "a positive finite number or median".
func (p *param) values() string {
	text := p.domain.name
	for _, w := range p.words {
		text += " or " + w.name
	}
	return text
}
