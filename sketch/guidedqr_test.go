package sketch_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

// guideOf is from every step-th row of a.
func guideOf(t testing.TB, a *mat.Dense, step int) *sketch.Guide {
	t.Helper()
	rows, cols := a.Dims()
	sample := mat.NewDense((rows+step-1)/step, cols, nil)
	for i := 0; i < rows; i += step {
		sample.SetRow(i/step, a.RawRowView(i))
	}
	g, err := sketch.NewGuide(whole(sample))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func guidedOf(t testing.TB, g *sketch.Guide, a *mat.Dense, ends ...int) *sketch.GuidedQR {
	t.Helper()
	_, cols := a.Dims()
	all := sketch.NewGuidedQR(g, cols)
	for _, piece := range pieces(a, ends...) {
		q := sketch.NewGuidedQR(g, cols)
		if err := q.Add(whole(piece)); err != nil {
			t.Fatal(err)
		}
		if err := all.Merge(q); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// factorAndLoss returns R and the loss, which must have R's precision.
func factorAndLoss(t testing.TB, q *sketch.GuidedQR) (*mat.Dense, float64) {
	t.Helper()
	r, err := q.R()
	if err != nil {
		t.Fatal(err)
	}
	checkTriangular(t, dense(r))
	return dense(r), q.Loss(r)
}

// standingOut has k singular values of 1, the others from 10^-first to 10^-last.
func standingOut(n, k int, first, last float64) []float64 {
	sigma := make([]float64, n)
	for i := range sigma {
		sigma[i] = 1
		if i >= k {
			sigma[i] = math.Pow(10, -first-(last-first)*float64(i-k)/float64(n-k-1))
		}
	}
	return sigma
}

// Matrices with known singular values: flat, with a few that stand out, and falling to the
// smallest there are, which takes a triangle.
func TestGuidedQR(t *testing.T) {
	const rows, cols = 1000, 40
	onEveryPath(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			sigma []float64
			loss  float64 // at most
		}{
			"flat":           {falling(cols, 1), 1e3},
			"one stands out": {standingOut(cols, 1, 3, 4), 1e3},
			"two do":         {standingOut(cols, 2, 6, 7), 1e3},
			"falling":        {falling(cols, 10), 1e3},
			"to rounding":    {falling(cols, 14), 1e3},
		} {
			a := tall(rows, c.sigma, 3)
			r, loss := factorAndLoss(t, guidedOf(t, guideOf(t, a, 5), a, 300, 600, 990))
			if !(loss > 0 && loss <= c.loss) {
				t.Errorf("%s: loss %.3g, want at most %.3g", name, loss, c.loss)
			}
			for i, got := range singularValues(r) {
				if e := math.Abs(got - c.sigma[i]); e > 60*eps+4*loss*eps*c.sigma[i] {
					t.Errorf("%s: σ%d is off by %.3g·ε", name, i+1, e/eps)
				}
			}
		}
	})
}

// Rows unlike the sample are set aside: they may be so long that a Gram matrix would know
// nothing of the others.
func TestGuidedQRSetsAside(t *testing.T) {
	const rows, cols = 1000, 24
	onEveryPath(t, func(t *testing.T) {
		for _, digits := range []float64{1, 10} {
			a := tall(rows, falling(cols, digits), 5)
			g := guideOf(t, a, 5)
			for _, i := range []int{503, 507} {
				for j := range cols {
					a.Set(i, j, 1e9*a.At(i, j))
				}
			}
			got, loss := factorAndLoss(t, guidedOf(t, g, a, 250, 500, 550, 800))
			want := singularValues(dense(qrOf(t, a).R()))
			for i, s := range singularValues(got) {
				if e := math.Abs(s - want[i]); e > 60*eps*want[0]+4*loss*eps*want[i] {
					t.Errorf("condition 1e%v: σ%d is off by %.3g·ε·σ1", digits, i+1, e/eps/want[0])
				}
			}
			if !(loss < 1e5) {
				t.Errorf("condition 1e%v: loss %.3g", digits, loss)
			}
		}
	})
}

// A Gram matrix that is singular because what determines it was set aside.
func TestGuidedQRSingularGram(t *testing.T) {
	const cols = 8
	a := mul(random(600, 3, 1), random(3, cols, 2))
	sample := mat.NewDense(48, cols, nil)
	sample.Stack(random(40, cols, 3), mat.DenseCopyOf(a.Slice(0, 8, 0, cols)))
	g, err := sketch.NewGuide(whole(sample))
	if err != nil {
		t.Fatal(err)
	}
	far := random(20, cols, 4)
	far.Scale(1e4, far)
	all := mat.NewDense(620, cols, nil)
	all.Stack(a, far)
	r, _ := factorAndLoss(t, guidedOf(t, g, all, 300, 600))
	checkFactor(t, "stack", all, r, 1e3*eps)
}

func TestGuidedQRWithoutGuide(t *testing.T) {
	a := random(300, 5, 1)
	none := mat.DenseCopyOf(a)
	none.SetCol(2, make([]float64, 300))
	for _, g := range []*sketch.Guide{nil, guideOf(t, none, 3), guideOf(t, none, 100)} {
		if g != nil {
			t.Error("there is a guide from columns of zeros, or from too few rows")
		}
	}
	got, loss := factorAndLoss(t, guidedOf(t, nil, a, 100))
	if !mat.Equal(got, mergedQR(t, a, 100)) || loss != 0 {
		t.Errorf("without a guide it is not a QR, loss %v", loss)
	}
}

// Columns that are dependent but for rounding: what is below rounding may be anything.
func TestGuidedQRDependentColumns(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		a := mul(random(900, 4, 1), random(4, 20, 2))
		r, _ := factorAndLoss(t, guidedOf(t, guideOf(t, a, 5), a, 300, 600))
		checkFactor(t, "dependent columns", a, r, 200*eps)
	})
}

