// Command roofline measures how near the tiles come to what the machine can do:
//
//	go run ./bench/roofline              every table, below 5 minutes
//	go run ./bench/roofline -quick       fewer columns and shorter samples
//	go run ./bench/roofline -tables tiles -kernels rbf -dims 20,784 -paths avx512
//	go run ./bench/roofline -tables dense   small dense algebra, NumPy's beside
//	go run ./bench/roofline -tables kv   exact K·v
//
// The bound of a kernel entry of d columns is
//
//	2·d / (multiply-add peak) + 1 / (peak of the profile),
//
// in which both peaks are rates of loops that touch nothing but registers (see
// internal/simd/peak.go). L1 distances have a peak of their own. Peaks and work
// are measured in turns, so that a change of the clock meets both; every figure
// is a median over the repetitions, and so is every ratio. With several threads
// times are those of the whole machine: half as long on two threads is ideal.
package main

import (
	"context"
	"os"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/nystream/nystream/bench/internal/program"
)

func main() {
	program.Main("roofline", parseOptions, func(_ context.Context, o options) error {
		blas64.Use(gonum.Implementation{}) // the rival in the tables
		return run(os.Stdout, o)
	})
}
