// Command _gen writes the assembly of internal/simd. Run it by
//
//	go generate ./internal/simd
//
// It is a module of its own, so that the assembler it uses (avo) never enters
// the dependencies of those who import Nystream.
//
// Algorithms are described once, by type lanes, which hands the instructions to
// a machine: x86 gives them to avo; arm writes Go's assembly for arm64, of which
// avo knows nothing. An emitter of our own is small, since avo serves us mainly
// by its types and its allocation of scalar registers, of which arm64 has so
// many that they are taken in order. What differs between the instruction sets
// beyond the names of instructions (masks, multiply-adds that overwrite the
// addend, powers of two) is decided in the algorithm by l.isa. Vector
// instructions for which Go's assembler has no name are words with a comment,
// and a test reads them back by a disassembler (arm_words.go).
package main

import (
	"flag"
	"log"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A file is one file of assembly: functions for one instruction set.
type file struct {
	name string
	isa  isa
	emit func(l *lanes)
}

var files = []file{
	{"micro_f64_avx512", avx512, emitMicros},
	{"micro_f64_avx2", avx2, emitMicros},
	{"micro_f64_neon", neon, emitMicros},
	{"vector_f64_avx512", avx512, emitVectors},
	{"vector_f64_avx2", avx2, emitVectors},
	{"vector_f64_neon", neon, emitVectors},
	{"rows_f64_avx512", avx512, emitRows},
	{"rows_f64_avx2", avx2, emitRows},
	{"rows_f64_neon", neon, emitRows},
}

// emitMicros emits the micro-kernels and the fold of one instruction set. Their sizes use all registers; with one row they finish what is left over.
func emitMicros(l *lanes) {
	rows, groups := 4, 1
	if l.isa == avx512 {
		rows, groups = 8, 3
	}
	for g := groups; g > 0; g-- {
		emitMicro(l, rows, g)
		emitMicro(l, 1, g)
	}
	emitFold(l, 4)
	emitFold(l, 1)
}

func main() {
	dir := flag.String("dir", "..", "write to this `folder`")
	flag.Parse()
	for _, f := range files {
		if err := f.write(*dir); err != nil {
			log.Fatalf("%s: %v", f.name, err)
		}
	}
}

// write generates the assembly and the declarations of its functions.
func (f file) write(dir string) error {
	l, print := f.lanes()
	l.consts = newConstants("constantsF64" + f.isa.String() + strings.Split(f.name, "_")[0])
	f.emit(l)
	l.emitConstants()
	return print(filepath.Join(dir, f.name))
}

// lanes returns an emitter of the file's instructions, and what prints them.
func (f file) lanes() (l *lanes, print func(path string) error) {
	p := &pool{}
	l = &lanes{pool: p, isa: f.isa}
	if f.isa == neon {
		a := newArm(p)
		l.machine = a
		return l, a.print
	}
	x := newX86(f.isa, p)
	l.machine = x
	return l, x.print
}

// print compiles and writes both files.
func (x *x86) print(path string) error {
	out, err := x.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(out); err != nil {
		return err
	}
	cfg := printer.Config{Name: "_gen", Argv: []string{"_gen"}, Pkg: "simd"}
	return firstError(
		printTo(path+"_amd64.s", printer.NewGoAsm(cfg), out),
		printTo(path+"_amd64.go", printer.NewStubs(cfg), out))
}
