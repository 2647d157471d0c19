package nyblas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// implementations are the implementations that every benchmark compares.
var implementations = []struct {
	name string
	p    blas.Float64
}{{"gonum", gonum.Implementation{}}, {"nyblas1", Implementation{Threads: 1}}, {"nyblas", Implementation{}}}

// BenchmarkLevel3 reports billions of operations a second.
func BenchmarkLevel3(b *testing.B) {
	benchmarks := []struct {
		name    string
		x       arguments
		routine string
		work    float64 // multiply-adds
	}{
		{"Dgemm1024", arguments{m: 1024, n: 1024, k: 1024, alpha: 1}, "Dgemm", 1 << 30},
		{"Dgemm4096x784x4096", arguments{m: 4096, k: 784, n: 4096, alpha: 1}, "Dgemm", 4096 * 784 * 4096},
		{"Dgemm8", arguments{m: 8, n: 8, k: 8, alpha: 1}, "Dgemm", 8 * 8 * 8},
		{"Dgemm16", arguments{m: 16, n: 16, k: 16, alpha: -1, beta: 1}, "Dgemm", 16 * 16 * 16},
		{"Dgemm64", arguments{m: 64, n: 64, k: 64, alpha: -1, beta: 1}, "Dgemm", 64 * 64 * 64},
		{"Dsyrk10000x100", arguments{ta: blas.Trans, n: 100, k: 10000, alpha: 1}, "Dsyrk", 100 * 100 * 10000 / 2},
		{"Dsyrk1000x300", arguments{ta: blas.NoTrans, n: 1000, k: 300, alpha: 1}, "Dsyrk", 1000 * 1000 * 300 / 2},
		{"Dsyr2k500", arguments{ta: blas.NoTrans, n: 500, k: 500, alpha: 1}, "Dsyr2k", 500 * 500 * 500},
		{"DtrsmLeft1000", arguments{s: blas.Left, m: 1000, n: 1000, alpha: 1}, "Dtrsm", 1e9 / 2},
		{"DtrsmRight10000x100", arguments{s: blas.Right, m: 10000, n: 100, alpha: 1}, "Dtrsm", 1e8 / 2},
		{"DtrsmLeft16", arguments{s: blas.Left, m: 16, n: 16, alpha: 1}, "Dtrsm", 16 * 16 * 8},
		{"DtrmmLeft500", arguments{s: blas.Left, m: 500, n: 500, alpha: 1}, "Dtrmm", 500 * 500 * 250},
		{"Dsymv300", arguments{n: 300, alpha: 1}, "Dsymv", 300 * 300},
		{"Dsymv2000", arguments{n: 2000, alpha: 1}, "Dsymv", 2000 * 2000},
		{"DtrmmRight64", arguments{s: blas.Right, m: 500, n: 64, alpha: 1}, "Dtrmm", 500 * 64 * 32},
	}
	for _, c := range benchmarks {
		for _, p := range implementations {
			b.Run(c.name+"/"+p.name, func(b *testing.B) { benchmarkRoutine(b, c.routine, c.x, c.work, p.p) })
		}
	}
}

// benchmarkRoutine times one routine, in billions of operations per second.
func benchmarkRoutine(b *testing.B, name string, x arguments, work float64, p blas.Float64) {
	x.ul, x.tb = blas.Upper, blas.NoTrans
	if x.ta == 0 {
		x.ta = blas.NoTrans
	}
	for _, r := range routines {
		if r.name == name {
			prepareToRepeat(&x, r)
			b.ReportAllocs()
			for b.Loop() {
				r.call(p.(level3), x)
			}
		}
	}
	b.ReportMetric(2*work*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF")
}

// prepareToRepeat makes triangles close to the identity, so that B stays in range when the routine runs repeatedly in
// place.
func prepareToRepeat(x *arguments, r routine) {
	x.d = blas.Unit
	r.prepare(x, rand.New(rand.NewPCG(1, 1)))
	x.d = blas.NonUnit
	if r.name == "Dtrsm" || r.name == "Dtrmm" {
		for i := range x.a.Rows {
			x.a.Data[i*x.a.Stride+i] = 1
		}
	}
}

// BenchmarkGonum times gonum's decompositions with each implementation.
func BenchmarkGonum(b *testing.B) {
	decompositions := []struct {
		name string
		f    func(a *mat.Dense, s *mat.SymDense)
	}{
		{"SVD", func(a *mat.Dense, _ *mat.SymDense) { new(mat.SVD).Factorize(a, mat.SVDThin) }},
		{"EigenSym", func(_ *mat.Dense, s *mat.SymDense) { new(mat.EigenSym).Factorize(s, true) }},
		{"QR", func(a *mat.Dense, _ *mat.SymDense) { new(mat.QR).Factorize(a) }},
		{"Cholesky", func(_ *mat.Dense, s *mat.SymDense) { new(mat.Cholesky).Factorize(s) }},
		{"LU", func(a *mat.Dense, _ *mat.SymDense) { new(mat.LU).Factorize(a) }},
	}
	for _, d := range decompositions {
		for _, n := range []int{50, 300, 1000} {
			a, s := randomSystem(n)
			for _, p := range implementations {
				b.Run(fmt.Sprintf("%s/%d/%s", d.name, n, p.name), func(b *testing.B) {
					blas64.Use(p.p)
					defer blas64.Use(gonum.Implementation{})
					for b.Loop() {
						d.f(a, s)
					}
				})
			}
		}
	}
}

// randomSystem returns a general and a positive definite n×n matrix.
func randomSystem(n int) (*mat.Dense, *mat.SymDense) {
	m := random(rand.New(rand.NewPCG(1, 1)), n, n, 0, 0)
	a := mat.NewDense(n, n, m.Data)
	var s mat.SymDense
	s.SymOuterK(1, a)
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+float64(n))
	}
	return a, &s
}
