package sketch_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/sketch"
)

// onEveryPath runs a test on every kernel path of this machine and build.
func onEveryPath(t *testing.T, test func(t *testing.T)) {
	for _, p := range simd.Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer simd.Use(p)()
			test(t)
		})
	}
}

// pieces cuts the rows of a into blocks that end at the given rows.
func pieces(a *mat.Dense, ends ...int) []*mat.Dense {
	rows, cols := a.Dims()
	var blocks []*mat.Dense
	from := 0
	for _, to := range append(slices.Clone(ends), rows) {
		blocks = append(blocks, mat.DenseCopyOf(a.Slice(from, to, 0, cols)))
		from = to
	}
	return blocks
}

// tall returns a matrix with the given singular values whose rows all have similar norms.
func tall(rows int, sigma []float64, seed uint64) *mat.Dense {
	n := len(sigma)
	return mul(orthonormal(rows, n, seed), mat.NewDiagDense(n, sigma), orthonormal(n, n, seed+1).T())
}

// falling returns n numbers in geometric progression from 1 to 10^-digits.
func falling(n int, digits float64) []float64 {
	sigma := make([]float64, n)
	for i := range sigma {
		sigma[i] = math.Pow(10, -digits*float64(i)/float64(max(1, n-1)))
	}
	return sigma
}

// checkFactor fails unless the columns of R have the norms and inner products of those of A, to tol
// times the norms. Reference products are summed with compensation. Columns may have any scale.
func checkFactor(t testing.TB, what string, a, r *mat.Dense, tol float64) {
	t.Helper()
	checkTriangular(t, r)
	a, r = mat.DenseCopyOf(a), mat.DenseCopyOf(r)
	rows, n := a.Dims()
	for j := range n {
		_, e := math.Frexp(mat.Max(absolute(a.ColView(j))))
		for _, m := range []*mat.Dense{a, r} {
			scaleColumn(m, j, -e)
		}
	}
	worst := 0.0
	for i := range n {
		for j := i; j < n; j++ {
			var d, ni, nj compensated
			for k := range rows {
				d.add(a.At(k, i), a.At(k, j))
				ni.add(a.At(k, i), a.At(k, i))
				nj.add(a.At(k, j), a.At(k, j))
			}
			for k := range n {
				d.add(-r.At(k, i), r.At(k, j))
			}
			if e := math.Abs(d.total()); e > 0 || e != e {
				worst = max(worst, e/math.Sqrt(ni.total()*nj.total()))
			}
		}
	}
	if !(worst <= tol) {
		t.Errorf("%s: RᵀR differs from AᵀA by %.3g·ε, allowed %.3g·ε", what, worst/eps, tol/eps)
	}
}

// scaleColumn multiplies column j by 2^e.
func scaleColumn(m *mat.Dense, j, e int) {
	rows, _ := m.Dims()
	for i := range rows {
		m.Set(i, j, math.Ldexp(m.At(i, j), e))
	}
}

// absolute returns the magnitudes of a vector.
func absolute(v mat.Vector) *mat.VecDense {
	a := mat.NewVecDense(v.Len(), nil)
	for i := range v.Len() {
		a.SetVec(i, math.Abs(v.AtVec(i)))
	}
	return a
}

// compensated is a sum of products in doubled precision.
type compensated struct{ sum, rest float64 }

// add adds a·b.
func (c *compensated) add(a, b float64) {
	p := a * b
	lost := math.FMA(a, b, -p)
	s := c.sum + p
	t := s - c.sum
	c.rest += (c.sum - (s - t)) + (p - t) + lost
	c.sum = s
}

func (c *compensated) total() float64 { return c.sum + c.rest }

// cuts are row numbers where 1000 rows are cut into blocks: a single block, a start and updates, a
// start of few rows by reflections and an update, irregular blocks.
var cuts = [][]int{{}, {256, 512, 768}, {300}, {40, 41, 400}, {0, 0, 7, 600, 999}}

