package lowrank

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// denseSign returns a sparse-sign operator, and its matrix.
func denseSign(t *testing.T, n int64, cols, nnz int, seed uint64, purpose string) (*sketch.SparseSign, blas64.General) {
	s, err := sketch.NewSparseSign(n, cols, nnz, seed, purpose)
	if err != nil {
		t.Fatal(err)
	}
	c := matrix.New(int(n), cols)
	for k, r := range s.Positions() {
		matrix.Row(c, int(r))[s.Col(k)] = s.Value(k)
	}
	return s, c
}

// TestCoreRows: folds are products with B, whose found rows have a column of their own.
func TestCoreRows(t *testing.T) {
	const n, cols, nnz = 700, 40, 3
	x, k := clusters(n, 3, 5), kernelgen.RBF(1)
	signs, b := denseSign(t, n, cols, nnz, 1, "S")
	dense.Scale(math.Sqrt(float64(n)/cols), b)
	panel := func(numbers []int64) *basis.Panel {
		var rows []int
		for _, r := range numbers {
			rows = append(rows, int(r))
		}
		return basis.NewPanel(dense.PickRows(x, rows), numbers, nil)
	}
	found := []int64{2, signs.Positions()[0], signs.Positions()[57], n - 1}
	all := matrix.New(n, cols+len(found)) // B
	for i := range n {
		copy(matrix.Row(all, i), matrix.Row(b, i))
	}
	for j, r := range found {
		clear(matrix.Row(all, int(r)))
		matrix.Row(all, int(r))[cols+j] = 1
	}
	core := newCoreRows(signs, panel(signs.Positions()), panel(found))
	a := kernelMatrix(k, x, x)
	want := dense.Mul(blas.Trans, all, blas.NoTrans, dense.Mul(blas.NoTrans, a, blas.NoTrans, all))
	got, err := foldedCore(t.Context(), stream.Engine{}, tiles.Plain(k), core, core)
	if err != nil {
		t.Fatal(err)
	}
	if e := dense.MaxAbs(difference(got, want)); e > 1e-12*dense.MaxAbs(want) {
		t.Errorf("BᵀAB is off by %g", e)
	}
	gram := dense.Mul(blas.Trans, all, blas.NoTrans, all)
	for i, v := range core.squares() {
		if math.Abs(v-matrix.Row(gram, i)[i]) > 1e-12*v {
			t.Errorf("column %d of B has the square %g, not %g", i, v, matrix.Row(gram, i)[i])
		}
	}
}

// TestAlgorithm4: without rows of high leverage the model equals a dense computation of the published algorithm with
// the same sketches.
func TestAlgorithm4(t *testing.T) {
	const m, n, c, s, z = 350, 300, 12, 40, 2
	x, y, k := clusters(m, 3, 1), clusters(n, 3, 2), kernelgen.RBF(1)
	a := kernelMatrix(k, x, y)
	_, ofC := denseSign(t, n, c, z, 1, "C")
	_, ofS := denseSign(t, n, s, z, 1, "S")
	_, ofH := denseSign(t, m, c, z, 1, "H")
	_, ofO := denseSign(t, m, s, z, 1, "O")
	q := orthonormal(t, dense.Mul(blas.NoTrans, a, blas.NoTrans, ofC))
	p := orthonormal(t, dense.Mul(blas.Trans, a, blas.NoTrans, ofH))
	oq, sp := dense.Mul(blas.Trans, ofO, blas.NoTrans, q), dense.Mul(blas.Trans, ofS, blas.NoTrans, p)
	w := dense.Mul(blas.NoTrans, pseudoInverse(t, oq), blas.NoTrans, dense.Mul(blas.NoTrans, dense.Mul(blas.Trans, ofO, blas.NoTrans, dense.Mul(blas.NoTrans, a, blas.NoTrans, ofS)), blas.Trans, pseudoInverse(t, sp)))
	want := dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Mul(blas.NoTrans, w, blas.Trans, p))
	d := model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", y)}
	f, err := SSRSVD{Rank: c, Sketch: s, NNZ: z, LeverageRows: -1, Seed: 1}.Fit(t.Context(), stream.Engine{}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	got := approximation(f.Model, factors(t, f.Model, f.Left, x), factors(t, f.Model, f.Right, y))
	if e := dense.MaxAbs(difference(got, want)); e > 1e-9 {
		t.Errorf("Â is off by %g", e)
	}
}

// orthonormal returns an orthonormal basis of the columns of a.
func orthonormal(t *testing.T, a blas64.General) blas64.General {
	s, err := dense.NewSVD(a)
	if err != nil {
		t.Fatal(err)
	}
	return s.U
}

func pseudoInverse(t *testing.T, a blas64.General) blas64.General {
	s, err := dense.NewSVD(a)
	if err != nil {
		t.Fatal(err)
	}
	return dense.Mul(blas.NoTrans, scaledColumns(s.V, dense.Reciprocals(s.S)), blas.Trans, s.U)
}

// TestHeavyRows: if few rows dominate a direction, the core is close to the optimum for the range of the sketches. A
// core that omits directions nearly invisible to its sketch would be 20 to 700 times worse here.
func TestHeavyRows(t *testing.T) {
	const n, c, z = 1000, 40, 4
	r := rand.New(rand.NewPCG(1, 4))
	colours := func() blas64.General { // most rows are similar, as in a picture of the sea
		x := matrix.New(n, 3)
		for i := range n {
			for j := range 3 {
				x.Data[3*i+j] = 0.5 + 0.02*r.NormFloat64()
				if i%25 == 0 {
					x.Data[3*i+j] = r.Float64()
				}
			}
		}
		return x
	}
	x, y := colours(), colours()
	for _, text := range []string{"rbf(gamma=10)", "laplace(gamma=3)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			_, ofC := denseSign(t, n, c, z, seed, "C")
			_, ofH := denseSign(t, n, c, z, seed, "H")
			for name, method := range map[string]Method{
				"ssrsvd": SSRSVD{Rank: c, NNZ: z, Sketch: 3 * c, Seed: seed},
				"s3spsd": S3SPSD{Rank: c, NNZ: z, Sketch: 3 * c, Seed: seed, Shift: ShiftNone},
			} {
				d, right := model.Sources{Left: stream.FromMatrix("x", x)}, x
				if name == "ssrsvd" {
					d.Right, right = stream.FromMatrix("y", y), y
				}
				a := kernelMatrix(k, x, right)
				q := orthonormal(t, dense.Mul(blas.NoTrans, a, blas.NoTrans, ofC))
				p := q
				if name == "ssrsvd" {
					p = orthonormal(t, dense.Mul(blas.Trans, a, blas.NoTrans, ofH))
				}
				core := dense.Mul(blas.Trans, q, blas.NoTrans, dense.Mul(blas.NoTrans, a, blas.NoTrans, p))
				best := dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Mul(blas.NoTrans, core, blas.Trans, p))
				f, err := method.Fit(t.Context(), stream.Engine{}, d, k)
				if err != nil {
					t.Fatal(err)
				}
				got := quickNorm(t, difference(a, approximation(f.Model, factors(t, f.Model, f.Left, x), factors(t, f.Model, f.right(), right))))
				least := quickNorm(t, difference(a, best))
				t.Logf("%s, %s, seed %d: error %.3g, of the best core %.3g", text, name, seed, got, least)
				if !(got <= 1.5*least) {
					t.Errorf("%s, %s, seed %d: error %g, and the best core has %g", text, name, seed, got, least)
				}
			}
		}
	}
}
