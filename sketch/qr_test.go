package sketch_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/sketch"
)

// eps is the distance from 1 to the next float64.
const eps = 0x1p-52

// qrOf folds a into a QR in blocks that end at the given rows.
func qrOf(t testing.TB, a *mat.Dense, ends ...int) *sketch.QR {
	t.Helper()
	rows, cols := a.Dims()
	q := sketch.NewQR(cols)
	from := 0
	for _, to := range append(ends, rows) {
		if err := q.Add(general(a, from, to)); err != nil {
			t.Fatal(err)
		}
		from = to
	}
	return q
}

// checkTriangular fails unless r is upper triangular with diagonal ≥ 0.
func checkTriangular(t testing.TB, r *mat.Dense) {
	t.Helper()
	n, _ := r.Dims()
	for i := range n {
		for j := range i {
			if r.At(i, j) != 0 {
				t.Errorf("R has %v at (%d, %d), below the diagonal", r.At(i, j), i, j)
			}
		}
		if r.At(i, i) < 0 {
			t.Errorf("R has %v at (%d, %d), on the diagonal", r.At(i, i), i, i)
		}
	}
}

// referenceR returns gonum's R factor of the whole matrix, with a positive diagonal.
func referenceR(a *mat.Dense) *mat.Dense {
	rows, cols := a.Dims()
	padded := mat.NewDense(max(rows, cols), cols, nil)
	padded.Slice(0, rows, 0, cols).(*mat.Dense).Copy(a)
	var qr mat.QR
	qr.Factorize(padded)
	var r mat.Dense
	qr.RTo(&r)
	top := mat.DenseCopyOf(r.Slice(0, cols, 0, cols))
	for i := range cols {
		if top.At(i, i) < 0 {
			line := top.RawRowView(i)
			for j := range line {
				line[j] = -line[j]
			}
		}
	}
	return top
}

func TestQRConformance(t *testing.T) {
	const cols = 20 // more than one panel, and leaves both short and long
	conformance.Run(t, func() *sketch.QR { return sketch.NewQR(cols) }, func(block int64) *sketch.QR {
		return qrOf(t, random([]int{3, 31, 20, 1}[block%4], cols, uint64(block)))
	}, 11)
}

func TestQRAgainstGonum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cols := rapid.IntRange(1, 40).Draw(rt, "cols")
		rows := rapid.IntRange(1, 120).Draw(rt, "rows")
		cut := rapid.IntRange(0, rows).Draw(rt, "cut")
		a := random(rows, cols, rapid.Uint64().Draw(rt, "seed"))
		q := qrOf(t, a, cut)
		r := dense(q.R())
		checkTriangular(t, r)
		checkClose(t, "RᵀR", mul(r.T(), r), mul(a.T(), a), 200*eps)
		if rows >= 2*cols { // well conditioned, so R itself is determined
			checkClose(t, "R", r, referenceR(a), 1e-12)
		}
		if q.Rows() != int64(rows) || q.Cols() != cols {
			rt.Fatalf("%d×%d, want %d×%d", q.Rows(), q.Cols(), rows, cols)
		}
	})
}

// Merging R factors of blocks gives the R factor of all rows, for any number of rows.
func TestQRMerge(t *testing.T) {
	for _, cols := range []int{1, 5, 16, 17, 50} {
		for _, rows := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {2, 90}, {90, 2}, {60, 70}} {
			a := random(rows[0]+rows[1]+1, cols, 7)
			q := qrOf(t, mat.DenseCopyOf(a.Slice(0, rows[0]+1, 0, cols)))
			if rows[0] == 0 {
				q = sketch.NewQR(cols)
				a = mat.DenseCopyOf(a.Slice(1, rows[1]+1, 0, cols))
			}
			n, _ := a.Dims()
			later := sketch.NewQR(cols)
			if err := later.Add(general(a, int(q.Rows()), n)); err != nil {
				t.Fatal(err)
			}
			if err := q.Merge(later); err != nil {
				t.Fatal(err)
			}
			r := dense(q.R())
			checkTriangular(t, r)
			checkClose(t, fmt.Sprintf("RᵀR, %d columns, %v rows", cols, rows), mul(r.T(), r), mul(a.T(), a), 200*eps)
			if q.Rows() != int64(n) {
				t.Errorf("%d rows, want %d", q.Rows(), n)
			}
		}
	}
}