// R has the singular values of the block up to rounding, whatever its condition number.
func TestQRSingularValues(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{24, 51} {
			for _, digits := range []float64{0, 4, 8, 11, 14, 15, 16, 30} {
				sigma := falling(n, digits)
				a := tall(1000, sigma, 1)
				for _, ends := range cuts {
					got := singularValues(dense(qrOf(t, a, ends...).R()))
					for i := range got {
						if math.Abs(got[i]-sigma[i]) > 30*eps {
							t.Errorf("%d columns, condition 1e%v, cuts %v: σ%d is off by %.3g·ε", n, digits, ends, i+1, (got[i]-sigma[i])/eps)
						}
					}
				}
			}
		}
	})
}

// Graded columns keep their relative accuracy: each column of R depends on one column of A.
func TestQRGradedColumns(t *testing.T) {
	const rows, n = 900, 20
	scale := make([]float64, n)
	for j := range scale {
		scale[j] = math.Pow(10, 300*float64((7*j)%n)/(n-1)-150)
	}
	scaled := mul(random(rows, n, 1), mat.NewDiagDense(n, scale))
	onEveryPath(t, func(t *testing.T) {
		for _, ends := range [][]int{{}, {300}, {300, 600}, {50, 300}} {
			checkFactor(t, fmt.Sprint("cuts ", ends), scaled, dense(qrOf(t, scaled, ends...).R()), 50*eps)
		}
	})
}

// Scaling columns by powers of two changes no bit of the factors but the exponents.
func TestQRPowersOfTwo(t *testing.T) {
	const rows, n = 900, 11
	a, exponents := random(rows, n, 1), []int{0, 490, -490, 3, -3, 100, 0, -100, 17, -480, 480}
	b := mat.DenseCopyOf(a)
	for j, e := range exponents {
		scaleColumn(b, j, e)
	}
	onEveryPath(t, func(t *testing.T) {
		got, want := dense(qrOf(t, b, 300).R()), dense(qrOf(t, a, 300).R())
		for j, e := range exponents {
			scaleColumn(want, j, e)
		}
		if simd.Active() != simd.Go && !mat.Equal(got, want) {
			t.Error("a power of two has changed bits")
		}
		for j := range n {
			checkClose(t, fmt.Sprint("column ", j), got.ColView(j), want.ColView(j), 20*eps)
		}
	})
}

// Blocks with entirely different rows than before are reduced accurately.
func TestQRBlocksThatBlowUp(t *testing.T) {
	const n = 30
	v := orthonormal(n, n, 1)
	onEveryPath(t, func(t *testing.T) {
		for _, ratio := range []float64{1, 4, 5, 100, 1e4, 1e8, 1e16, 1e170} {
			d := make([]float64, n)
			for i := range d {
				d[i] = 1
				if i%2 == 1 {
					d[i] = 1 / ratio
				}
			}
			low := mul(random(300, n, 2), mat.NewDiagDense(n, d), v.T())
			small := mul(random(300, n, 2), mat.NewDiagDense(n, d))
			tiny := mat.DenseCopyOf(random(300, n, 2))
			tiny.Scale(1/ratio, tiny)
			for name, top := range map[string]*mat.Dense{"new directions": low, "new columns": small, "larger rows": tiny} {
				for _, turned := range []bool{false, true} {
					first, second := top, random(200, n, 3)
					if turned {
						first, second = second, first
					}
					var a mat.Dense
					a.Stack(first, second)
					rows, _ := first.Dims()
					what := fmt.Sprintf("%s, ratio %g, turned %v", name, ratio, turned)
					checkFactor(t, what, &a, dense(qrOf(t, &a, rows).R()), 40*eps)
				}
			}
		}
	})
}

