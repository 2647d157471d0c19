package main

import (
	"fmt"
	"strings"
)

// Vector instructions that Go's assembler has no names for (of floating-point
// ones, it has the multiply-adds alone). They are written as words, with the
// instruction in a comment; a test compares the comments of all that is
// generated with what an independent disassembler reads in the words.

// A word is an encoding on float32 with zeros for its registers, and what its
// comment says of them: x, y and the result d, in the order of Go.
type word struct {
	bits    uint32
	comment string
}

// Encodings of 128 bits: "Arm Architecture Reference Manual", Advanced SIMD,
// groups "three same", "two-register miscellaneous" and "vector by indexed
// element".
var (
	fadd          = word{0x4e20d400, "FADD y, x, d"}
	fsub          = word{0x4ea0d400, "FSUB y, x, d"}
	fmul          = word{0x6e20dc00, "FMUL y, x, d"}
	fdiv          = word{0x6e20fc00, "FDIV y, x, d"}
	fmax          = word{0x4e20f400, "FMAX y, x, d"}
	fmin          = word{0x4ea0f400, "FMIN y, x, d"}
	fabd          = word{0x6ea0d400, "FABD y, x, d"}
	fcmeq         = word{0x4e20e400, "FCMEQ y, x, d"}
	fcmgt         = word{0x6ea0e400, "FCMGT y, x, d"}
	fmlaByElement = word{0x4f801000, "FMLA y[0], x, d"}
	fsqrt         = word{0x6ea1f800, "FSQRT x, d"}
	fneg          = word{0x6ea0f800, "FNEG x, d"}
)

// Those of one type, whose bits already say float64.
var (
	cmlt0 = word{0x4ea0a800, "CMLT $0, x, d"} // as whole numbers
	fcvtn = word{0x0e216800, "FCVTN x, d.S2"}
	fcvtl = word{0x0e217800, "FCVTL x.S2, d"}
)

// encode is the instruction on that type. Encodings of one register have none in
// the place of the second.
func (w word) encode(single bool, x, y, dst vec) uint32 {
	bits := w.bits | uint32(y)<<16 | uint32(x)<<5 | uint32(dst)
	if !single {
		bits |= 1 << 22
	}
	return bits
}

// describe is the instruction in words.
func (w word) describe(single bool, x, y, dst vec) string {
	lanes, element := "D2", "D"
	if single {
		lanes, element = "S4", "S"
	}
	name, operands, _ := strings.Cut(w.comment, " ")
	for _, r := range []struct {
		letter string
		vec    vec
	}{{"x", x}, {"y", y}, {"d", dst}} {
		register := fmt.Sprintf("V%d", r.vec)
		operands = strings.NewReplacer(r.letter+"[0]", register+"."+element+"[0]", r.letter+".S2", register+".s2",
			r.letter, register+"."+lanes).Replace(operands)
	}
	return name + " " + strings.ReplaceAll(operands, "s2", "S2")
}

// word emits it.
func (a *arm) word(w word, x, y, dst vec) {
	a.emit("WORD $0x%08x // %s", w.encode(a.single, x, y, dst), w.describe(a.single, x, y, dst))
}
