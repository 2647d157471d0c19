package tiles

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// formulas are kernels as Go functions, for every way of computing entries.
var formulas = []struct {
	text  string
	value func(x, z []float64) float64 // without normalisation
	sums  float64                      // weight of a normalised kernel; 0 for others
}{
	{"sne(gamma=2)", func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 4) }, 1},
	{"3*softmax(scale=0.5)", func(x, z []float64) float64 { return math.Exp(dense.Dot(x, z) / 2) }, 3},
	{"t()", func(x, z []float64) float64 { return 1 / (1 + squared(x, z)) }, 1},
	{"rbf(gamma=0.5)", func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 2) }, 0},
	{"2*linear()", func(x, z []float64) float64 { return 2 * dense.Dot(x, z) }, 0},
}

// squared returns ‖x−z‖².
func squared(x, z []float64) (sum float64) {
	for i, v := range x {
		sum += (v - z[i]) * (v - z[i])
	}
	return sum
}

// randomMatrix returns random entries, about half of them zero.
func randomMatrix(n, m int, seed uint64) blas64.General {
	random := rand.New(rand.NewPCG(seed, 9))
	a := matrix.New(n, m)
	for i := range a.Data {
		if random.IntN(2) == 0 {
			a.Data[i] = random.NormFloat64()
		}
	}
	return a
}