// Sorted data: the norms of rows rise or fall by orders of magnitude, or one coordinate rises.
func TestQRSortedRows(t *testing.T) {
	const rows, n = 2000, 12
	onEveryPath(t, func(t *testing.T) {
		for _, per := range []float64{-1e-2, 1e-3, 1e-2, 0.1} {
			a := random(rows, n, 4)
			a.Apply(func(i, j int, v float64) float64 {
				if j%3 == 0 {
					return v + float64(i)
				}
				return v * math.Exp(per*float64(i))
			}, a)
			for _, ends := range [][]int{{}, {256, 512, 768, 1024, 1280, 1536, 1792}} {
				checkFactor(t, fmt.Sprintf("growth %g, cuts %v", per, ends), a, dense(qrOf(t, a, ends...).R()), 60*eps)
			}
		}
	})
}

func TestQRRankDeficientBlocks(t *testing.T) {
	const rows, n = 700, 21
	equal := random(rows, n, 1)
	for i := range rows {
		equal.Set(i, 9, equal.At(i, 2))
		equal.Set(i, 20, equal.At(i, 2)-equal.At(i, 4))
	}
	zero := random(rows, n, 2)
	for _, j := range []int{0, 8, 20} {
		zero.SetCol(j, make([]float64, rows))
	}
	late := mat.DenseCopyOf(zero)
	for i := 500; i < rows; i++ {
		late.Set(i, 8, 1)
	}
	gaps := random(rows, n, 3)
	for i := range rows {
		if i%3 > 0 {
			gaps.SetRow(i, make([]float64, n))
		}
	}
	ones := mat.NewDense(rows, n, nil)
	ones.Apply(func(_, j int, _ float64) float64 { return float64(j + 1) }, ones)
	onEveryPath(t, func(t *testing.T) {
		for name, a := range map[string]*mat.Dense{
			"equal columns": equal, "zero columns": zero, "a column that begins late": late, "zero rows": gaps, "equal rows": ones,
			"rank 3": mul(random(rows, 3, 5), random(3, n, 6)), "zero": mat.NewDense(rows, n, nil),
		} {
			for _, ends := range [][]int{{}, {300}, {256, 500, 600}, {1, 400}} {
				tol := 50 * eps
				if name == "equal rows" { // equal terms all round in the same direction
					tol = 200 * eps
				}
				checkFactor(t, fmt.Sprintf("%s, cuts %v", name, ends), a, dense(qrOf(t, a, ends...).R()), tol)
			}
		}
	})
}

// Columns scaled by 2^−1000 to 2^1015 keep their digits, although squares of their entries overflow or underflow.
func TestQRRange(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, e := range []int{-1000, -800, -520, -500, -480, 0, 480, 500, 512, 900, 1015} {
			a := random(600, 10, 1)
			for j := range 10 {
				scaleColumn(a, j, e)
			}
			checkFactor(t, fmt.Sprint("exponent ", e), a, dense(qrOf(t, a, 300).R()), 50*eps)
		}
	})
}

// Any tree of merges gives an accurate factor.
func TestQRTrees(t *testing.T) {
	const n = 17
	a := tall(1600, falling(n, 11), 1)
	onEveryPath(t, func(t *testing.T) {
		var parts []*sketch.QR
		for _, b := range pieces(a, 300, 310, 700, 1300, 1303) {
			parts = append(parts, qrOf(t, b))
		}
		for len(parts) > 1 {
			at := len(parts) / 2
			if err := parts[at-1].Merge(parts[at]); err != nil {
				t.Fatal(err)
			}
			parts = slices.Delete(parts, at, at+1)
		}
		r := dense(parts[0].R())
		checkFactor(t, "merged", a, r, 30*eps)
		want := falling(n, 11)
		for i, got := range singularValues(r) {
			if math.Abs(got-want[i]) > 20*eps {
				t.Errorf("σ%d = %g, want %g", i+1, got, want[i])
			}
		}
	})
}