// mergedQR is the factor that QR gives of two blocks.
func mergedQR(t *testing.T, a *mat.Dense, at int) *mat.Dense {
	blocks := pieces(a, at)
	q := qrOf(t, blocks[0])
	if err := q.Merge(qrOf(t, blocks[1])); err != nil {
		t.Fatal(err)
	}
	return dense(q.R())
}

func TestGuidedQRRefuses(t *testing.T) {
	a := random(600, 16, 1)
	q, g := guidedOf(t, guideOf(t, a, 4), a), guideOf(t, a, 4)
	before, _ := q.MarshalBinary()
	bad := random(70, 16, 2)
	bad.Set(33, 7, math.NaN())
	var at *sketch.NonFiniteError
	if err := q.Add(whole(bad)); !errors.As(err, &at) || at.Row != 33 || at.Col != 7 {
		t.Errorf("error %v", err)
	}
	if after, _ := q.MarshalBinary(); string(after) != string(before) {
		t.Error("the accumulator has changed")
	}
	if err := sketch.NewGuidedQR(nil, 16).UnmarshalBinary(before); err == nil {
		t.Error("a Gram matrix was read without its guide")
	}
	if err := q.Merge(sketch.NewGuidedQR(nil, 3)); err == nil {
		t.Error("factors of different widths were merged")
	}
	checkPanics(t, "columns", func() { sketch.NewGuidedQR(g, 3) })
	checkPanics(t, "width", func() { q.Add(randomBlock(5, 4, 1)) })
}

func TestGuidedQRConformance(t *testing.T) {
	const cols = 8
	a := random(200, cols, 1)
	for i, g := range []*sketch.Guide{guideOf(t, a, 4), guideOf(t, tall(200, falling(cols, 9), 2), 4), nil} {
		newAcc := func() *sketch.GuidedQR { return sketch.NewGuidedQR(g, cols) }
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			conformance.Run(t, newAcc, func(block int64) *sketch.GuidedQR {
				q, rows := newAcc(), random(7+int(block), cols, uint64(block))
				if block%3 == 2 {
					rows.Scale(1e6, rows) // set aside
				}
				if err := q.Add(whole(rows)); err != nil {
					t.Fatal(err)
				}
				return q
			}, 9)
		})
	}
}
