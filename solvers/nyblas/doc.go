// Package nyblas is an implementation of gonum's BLAS in which the products of
// matrices run at the speed of the machine:
//
//	blas64.Use(nyblas.Implementation{})
//
// speeds up any program that works with gonum's mat or lapack packages. Nothing
// in this module calls Use on behalf of its importers.
//
// Dgemm, Dsyrk, Dsyr2k, Dtrmm and Dtrsm are built on one product kernel. Dgemv and Dsymv
// are sweeps over a few rows that read a matrix once, on one thread. All other routines
// are gonum's, and so are very small operations, and all operations on machines other than
// arm64, and amd64 with AVX2 and FMA. Triangles are halved until only
// squares of a few rows are left (Elmroth, Gustavson, Jonsson and Kågström,
// "Recursive blocked algorithms and hybrid data structures for dense matrix
// library software", 2004).
//
// Results do not depend on the number of threads. They differ from gonum's in
// the last bits: sums run in another order, and their products are not rounded.
// Arguments are checked as in gonum, with the same panics. NaN and infinities
// spread as in the sums, and neither the other triangle nor C when beta is zero
// has any influence. There are two differences to gonum: it leaves out terms in
// which some of the factors are zero, where here 0·∞ is NaN; and its Dgemm reads A
// and B when alpha is zero.
package nyblas

import (
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation implements gonum's interfaces blas.Float64, blas.Float32,
// blas.Complex128 and blas.Complex64. The zero value is ready for use, and
// several goroutines may share it.
type Implementation struct {
	gonum.Implementation

	// Threads is how many goroutines a large operation may use. 0 stands for
	// runtime.GOMAXPROCS.
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
