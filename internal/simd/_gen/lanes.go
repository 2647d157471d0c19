package main

import "fmt"

// An isa is an instruction set.
type isa int

const (
	avx2 isa = iota // with FMA
	avx512
	neon // of arm64, where it is always there
)

func (i isa) String() string { return [...]string{"AVX2", "AVX512", "NEON"}[i] }

// lanes emits vector instructions on float64 for one instruction set, so that an algorithm is
// written once.
type lanes struct {
	machine
	*pool
	isa    isa
	consts *constants
	tables map[string]bool
	labels int
}

// x86 returns the machine, for algorithms with a special form on x86.
func (l *lanes) x86() *x86 { return l.machine.(*x86) }

// arm returns the machine, for algorithms with a special form on arm64.
func (l *lanes) arm() *arm { return l.machine.(*arm) }

// function begins a function for this instruction set.
func (l *lanes) function(name, signature, doc string) {
	*l.pool = pool{most: l.most}
	l.machine.function(name+l.isa.String(), signature, doc)
}

// width returns the size of a register in bytes.
func (l *lanes) width() int { return [...]int{32, 64, 16}[l.isa] }

// label returns a new label that begins with the given word.
func (l *lanes) label(word string) string {
	l.labels++
	return fmt.Sprintf("%s%d", word, l.labels)
}

// loaded loads a scalar from memory.
func (l *lanes) loaded(m mem) gp {
	r := l.scalar()
	l.load(m, r)
	return r
}

// set sets every lane of dst to c.
func (l *lanes) set(c constant, dst vec) {
	if l.isa == neon { // constants fill a register
		l.move(l.at(c), dst)
		return
	}
	l.broadcast(l.at(c), dst)
}

// p = p·x + c; acc += a·c, acc −= a·c; dst = a + c, a − c, a·c; dst = a AND c, a OR c bitwise; dst
// = a + c as 64-bit integers.
func (l *lanes) horner(p, x vec, c constant)          { l.machine.horner(p, x, l.at(c)) }
func (l *lanes) fmaConst(a vec, c constant, acc vec)  { l.machine.fmaConst(a, l.at(c), acc) }
func (l *lanes) fnmaConst(a vec, c constant, acc vec) { l.machine.fnmaConst(a, l.at(c), acc) }
func (l *lanes) addConst(a vec, c constant, dst vec)  { l.machine.addConst(a, l.at(c), dst) }
func (l *lanes) subConst(a vec, c constant, dst vec)  { l.machine.subConst(a, l.at(c), dst) }
func (l *lanes) mulConst(a vec, c constant, dst vec)  { l.machine.mulConst(a, l.at(c), dst) }
func (l *lanes) andConst(a vec, c constant, dst vec)  { l.machine.andConst(a, l.at(c), dst) }
func (l *lanes) orConst(a vec, c constant, dst vec)   { l.machine.orConst(a, l.at(c), dst) }
func (l *lanes) addBits(a vec, c constant, dst vec)   { l.machine.addBits(a, l.at(c), dst) }

// allConst applies an operation with the same constant to several registers. NEON has only register
// operands, so the constant is loaded once.
func (l *lanes) allConst(operation func(a vec, b arg, dst vec), withConst func(a vec, c constant, dst vec), a []vec, c constant, dst []vec) {
	if l.isa != neon {
		for i := range a {
			withConst(a[i], c, dst[i])
		}
		return
	}
	l.scope(func() {
		v := l.vec()
		l.set(c, v)
		for i := range a {
			operation(a[i], v, dst[i])
		}
	})
}

func (l *lanes) fmaAll(a []vec, c constant, acc []vec)  { l.allConst(l.fma, l.fmaConst, a, c, acc) }
func (l *lanes) fnmaAll(a []vec, c constant, acc []vec) { l.allConst(l.fnma, l.fnmaConst, a, c, acc) }
func (l *lanes) addAll(a []vec, c constant, dst []vec)  { l.allConst(l.add, l.addConst, a, c, dst) }
func (l *lanes) subAll(a []vec, c constant, dst []vec)  { l.allConst(l.sub, l.subConst, a, c, dst) }

// withoutSign has all bits set but the sign.
const withoutSign = constant(1<<63 - 1)