// QR preserves singular values from 1 to 1e-14. A Gram matrix would lose those below 1e-8.
func TestQRKeepsSmallSingularValues(t *testing.T) {
	const rows, cols = 400, 24
	sigma := make([]float64, cols)
	for i := range sigma {
		sigma[i] = math.Pow(10, -14*float64(i)/(cols-1))
	}
	a := mul(orthonormal(rows, cols, 1), mat.NewDiagDense(cols, sigma), orthonormal(cols, cols, 2).T())
	f := qrOf(t, a, 3, 50, 51, 170, 300)
	other := qrOf(t, mat.DenseCopyOf(a.Slice(200, rows, 0, cols)), 20)
	first := qrOf(t, mat.DenseCopyOf(a.Slice(0, 200, 0, cols)), 90)
	if err := first.Merge(other); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]*sketch.QR{"added": f, "merged": first} {
		var svd mat.SVD
		svd.Factorize(dense(q.R()), mat.SVDNone)
		for i, got := range svd.Values(nil) {
			if math.Abs(got-sigma[i]) > 10*eps {
				t.Errorf("%s: σ%d = %.3e, want %.3e", name, i+1, got, sigma[i])
			}
		}
	}
}

// Scaling columns by powers of two changes no bit but the exponents.
func TestQRColumnScales(t *testing.T) {
	const rows, cols = 90, 6
	a := random(rows, cols, 3)
	scale := mat.NewDiagDense(cols, []float64{1, 0x1p498, 0x1p-498, 0x1p900, 0x1p-900, 1e-150})
	want := mul(dense(qrOf(t, a, 40).R()), scale)
	got := dense(qrOf(t, mul(a, scale), 40).R())
	for j := range cols {
		checkClose(t, fmt.Sprintf("column %d", j), got.ColView(j), want.ColView(j), 20*eps)
	}
}

// RᵀR = AᵀA for blocks of zeros, equal rows, low rank, denormals and graded rows.
func TestQRDegenerate(t *testing.T) {
	ones := mat.NewDense(30, 4, nil)
	ones.Apply(func(i, j int, _ float64) float64 { return float64(j + 1) }, ones)
	low := mul(random(60, 2, 1), random(2, 20, 2))
	gap := random(40, 5, 3)
	gap.SetCol(0, make([]float64, 40))
	gap.SetCol(3, make([]float64, 40))
	denormal := random(40, 5, 4)
	denormal.Scale(0x1p-1050, denormal)
	graded := random(60, 8, 5)
	graded.Apply(func(i, _ int, v float64) float64 { return v * math.Pow(10, float64(i%30)-15) }, graded)
	for name, a := range map[string]*mat.Dense{
		"zero": mat.NewDense(30, 4, nil), "equal rows": ones, "rank 2": low, "zero columns": gap, "one row": random(1, 6, 1), "graded rows": graded,
	} {
		r := dense(qrOf(t, a, 1).R())
		checkTriangular(t, r)
		checkClose(t, name, mul(r.T(), r), mul(a.T(), a), 100*eps)
	}
	got := dense(qrOf(t, denormal, 10).R())
	got.Scale(0x1p525, got)
	got.Scale(0x1p525, got)
	want := dense(qrOf(t, random(40, 5, 4), 10).R())
	checkClose(t, "denormals", got, want, 1e-5) // denormals have 24 bits left
}

func TestQRKnownAnswer(t *testing.T) {
	q := qrOf(t, mat.NewDense(2, 2, []float64{3, 5, 4, 5}), 1)
	want := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{5, 7, 0, 1}}
	if got := q.R(); !mat.EqualApprox(dense(got), dense(want), 1e-15) {
		t.Errorf("R = %v, want %v", got.Data, want.Data)
	}
	if got := sketch.NewQR(2).R(); mat.Norm(dense(got), 2) != 0 {
		t.Errorf("R of no rows = %v", got.Data)
	}
}

func TestQREmptyBlock(t *testing.T) {
	q := sketch.NewQR(3)
	for range 2 {
		if err := q.Add(blas64.General{Cols: 3, Stride: 3}); err != nil || q.Rows() != 0 {
			t.Errorf("%v, %d rows", err, q.Rows())
		}
	}
}

func TestQRNonFinite(t *testing.T) {
	a := random(20, 4, 1)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		q := qrOf(t, a)
		before, _ := q.MarshalBinary()
		block := randomBlock(10, 4, 2)
		block.Data[7*block.Stride+2] = bad
		err := q.Add(block)
		var where *sketch.NonFiniteError
		if !errors.As(err, &where) || where.Row != 7 || where.Col != 2 || !strings.Contains(err.Error(), "row 7, column 2") {
			t.Errorf("%v: error %v", bad, err)
		}
		after, _ := q.MarshalBinary()
		if !cmp.Equal(before, after) {
			t.Errorf("%v: a refused block has changed R", bad)
		}
	}
}

func TestQROverflow(t *testing.T) {
	huge := mat.NewDense(9, 2, nil)
	huge.Apply(func(i, j int, _ float64) float64 { return 1e308 * float64(1-i%2*j) }, huge)
	err := sketch.NewQR(2).Add(whole(huge))
	if err == nil || !strings.Contains(err.Error(), "scale the data down") {
		t.Errorf("error %v", err)
	}
	// A slightly smaller matrix does not overflow: nothing is squared on the way.
	huge.Scale(1e-2, huge)
	r := dense(qrOf(t, huge, 4).R())
	r.Scale(1e-306, r)
	huge.Scale(1e-306, huge)
	checkClose(t, "near the end of the range", mul(r.T(), r), mul(huge.T(), huge), 50*eps)
}

