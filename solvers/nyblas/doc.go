// Package nyblas implements gonum's BLAS with fast matrix products. The call
//
//	blas64.Use(nyblas.Implementation{})
//
// speeds up any program that uses gonum's mat or lapack packages. No package of this module calls Use itself.
//
// Dgemm, Dsyrk, Dsyr2k, Dtrmm and Dtrsm are built on one product kernel. Dgemv and Dsymv read the matrix once, a few
// rows at a time, on one thread. All other routines, and very small operations, are gonum's. So is everything on
// machines other than arm64, and amd64 with AVX2 and FMA. Triangles are halved recursively down to squares of a few
// rows (Elmroth, Gustavson, Jonsson and Kågström, "Recursive blocked algorithms and hybrid data structures for dense
// matrix library software", 2004).
//
// Results do not depend on the number of threads. They differ from gonum's in the last bits: sums run in another order
// and use fused multiply-adds. Arguments are checked as in gonum, with the same panics. NaN and infinities propagate as
// in the sums; the other triangle is not read, and neither is C if beta is zero. There are two differences. gonum skips
// some terms with a zero factor, where here 0·∞ is NaN. Its Dgemm reads A and B even if alpha is zero.
package nyblas

import (
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation implements gonum's interfaces blas.Float64, blas.Float32, blas.Complex128 and blas.Complex64. The zero
// value is ready to use. It is safe for concurrent use.
type Implementation struct {
	gonum.Implementation

	// Threads is the number of goroutines that a large operation may use. 0 means runtime.GOMAXPROCS.
	Threads int
}

var (
	_ blas.Float64    = Implementation{}
	_ blas.Float32    = Implementation{}
	_ blas.Complex128 = Implementation{}
	_ blas.Complex64  = Implementation{}
)

func (p Implementation) threads() int {
	if p.Threads > 0 {
		return p.Threads
	}
	return runtime.GOMAXPROCS(0)
}
