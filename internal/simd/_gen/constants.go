package main

import "math"

// A constant holds the bits of a lane.
type constant uint64

// value returns the constant with the given value.
func (l *lanes) value(v float64) constant { return constant(math.Float64bits(v)) }

// constants is the table of constants of one file. Each entry fills a register of AVX2 or NEON;
// AVX-512 broadcasts its first lane.
type constants struct {
	name  string
	index map[constant]int
}

func newConstants(name string) *constants {
	return &constants{name: name, index: map[constant]int{}}
}

// constantBytes returns the size of a table entry.
func (l *lanes) constantBytes() int { return min(l.width(), 32) }

// at returns the memory operand of c.
func (l *lanes) at(c constant) mem {
	t := l.consts
	i, ok := t.index[c]
	if !ok {
		i = len(t.index)
		t.index[c] = i
	}
	return mem{symbol: t.name, disp: l.constantBytes() * i}
}

// emitConstants emits the table, unless it is empty, after the functions.
func (l *lanes) emitConstants() {
	if len(l.consts.index) == 0 {
		return
	}
	perConstant := l.constantBytes() / 8
	words := make([]uint64, len(l.consts.index)*perConstant)
	for c, i := range l.consts.index {
		for k := range perConstant {
			words[i*perConstant+k] = uint64(c)
		}
	}
	l.data(l.consts.name, words)
}

// table returns a table of eight float64, indexed by the low bits of lanes.
func (l *lanes) table(name string, values [8]float64) mem {
	if l.tables == nil {
		l.tables = map[string]bool{}
	}
	if !l.tables[name] {
		l.tables[name] = true
		var words [8]uint64
		for i, v := range values {
			words[i] = math.Float64bits(v)
		}
		l.data(l.consts.name+name, words[:])
	}
	return mem{symbol: l.consts.name + name}
}
