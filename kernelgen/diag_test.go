package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// diagOf returns the diagonal by Diag, and by tiles of one entry.
func diagOf(k Kernel, x blas64.General) (got, want []float64) {
	got, want = make([]float64, x.Rows), make([]float64, x.Rows)
	k.Diag(got, x)
	for i := range want {
		r := matrix.Rows(x, i, 1)
		want[i] = tile(k, r, r).Data[0]
	}
	return got, want
}

// sameOrNaN reports whether two numbers have the same bits or are both NaN.
func sameOrNaN(a, b float64) bool { return same(a, b) || a != a && b != b }

// checkDiag compares Diag with tiles of one entry.
func checkDiag(t *testing.T, k Kernel, x blas64.General) {
	t.Helper()
	got, want := diagOf(k, x)
	for i := range got {
		if !sameOrNaN(got[i], want[i]) {
			t.Errorf("%v: diagonal %d of %d×%d is %v, in a tile %v", k, i, x.Rows, x.Cols, got[i], want[i])
		}
	}
}

func TestDiagHasTheBitsOfFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, ref := range references {
		k := mustParse(t, ref.text)
		for _, n := range []int{0, 1, 3, 4, 6, 33, 70} {
			for _, d := range []int{0, 1, 3, 20} {
				pad := rng.IntN(3)
				x := normal(rng, n, d, pad)
				for i := range x.Data {
					if at := i % max(1, x.Stride); at >= d {
						x.Data[i] = math.NaN() // between the rows
					}
				}
				checkDiag(t, k, x)
			}
		}
		checkDiag(t, k, nasty())
	}
}

func TestDiagOfRowsThatAreNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, ref := range references {
		k := mustParse(t, ref.text)
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, pad := range []int{0, 2} {
				x := normal(rng, 11, 9, pad)
				for _, i := range []int{2, 10} {
					row(x, i)[rng.IntN(9)] = bad
				}
				checkDiag(t, k, x)
			}
		}
	}
}

// More rows than fit in one piece.
func TestDiagOfManyRows(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(10, 1)), blockSize+37, 3, 0)
	row(x, blockSize+5)[1] = math.NaN()
	for _, k := range []Kernel{RBF(1), Linear(), Cosine(), Sum(RBF(1), Linear())} {
		checkDiag(t, k, x)
	}
}
