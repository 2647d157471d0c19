package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// A constant is the bits of a lane: a float64, or a float32 in the low half.
type constant uint64

// value is the constant with that value in the element type. (avo emits a
// float32 constant that is a whole number as the bits of that integer, so
// constants are always given as bits.)
func (l *lanes) value(v float64) constant {
	if l.single {
		return constant(math.Float32bits(float32(v)))
	}
	return constant(math.Float64bits(v))
}

// constants is the table of constants of one file. Each takes 32 bytes, so that
// AVX2 can use it as an operand; AVX-512 broadcasts its first lane.
type constants struct {
	name  string
	mem   operand.Mem
	index map[constant]int
}

const constantBytes = 32

func newConstants(name string) *constants {
	return &constants{name: name, mem: operand.NewDataAddr(operand.NewStaticSymbol(name), 0), index: map[constant]int{}}
}

// at is where c is kept.
func (l *lanes) at(c constant) operand.Mem {
	t := l.consts
	i, ok := t.index[c]
	if !ok {
		i = len(t.index)
		t.index[c] = i
	}
	return t.mem.Offset(constantBytes * i)
}

// emitConstants writes the table; it comes after the functions.
func (l *lanes) emitConstants() {
	l.StaticGlobal(l.consts.name)
	l.DataAttributes(attr.RODATA | attr.NOPTR)
	bits := make([]constant, len(l.consts.index))
	for c, i := range l.consts.index {
		bits[i] = c
	}
	for i, c := range bits {
		lane := uint64(c)
		if l.single {
			lane |= lane << 32
		}
		for k := range constantBytes / 8 {
			l.AddDatum(constantBytes*i+8*k, operand.U64(lane))
		}
	}
}

// table is eight float64 to choose from by the low bits of lanes.
func (l *lanes) table(name string, values [8]float64) operand.Mem {
	mem := operand.NewDataAddr(operand.NewStaticSymbol(l.consts.name+name), 0)
	if l.tables == nil {
		l.tables = map[string]bool{}
	}
	if !l.tables[name] {
		l.tables[name] = true
		l.StaticGlobal(l.consts.name + name)
		l.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, v := range values {
			l.AddDatum(8*i, operand.U64(math.Float64bits(v)))
		}
	}
	return mem
}