// sparseRows returns the rows of a as sparse rows.
func sparseRows(t *testing.T, a blas64.General) *Rows {
	t.Helper()
	m, err := sparse.NewCSR(a.Rows, a.Cols, func(yield func(sparse.Entry) bool) {
		for i := range a.Rows {
			for j, v := range matrix.Row(a, i) {
				if v != 0 && !yield(sparse.Entry{Row: int32(i), Col: int32(j), Value: v}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Rows{Sparse: m}
}

// newTiles returns the tiles of a kernel, for sparse or dense rows.
func newTiles(t *testing.T, text string, sparse bool) *Tiles {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(k, sparse)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// checkClose compares numbers to an absolute tolerance.
func checkClose(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, v, want[i])
		}
	}
}

// centered returns the doubly centred matrix.
func centered(a blas64.General) blas64.General {
	b := matrix.Transpose(a)
	dense.CenterColumns(b)
	b = matrix.Transpose(b)
	dense.CenterColumns(b)
	return b
}

// TestOperator compares K in memory and products with K with formulas: dense and sparse rows, centred and not, any
// number of threads.
func TestOperator(t *testing.T) {
	x, z := randomMatrix(300, 5, 1), randomMatrix(270, 5, 2)
	q, p := randomMatrix(270, 3, 3), randomMatrix(300, 3, 4)
	for _, f := range formulas {
		want := matrix.New(300, 270)
		for i := range want.Rows {
			row := matrix.Row(want, i)
			for j := range row {
				row[j] = f.value(matrix.Row(x, i), matrix.Row(z, j))
			}
			if f.sums > 0 {
				blas64.Scal(f.sums/dense.Sum(row), dense.Vector(row))
			}
		}
		for _, center := range []bool{false, true} {
			if center {
				want = centered(want)
			}
			for _, isSparse := range []bool{false, true} {
				what := fmt.Sprintf("%s, centered %v, sparse %v", f.text, center, isSparse)
				var first []float64
				for threads := range 3 {
					left, right := &Rows{Dense: x}, &Rows{Dense: z}
					if isSparse {
						left, right = sparseRows(t, x), sparseRows(t, z)
					}
					g := newTiles(t, f.text, isSparse).NewGrid(stream.Engine{Threads: 1 + threads}, [2]string{"x", "z"}, left, right)
					s, err := g.Sums(context.Background(), center)
					if err != nil {
						t.Fatal(what, err)
					}
					op := &Operator{Grid: g, Sums: s, Centered: center}
					a, err := op.Form(context.Background())
					if err != nil {
						t.Fatal(what, err)
					}
					aq, atp := matrix.New(300, 3), matrix.New(270, 3)
					if err := op.Multiply(context.Background(), q, aq, p, atp); err != nil {
						t.Fatal(what, err)
					}
					wantQ, wantP := matrix.New(300, 3), matrix.New(270, 3)
					if err := a.Multiply(context.Background(), q, wantQ, p, wantP); err != nil {
						t.Fatal(what, err)
					}
					checkClose(t, what, a.Data, want.Data, 1e-11)
					checkClose(t, what+", products", append(aq.Data, atp.Data...), append(wantQ.Data, wantP.Data...), 1e-9)
					if threads > 0 {
						checkClose(t, what+", threads", aq.Data, first, 0)
					}
					first = aq.Data
					if entries := int64(g.Passes) * 300 * 270; g.Tiles.Entries.Load() != entries {
						t.Errorf("%s: %d entries, want %d", what, g.Tiles.Entries.Load(), entries)
					}
				}
			}
		}
	}
}

// TestShapes: raw entries have the same bits in tiles of every shape.
func TestShapes(t *testing.T) {
	x, z := randomMatrix(150, 4, 1), randomMatrix(90, 4, 2)
	for _, f := range formulas {
		for _, isSparse := range []bool{false, true} {
			left, right := &Rows{Dense: x}, &Rows{Dense: z}
			if isSparse {
				left, right = sparseRows(t, x), sparseRows(t, z)
			}
			made := newTiles(t, f.text, isSparse)
			want := matrix.New(150, 90)
			made.Fill(want, left, right, new(Work))
			for _, size := range []int{7, 64, 500} {
				got, err := made.RawEntries(context.Background(), stream.Engine{Threads: 2}, left, right, size)
				if err != nil {
					t.Fatal(err)
				}
				checkClose(t, f.text, got.Data, want.Data, 0)
				err = made.Each(context.Background(), stream.Engine{Threads: 2}, left, right, size, func(first int, tile blas64.General) error {
					checkClose(t, f.text, tile.Data[:tile.Rows*tile.Cols], want.Data[first*90:(first+tile.Rows)*90], 0)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestUpper: the upper half contains each pair of rows of one source once.
func TestUpper(t *testing.T) {
	x := randomMatrix(600, 3, 1)
	g := newTiles(t, "rbf(gamma=1)", false).NewGrid(stream.Engine{Threads: 2}, [2]string{"x", "x"}, &Rows{Dense: x}, &Rows{Dense: x})
	seen := matrix.New(600, 600)
	err := g.Pairs(context.Background(), "pairs", true, func() Visitor {
		return func(tile blas64.General, i, j int) error {
			for k := range tile.Rows {
				for l, v := range matrix.Row(tile, k) {
					if want := math.Exp(-squared(matrix.Row(x, i+k), matrix.Row(x, j+l))); math.Abs(v-want) > 1e-12 {
						return fmt.Errorf("entry (%d, %d) is %v, want %v", i+k, j+l, v, want)
					}
					matrix.Row(seen, i+k)[j+l]++
					if i != j {
						matrix.Row(seen, j+l)[i+k]++
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range seen.Data {
		if n != 1 {
			t.Fatalf("entry (%d, %d) was seen %v times", i/600, i%600, n)
		}
	}
}

// TestRefusals: New and Sum refuse kernels that sparse rows do not support, words, and rows with unusable sums.
func TestRefusals(t *testing.T) {
	for text, isSparse := range map[string]bool{"kl(a=1)": true, "laplace(gamma=1)": true, "rbf(gamma=1) + linear()": true, "rbf(gamma=median)": false} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(k, isSparse); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	x := randomMatrix(5, 2, 1)
	matrix.Row(x, 3)[1] = math.NaN()
	for _, text := range []string{"sne(gamma=1)", "t()", "linear()"} {
		g := newTiles(t, text, false).NewGrid(stream.Engine{}, [2]string{"rows", "columns"}, &Rows{Dense: x}, &Rows{Dense: randomMatrix(4, 2, 2)})
		if _, err := g.Sums(context.Background(), true); err == nil || !strings.Contains(err.Error(), "rows: row 3") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDivide: with an estimated row sum no entry exceeds the weight.
func TestDivide(t *testing.T) {
	for _, text := range []string{"2*sne(gamma=1)", "2*t()"} {
		tile := matrix.New(1, 2)
		tile.Data[1] = 0.5
		newTiles(t, text, false).Divide(tile, []float64{-9})
		for _, v := range tile.Data {
			if !(v <= 2) {
				t.Errorf("%s: an entry of %v", text, v)
			}
		}
	}
}

// TestNormaliser compares normalised kernels with their definition: tiles, transposed tiles and the diagonal, at any
// scale, and where exponentials overflow.
func TestNormaliser(t *testing.T) {
	const m, n = 70, 1100 // several tiles of each
	x, z := positive(m, 3, 1), positive(n, 3, 2)
	for _, c := range []struct {
		text  string
		of    func(x, z []float64) float64 // logarithm
		scale float64
	}{
		{"softmax(scale=0.7)", func(x, z []float64) float64 { return 0.7 * dense.Dot(x, z) }, 1},
		{"softmax(scale=4000)", func(x, z []float64) float64 { return 4000 * dense.Dot(x, z) }, 1},
		{"3*t()", func(x, z []float64) float64 { return -math.Log1p(squared(x, z)) }, 0.25},
		{"sne(gamma=2)", func(x, z []float64) float64 { return -squared(x, z) / 4 }, 1 << 20},
	} {
		k, err := kernelgen.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		tl, err := New(k, false)
		if err != nil {
			t.Fatal(err)
		}
		const each = 2.0
		tl.SetNormaliser(z, each)
		tl.SetScale(c.scale)
		want := matrix.New(m, n)
		for i := range m {
			row, most, sum := matrix.Row(want, i), math.Inf(-1), 0.0
			for j := range row {
				row[j] = c.of(matrix.Row(x, i), matrix.Row(z, j))
				most = max(most, row[j])
			}
			for _, v := range row {
				sum += each * math.Exp(v-most)
			}
			for j, v := range row {
				row[j] = k.Weight() * c.scale * math.Exp(v-most) / sum
			}
		}
		check := func(what string, got, want blas64.General) {
			t.Helper()
			for i, v := range want.Data {
				if !(math.Abs(got.Data[i]-v) <= 1e-9*c.scale) {
					t.Fatalf("%s: %s: entry %d is %g, want %g", c.text, what, i, got.Data[i], v)
				}
			}
		}
		got, back := matrix.New(m, n), matrix.New(n, m)
		tl.FillDense(got, x, &Rows{Dense: z}, nil)
		check("tile", got, want)
		landmarks := &Rows{Dense: x}
		if err := tl.CacheSums(t.Context(), stream.Engine{Threads: 2}, landmarks); err != nil {
			t.Fatal(err)
		}
		tl.FillTransposed(back, z, landmarks, nil)
		check("transposed", back, matrix.Transpose(want))
		self, err := New(k, false)
		if err != nil {
			t.Fatal(err)
		}
		self.SetNormaliser(x, 1)
		diagonal, square := matrix.New(m, 1), matrix.New(m, m)
		self.Diagonal(diagonal.Data, x)
		self.FillDense(square, x, &Rows{Dense: x}, nil)
		for i, v := range diagonal.Data {
			if math.Abs(v-matrix.Row(square, i)[i]) > 1e-12*v {
				t.Errorf("%s: diagonal %d is %g, not %g", c.text, i, v, matrix.Row(square, i)[i])
			}
		}
	}
}

// positive returns rows of positive numbers.
func positive(rows, cols int, seed uint64) blas64.General {
	x := matrix.New(rows, cols)
	sketch.NewRandom(seed, "rows").Normals(x)
	for i, v := range x.Data {
		x.Data[i] = math.Abs(v)
	}
	return x
}