// Add leaves the block unchanged.
func TestQRDoesNotTouchTheBlock(t *testing.T) {
	block := randomBlock(30, 5, 1)
	before := append([]float64(nil), block.Data...)
	if err := sketch.NewQR(5).Add(block); err != nil {
		t.Fatal(err)
	}
	for i, v := range before {
		if math.Float64bits(v) != math.Float64bits(block.Data[i]) {
			t.Fatal("Add has changed the block")
		}
	}
}

func TestQRResultIsACopy(t *testing.T) {
	q := qrOf(t, random(9, 3, 1))
	q.R().Data[0] = 77
	if q.R().Data[0] == 77 {
		t.Error("R shares memory with the accumulator")
	}
}

func TestQRShapes(t *testing.T) {
	checkPanics(t, "width", func() { sketch.NewQR(3).Add(randomBlock(5, 4, 1)) })
	checkPanics(t, "no columns", func() { sketch.NewQR(0) })
	if err := sketch.NewQR(3).Merge(sketch.NewQR(4)); err == nil {
		t.Error("R factors of different widths were merged")
	}
	data, _ := qrOf(t, random(9, 3, 1)).MarshalBinary()
	if err := sketch.NewQR(4).UnmarshalBinary(data); err == nil {
		t.Error("a state of 3 columns was read into 4")
	}
}

// poolsForget is true under the race detector.
var poolsForget bool

func TestQRAllocates(t *testing.T) {
	q, block := sketch.NewQR(50), randomBlock(200, 50, 1)
	allocs := testing.AllocsPerRun(20, func() {
		if err := q.Add(block); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1 && !poolsForget { // the pool may be emptied at any time
		t.Errorf("%v allocations a block", allocs)
	}
}

func ExampleQR() {
	// The rows (3 5) and (4 5) arrive in two blocks.
	q := sketch.NewQR(2)
	for _, row := range [][]float64{{3, 5}, {4, 5}} {
		if err := q.Add(blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: row}); err != nil {
			fmt.Println(err)
			return
		}
	}
	r := q.R()
	fmt.Printf("%.2f\n%.2f\n", r.Data[:2], r.Data[2:])
	// Output:
	// [5.00 7.00]
	// [0.00 1.00]
}

// BenchmarkQRAdd adds a block to a full R and to an empty one.
func BenchmarkQRAdd(b *testing.B) {
	for _, shape := range [][2]int{{256, 50}, {1024, 50}, {8192, 50}, {256, 200}, {1024, 200}} {
		block := randomBlock(shape[0], shape[1], 1)
		for _, p := range simd.Available() {
			b.Run(fmt.Sprintf("update/%dx%d/%v", shape[0], shape[1], p), func(b *testing.B) {
				defer simd.Use(p)()
				q := qrOf(b, random(2000, shape[1], 2))
				addRepeatedly(b, block, func() *sketch.QR { return q })
			})
			b.Run(fmt.Sprintf("start/%dx%d/%v", shape[0], shape[1], p), func(b *testing.B) {
				defer simd.Use(p)()
				addRepeatedly(b, block, func() *sketch.QR { return sketch.NewQR(shape[1]) })
			})
		}
	}
}

// addRepeatedly measures Add of the block to the accumulators that to returns.
func addRepeatedly(b *testing.B, block blas64.General, to func() *sketch.QR) {
	b.ReportAllocs()
	for b.Loop() {
		if err := to().Add(block); err != nil {
			b.Fatal(err)
		}
	}
	operations := 2 * float64(block.Rows) * float64(block.Cols*block.Cols)
	b.ReportMetric(operations*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
}

func BenchmarkQRMerge(b *testing.B) {
	for _, cols := range []int{50, 200} {
		b.Run(fmt.Sprintf("%d", cols), func(b *testing.B) {
			q, later := qrOf(b, random(300, cols, 1)), qrOf(b, random(300, cols, 2))
			b.ReportAllocs()
			for b.Loop() {
				if err := q.Merge(later); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A block may be a part of wider rows, and may leave no rows for an update.
func TestQRPartOfWiderRows(t *testing.T) {
	part := randomBlock(60, 40, 5)
	part.Cols = 20
	last := 59*part.Stride + 20
	part.Data = part.Data[:last:last]
	alone := mat.NewDense(60, 20, nil)
	for i := range 60 {
		alone.SetRow(i, part.Data[part.Stride*i:part.Stride*i+20])
	}
	got := sketch.NewQR(20)
	if err := got.Add(part); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(qrOf(t, alone, 60).R(), got.R()); diff != "" {
		t.Errorf("another factor than of the rows without what is beside them:\n%s", diff)
	}
}
