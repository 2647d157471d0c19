package main

import (
	"fmt"
	"strings"
)

// Vector instructions without a name in Go's assembler (of floating-point ones it has only the
// multiply-adds). They are emitted as words, with the instruction in a comment; a test compares all
// generated comments with the output of an independent disassembler.

// A word is an encoding for float64 with zeros for its registers. Its comment names them: x, y and
// the result d, in Go's operand order.
type word struct {
	bits    uint32
	comment string
}

// Encodings of 128 bits: "Arm Architecture Reference Manual", Advanced SIMD,
// groups "three same", "two-register miscellaneous" and "vector by indexed
// element".
var (
	fadd          = word{0x4e60d400, "FADD y, x, d"}
	fsub          = word{0x4ee0d400, "FSUB y, x, d"}
	fmul          = word{0x6e60dc00, "FMUL y, x, d"}
	fdiv          = word{0x6e60fc00, "FDIV y, x, d"}
	fmax          = word{0x4e60f400, "FMAX y, x, d"}
	fmin          = word{0x4ee0f400, "FMIN y, x, d"}
	fabd          = word{0x6ee0d400, "FABD y, x, d"}
	fcmeq         = word{0x4e60e400, "FCMEQ y, x, d"}
	fcmgt         = word{0x6ee0e400, "FCMGT y, x, d"}
	fmlaByElement = word{0x4fc01000, "FMLA y[0], x, d"}
	fsqrt         = word{0x6ee1f800, "FSQRT x, d"}
	fneg          = word{0x6ee0f800, "FNEG x, d"}
)

// encode returns the instruction. Instructions with one operand have zero as the second.
func (w word) encode(x, y, dst vec) uint32 {
	return w.bits | uint32(y)<<16 | uint32(x)<<5 | uint32(dst)
}

// describe returns the instruction as text.
func (w word) describe(x, y, dst vec) string {
	name, operands, _ := strings.Cut(w.comment, " ")
	for _, r := range []struct {
		letter string
		vec    vec
	}{{"x", x}, {"y", y}, {"d", dst}} {
		register := fmt.Sprintf("V%d.D", r.vec)
		operands = strings.NewReplacer(r.letter+"[0]", register+"[0]", r.letter, register+"2").Replace(operands)
	}
	return name + " " + operands
}

// word emits an encoded instruction.
func (a *arm) word(w word, x, y, dst vec) {
	a.emit("WORD $0x%08x // %s", w.encode(x, y, dst), w.describe(x, y, dst))
}
