package nyblas

import "gonum.org/v1/gonum/blas"

// Messages of panics, as in gonum's BLAS.
const (
	mLT0 = "blas: m < 0"
	nLT0 = "blas: n < 0"
	kLT0 = "blas: k < 0"

	badUplo      = "blas: illegal triangle"
	badTranspose = "blas: illegal transpose"
	badDiag      = "blas: illegal diagonal"
	badSide      = "blas: illegal side"

	badLdA = "blas: bad leading dimension of A"
	badLdB = "blas: bad leading dimension of B"
	badLdC = "blas: bad leading dimension of C"

	shortA = "blas: insufficient length of a"
	shortB = "blas: insufficient length of b"
	shortC = "blas: insufficient length of c"
)

func check(ok bool, message string) {
	if !ok {
		panic(message)
	}
}

func checkSide(s blas.Side) { check(s == blas.Left || s == blas.Right, badSide) }

func checkUplo(ul blas.Uplo) { check(ul == blas.Lower || ul == blas.Upper, badUplo) }

func checkDiag(d blas.Diag) { check(d == blas.Unit || d == blas.NonUnit, badDiag) }

func checkTranspose(t blas.Transpose) {
	check(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, badTranspose)
}

// checkStride checks the stride of rows with cols columns.
func checkStride(ld, cols int, message string) { check(ld >= max(1, cols), message) }

// checkLength checks that a matrix fits its slice.
func checkLength(length, rows, cols, ld int, message string) {
	check(length >= ld*(rows-1)+cols, message)
}

// stored returns the shape in memory of a matrix that is rows × cols under t.
func stored(t blas.Transpose, rows, cols int) (int, int) {
	if t == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}
