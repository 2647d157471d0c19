// Command _gen writes the assembly of internal/simd. Run it by
//
//	go generate ./internal/simd
//
// It is a module of its own, so that its assembler (avo) is not a dependency of programs that
// import Nystream.
//
// Type lanes describes each algorithm once and passes the instructions to a machine: x86 uses avo;
// arm writes Go's assembly for arm64, which avo does not support. Our own emitter is small: avo
// mainly provides types and the allocation of scalar registers, and arm64 has enough of these to
// take them in order. Differences between the instruction sets beyond names (masks, multiply-adds
// that overwrite the addend, powers of two) are decided in the algorithm by l.isa. Vector
// instructions without a name in Go's assembler are emitted as words with a comment, which a test
// verifies with a disassembler (arm_words.go).
package main

import (
	"flag"
	"log"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A file describes one file of assembly: functions for one instruction set.
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

// emitMicros emits the micro-kernels and the fold of one instruction set. The tile sizes use all
// registers; kernels of one row process the remaining rows.
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

// lanes returns an emitter of the instruction set of the file, and the function that prints its
// output.
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
