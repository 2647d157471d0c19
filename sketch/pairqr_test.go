package sketch_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

// pair is a matrix Y and its companion C, whose unmarked rows are zero.
type pair struct {
	y, c   *mat.Dense
	marked []int
}

// newPair returns a random block Y, and C with nonzero rows at the marked ones.
func newPair(rows, cols int, marked []int, seed uint64) pair {
	p := pair{y: random(rows, cols, seed), c: mat.NewDense(rows, cols, nil), marked: marked}
	companion := random(rows, cols, seed+1000)
	for _, i := range marked {
		p.c.SetRow(i, companion.RawRowView(i))
	}
	return p
}

// stacked returns [Y C].
func (p pair) stacked() *mat.Dense {
	var both mat.Dense
	both.Augment(p.y, p.c)
	return &both
}

// addTo adds rows from..to-1 of the pair to q.
func (p pair) addTo(t testing.TB, q *sketch.PairQR, from, to int) {
	t.Helper()
	var marked []int
	c := blas64.General{Cols: q.Cols(), Stride: q.Cols()}
	for _, i := range p.marked {
		if i >= from && i < to {
			marked = append(marked, i-from)
			c.Data = append(c.Data, p.c.RawRowView(i)...)
			c.Rows++
		}
	}
	if err := q.Add(general(p.y, from, to), marked, c); err != nil {
		t.Fatal(err)
	}
}

func TestPairQRConformance(t *testing.T) {
	const cols = 6
	conformance.Run(t, func() *sketch.PairQR { return sketch.NewPairQR(cols) }, func(block int64) *sketch.PairQR {
		q := sketch.NewPairQR(cols)
		marked := [][]int{nil, {0}, {2, 3, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}[block%4]
		newPair(9, cols, marked, uint64(block)).addTo(t, q, 0, 9)
		return q
	}, 11)
}

func TestPairQRAgainstGonum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cols := rapid.IntRange(1, 20).Draw(rt, "cols")
		rows := rapid.IntRange(1, 100).Draw(rt, "rows")
		var marked []int
		every := rapid.SampledFrom([]int{1, 2, 7, 1000}).Draw(rt, "mark every")
		for i := every - 1; i < rows; i += every {
			marked = append(marked, i)
		}
		p := newPair(rows, cols, marked, rapid.Uint64().Draw(rt, "seed"))
		q := sketch.NewPairQR(cols)
		cut := rapid.IntRange(0, rows).Draw(rt, "cut")
		p.addTo(t, q, 0, cut)
		p.addTo(t, q, cut, rows)
		r, both := dense(q.R()), p.stacked()
		checkTriangular(t, r)
		checkClose(t, "RᵀR", mul(r.T(), r), mul(both.T(), both), 200*eps)
		if len(marked) >= 4*cols && rows-len(marked) >= 2*cols {
			checkClose(t, "R", r, referenceR(both), 1e-12)
		}
		if q.Rows() != int64(rows) {
			rt.Fatalf("%d rows, want %d", q.Rows(), rows)
		}
	})
}

func TestPairQRMerge(t *testing.T) {
	const rows, cols = 90, 7
	for _, marked := range [][]int{nil, {3}, {80}, {0, 1, 2, 40, 49, 50, 51, 89}} {
		p := newPair(rows, cols, marked, 5)
		q, later := sketch.NewPairQR(cols), sketch.NewPairQR(cols)
		p.addTo(t, q, 0, 50)
		p.addTo(t, later, 50, rows)
		if err := q.Merge(later); err != nil {
			t.Fatal(err)
		}
		r, both := dense(q.R()), p.stacked()
		checkClose(t, "RᵀR", mul(r.T(), r), mul(both.T(), both), 100*eps)
		if q.Rows() != rows {
			t.Errorf("%d rows, want %d", q.Rows(), rows)
		}
	}
}

