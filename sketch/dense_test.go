package sketch_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Reference computations on plain dense matrices.

// dense copies a matrix to gonum's type.
func dense(m blas64.General) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		d.SetRow(i, matrix.Row(m, i))
	}
	return d
}

// general copies rows from..to-1 of d into a matrix with a wide stride, whose
// padding holds NaN.
func general(d *mat.Dense, from, to int) blas64.General {
	_, cols := d.Dims()
	g := blas64.General{Rows: to - from, Cols: cols, Stride: cols + 3, Data: make([]float64, (to-from)*(cols+3))}
	for i := range g.Data {
		g.Data[i] = math.NaN()
	}
	for i := from; i < to; i++ {
		copy(g.Data[(i-from)*g.Stride:], d.RawRowView(i))
	}
	return g
}

// whole returns all rows of d, see general.
func whole(d *mat.Dense) blas64.General {
	rows, _ := d.Dims()
	return general(d, 0, rows)
}

// random returns a matrix of standard normal numbers that is a function of its
// arguments.
func random(rows, cols int, seed uint64) *mat.Dense {
	d := mat.NewDense(rows, cols, nil)
	draws := sketch.NewRandom(seed, "test matrix").At(0)
	for i := range rows {
		for j := range cols {
			d.Set(i, j, draws.Normal())
		}
	}
	return d
}

// randomBlock is random in the form of a block.
func randomBlock(rows, cols int, seed uint64) blas64.General { return whole(random(rows, cols, seed)) }

// orthonormal returns a matrix with orthonormal columns.
func orthonormal(rows, cols int, seed uint64) *mat.Dense {
	var qr mat.QR
	qr.Factorize(random(rows, cols, seed))
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, rows, 0, cols))
}

// mul returns the product of matrices.
func mul(factors ...mat.Matrix) *mat.Dense {
	product := mat.DenseCopyOf(factors[0])
	for _, f := range factors[1:] {
		var next mat.Dense
		next.Mul(product, f)
		product = &next
	}
	return product
}

// identity returns the n×n identity.
func identity(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// checkClose fails unless got and want differ by at most tol times the largest
// magnitude in want.
func checkClose(t testing.TB, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	r, c := got.Dims()
	if wr, wc := want.Dims(); r != wr || c != wc {
		t.Fatalf("%s is %d×%d, want %d×%d", what, r, c, wr, wc)
	}
	scale, worst := 0.0, 0.0
	for i := range r {
		for j := range c {
			scale = math.Max(scale, math.Abs(want.At(i, j)))
			worst = math.Max(worst, math.Abs(got.At(i, j)-want.At(i, j)))
		}
	}
	if !(worst <= tol*scale) {
		t.Errorf("%s: largest difference %.3g, largest entry %.3g, allowed ratio %.3g", what, worst, scale, tol)
	}
}

// checkPanics fails unless f panics with a message of this package.
func checkPanics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		message, _ := recover().(string)
		if len(message) < 8 || message[:8] != "sketch: " {
			t.Errorf("%s: panic %q, want one of this package", what, message)
		}
	}()
	f()
}