// Reused scratch memory does not influence results, whether other shapes or rejected blocks used it
// before.
func TestQRSameBits(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		a := tall(900, falling(19, 9), 1)
		state := func() []byte {
			data, err := qrOf(t, a, 256, 600).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		want := state()
		for _, n := range []int{70, 9, 24} {
			q := qrOf(t, random(600, n, 2), 300)
			bad := random(300, n, 3)
			bad.Apply(func(i, j int, v float64) float64 { return math.NaN() }, bad)
			if q.Add(whole(bad)) == nil {
				t.Fatal("a block of NaN was taken")
			}
			if !bytes.Equal(state(), want) {
				t.Errorf("other bits after %d columns", n)
			}
		}
	})
}

// Large blocks with a non-finite entry are rejected like small ones.
func TestQRNonFiniteLarge(t *testing.T) {
	const rows, n = 600, 19
	onEveryPath(t, func(t *testing.T) {
		for _, before := range []int{0, 300} {
			for _, at := range [][2]int{{0, 0}, {599, 18}, {77, 9}, {301, 16}} {
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					q := sketch.NewQR(n)
					if before > 0 {
						q = qrOf(t, random(before, n, 1))
					}
					state, _ := q.MarshalBinary()
					block := randomBlock(rows, n, 2)
					block.Data[at[0]*block.Stride+at[1]] = bad
					err := q.Add(block)
					var where *sketch.NonFiniteError
					if !errors.As(err, &where) || where.Row != at[0] || where.Col != at[1] {
						t.Errorf("%v at %v after %d rows: error %v", bad, at, before, err)
					}
					if after, _ := q.MarshalBinary(); !bytes.Equal(state, after) {
						t.Errorf("%v at %v: a refused block has changed R", bad, at)
					}
				}
			}
		}
	})
}

// PairQR is accurate for large blocks with some marked rows.
func TestPairQRLarge(t *testing.T) {
	const rows, cols = 900, 13
	marked := []int{0, 5, 300, 301, 302, 899}
	onEveryPath(t, func(t *testing.T) {
		p := newPair(rows, cols, marked, 1)
		q := sketch.NewPairQR(cols)
		for _, cut := range [][2]int{{0, 300}, {300, 600}, {600, rows}} {
			p.addTo(t, q, cut[0], cut[1])
		}
		checkFactor(t, "pair", p.stacked(), dense(q.R()), 30*eps)
		checkRefusals(t, q, rows, cols, marked)
	})
}

// checkRefusals checks that non-finite entries in marked and in unmarked rows are rejected.
func checkRefusals(t *testing.T, q *sketch.PairQR, rows, cols int, marked []int) {
	before, _ := q.MarshalBinary()
	var where *sketch.NonFiniteError
	for _, at := range [][2]int{{4, 3}, {5, 12}, {600, 0}, {899, 1}} {
		y := randomBlock(rows, cols, 2)
		y.Data[at[0]*y.Stride+at[1]] = math.Inf(1)
		y.Data[(rows-1)*y.Stride+2] = math.NaN()
		c := randomBlock(len(marked), cols, 3)
		if err := q.Add(y, marked, c); !errors.As(err, &where) || where.Row != at[0] || where.Col != at[1] {
			t.Errorf("bad entry at %v: error %v", at, err)
		}
	}
	if after, _ := q.MarshalBinary(); !bytes.Equal(before, after) {
		t.Error("a refused block has changed R")
	}
}

func TestGramLarge(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		x, y := random(1100, 53, 1), random(1100, 29, 2)
		g, square := sketch.NewGram(53, 29), sketch.NewGram(53, 53)
		other := sketch.NewGram(53, 53)
		for _, cut := range [][2]int{{0, 700}, {700, 1100}} {
			xb := general(x, cut[0], cut[1])
			if err := errors.Join(g.Add(xb, general(y, cut[0], cut[1])), square.Add(xb, xb), other.Add(xb, general(x, cut[0], cut[1]))); err != nil {
				t.Fatal(err)
			}
		}
		checkClose(t, "XᵀY", dense(g.Matrix()), mul(x.T(), y), 1e-14)
		s := dense(square.Matrix())
		checkClose(t, "XᵀX", s, mul(x.T(), x), 1e-14)
		if !mat.Equal(s, s.T()) {
			t.Error("XᵀX is not symmetric to the last bit")
		}
		if !mat.Equal(s, dense(other.Matrix())) {
			t.Error("XᵀX of a matrix and its copy has other bits")
		}
	})
}