// PairQR gives the singular values of Y − αC for every α, even for a Y so ill-conditioned that Gram
// matrices would fail.
func TestPairQRShift(t *testing.T) {
	const rows, cols, nnz = 300, 8, 4
	s := sparseSign(t, rows, cols, nnz, 1)
	sigma := make([]float64, cols)
	for i := range sigma {
		sigma[i] = math.Pow(10, -1.5*float64(i))
	}
	y := mul(orthonormal(rows, cols, 1), mat.NewDiagDense(cols, sigma), orthonormal(cols, cols, 2).T())
	q := sketch.NewPairQR(cols)
	for _, cut := range [][2]int{{0, 130}, {130, rows}} {
		marked, c := s.MarkedRows(int64(cut[0]), int64(cut[1]))
		if err := q.Add(general(y, cut[0], cut[1]), marked, c); err != nil {
			t.Fatal(err)
		}
	}
	r := dense(q.R())
	for _, alpha := range []float64{0, 1e-12, 1e-3, 0.7} {
		choose := mat.NewDense(2*cols, cols, nil)
		for j := range cols {
			choose.Set(j, j, 1)
			choose.Set(cols+j, j, -alpha)
		}
		var shifted mat.Dense
		shifted.Scale(-alpha, sparseSignDense(s))
		shifted.Add(&shifted, y)
		want, got := singularValues(&shifted), singularValues(mul(r, choose))
		for i := range want {
			if math.Abs(got[i]-want[i]) > 20*eps*want[0] {
				t.Errorf("α = %v: σ%d = %.3e, want %.3e", alpha, i+1, got[i], want[i])
			}
		}
	}
}

// singularValues returns the singular values by gonum.
func singularValues(a *mat.Dense) []float64 {
	var svd mat.SVD
	svd.Factorize(a, mat.SVDNone)
	return svd.Values(nil)
}

func TestPairQRNonFinite(t *testing.T) {
	q := sketch.NewPairQR(3)
	before, _ := q.MarshalBinary()
	y, c := randomBlock(9, 3, 1), randomBlock(2, 3, 2)
	var where *sketch.NonFiniteError
	y.Data[4*y.Stride+1] = math.NaN()
	if err := q.Add(y, []int{4, 6}, c); !errors.As(err, &where) || where.Row != 4 || where.Col != 1 {
		t.Errorf("error %v", err)
	}
	if err := q.Add(y, nil, blas64.General{}); !errors.As(err, &where) || where.Row != 4 || where.Col != 1 {
		t.Errorf("error %v", err)
	}
	y = randomBlock(9, 3, 1)
	c.Data[c.Stride] = math.Inf(1)
	if err := q.Add(y, []int{4, 6}, c); !errors.As(err, &where) || where.Row != 1 || where.Col != 0 {
		t.Errorf("error %v", err)
	}
	if after, _ := q.MarshalBinary(); string(after) != string(before) {
		t.Error("a refused block has changed R")
	}
}

func TestPairQRShapes(t *testing.T) {
	q, y := sketch.NewPairQR(3), randomBlock(9, 3, 1)
	checkPanics(t, "no columns", func() { sketch.NewPairQR(0) })
	checkPanics(t, "y", func() { q.Add(randomBlock(9, 4, 1), nil, blas64.General{}) })
	checkPanics(t, "c", func() { q.Add(y, []int{1, 2}, randomBlock(3, 3, 1)) })
	checkPanics(t, "descending", func() { q.Add(y, []int{2, 1}, randomBlock(2, 3, 1)) })
	checkPanics(t, "twice", func() { q.Add(y, []int{2, 2}, randomBlock(2, 3, 1)) })
	checkPanics(t, "outside", func() { q.Add(y, []int{9}, randomBlock(1, 3, 1)) })
	if err := q.Merge(sketch.NewPairQR(4)); err == nil {
		t.Error("pairs of different widths were merged")
	}
}

func BenchmarkPairQRAdd(b *testing.B) {
	q := sketch.NewPairQR(50)
	y := randomBlock(1024, 50, 1)
	for b.Loop() {
		if err := q.Add(y, nil, blas64.General{}); err != nil {
			b.Fatal(err)
		}
	}
}
