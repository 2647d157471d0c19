// Command _gen writes the assembly of internal/simd. Run it by
//
//	go generate ./internal/simd
//
// It is a module of its own, so that the assembler it uses (avo) never enters
// the dependencies of those who import Nystream.
package main

import (
	"flag"
	"log"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

const nosplit = attr.NOSPLIT

// A file is one file of assembly: functions for one instruction set.
type file struct {
	name   string
	isa    isa
	single bool
	emit   func(l *lanes)
}

var files = []file{
	{"micro_f64_avx512", avx512, false, emitMicros},
	{"micro_f64_avx2", avx2, false, emitMicros},
	{"micro_f32_avx512", avx512, true, emitMicros},
	{"micro_f32_avx2", avx2, true, emitMicros},
	{"peak_f64_avx512", avx512, false, emitPeaks},
	{"peak_f64_avx2", avx2, false, emitPeaks},
	{"peak_f32_avx512", avx512, true, emitPeaks},
	{"peak_f32_avx2", avx2, true, emitPeaks},
	{"vector_f64_avx512", avx512, false, emitVectors},
	{"vector_f64_avx2", avx2, false, emitVectors},
}

// emitMicros emits the micro-kernels, the fold and the conversions of one instruction set and type. Their
// sizes use all registers; with one row they finish what is left over.
func emitMicros(l *lanes) {
	rows, groups := 8, 3
	if l.isa == avx2 {
		rows, groups = 4, 1
	}
	for g := groups; g > 0; g-- {
		emitMicro(l, rows, g)
		emitMicro(l, 1, g)
	}
	emitFold(l, 4)
	emitFold(l, 1)
	if !l.single {
		emitConvert(l)
	}
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
	ctx := build.NewContext()
	ctx.ConstraintExpr("!noasm")
	l := &lanes{Context: ctx, isa: f.isa, single: f.single}
	l.consts = newConstants("constants" + l.suffix() + f.isa.String() + strings.Split(f.name, "_")[0])
	f.emit(l)
	l.emitConstants()
	out, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(out); err != nil {
		return err
	}
	cfg := printer.Config{Name: "_gen", Argv: []string{"_gen"}, Pkg: "simd"}
	base := filepath.Join(dir, f.name+"_amd64")
	return firstError(
		printTo(base+".s", printer.NewGoAsm(cfg), out),
		printTo(base+".go", printer.NewStubs(cfg), out))
}