// A refused block leaves the sum unchanged.
func TestGramRefusalLeavesTheSum(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		g, x := sketch.NewGram(9, 9), randomBlock(30, 9, 1)
		if err := g.Add(x, x); err != nil {
			t.Fatal(err)
		}
		before, _ := g.MarshalBinary()
		bad := randomBlock(30, 9, 2)
		bad.Data[29*bad.Stride+8] = math.Inf(-1)
		for _, f := range [][2]blas64.General{{bad, x}, {x, bad}, {bad, bad}} {
			var where *sketch.NonFiniteError
			if err := g.Add(f[0], f[1]); !errors.As(err, &where) || where.Row != 29 || where.Col != 8 {
				t.Errorf("error %v", err)
			}
		}
		if after, _ := g.MarshalBinary(); !bytes.Equal(before, after) {
			t.Error("a refused block has changed the sum")
		}
	})
}

// FuzzQR compares the paths with reflections on stacks of any shape, grading of
// rows and columns, and rank.
func FuzzQR(f *testing.F) {
	f.Add(uint64(1), uint16(700), uint8(20), uint16(300), uint16(400), uint8(0), uint8(0), uint8(30))
	f.Add(uint64(2), uint16(500), uint8(9), uint16(256), uint16(260), uint8(40), uint8(9), uint8(4))
	f.Add(uint64(3), uint16(900), uint8(33), uint16(1), uint16(890), uint8(3), uint8(200), uint8(33))
	f.Add(uint64(4), uint16(64), uint8(8), uint16(0), uint16(64), uint8(1), uint8(1), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, rows uint16, cols uint8, cut1, cut2 uint16, rowGrade, colGrade, rank uint8) {
		m, n := int(rows)%1200+1, int(cols)%40+1
		a := mul(random(m, min(n, int(rank)+1), seed), random(min(n, int(rank)+1), n, seed+1))
		draws := sketch.NewRandom(seed, "grades").At(0)
		for i := range m {
			e := int(draws.Normal() * float64(rowGrade) / 4)
			for j := range n {
				a.Set(i, j, math.Ldexp(a.At(i, j), e))
			}
		}
		for j := range n {
			scaleColumn(a, j, int(draws.Normal()*float64(colGrade)/2))
		}
		ends := []int{int(cut1) % (m + 1), int(cut2) % (m + 1)}
		slices.Sort(ends)
		for _, p := range simd.Available() {
			restore := simd.Use(p)
			r := dense(qrOf(t, a, ends...).R())
			restore()
			checkFactor(t, p.String(), a, r, 100*eps)
			compareSingularValues(t, p.String(), a, r)
		}
	})
}

// compareSingularValues compares the singular values of A and R after scaling columns to norm one.
func compareSingularValues(t *testing.T, what string, a, r *mat.Dense) {
	a, r = mat.DenseCopyOf(a), mat.DenseCopyOf(r)
	m, n := a.Dims()
	for j := range n {
		if norm := mat.Norm(a.ColView(j), 2); norm > 0 {
			_, e := math.Frexp(norm)
			scaleColumn(a, j, -e)
			scaleColumn(r, j, -e)
		}
	}
	padded := mat.NewDense(max(m, n), n, nil)
	padded.Slice(0, m, 0, n).(*mat.Dense).Copy(a)
	want, got := singularValues(padded), singularValues(r)
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 100*eps*want[0]) {
			t.Errorf("%s: σ%d = %g, want %g, of %g", what, i+1, got[i], want[i], want[0])
		}
	}
}
