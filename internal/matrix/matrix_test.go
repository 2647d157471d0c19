package matrix

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// padding is the value between the rows of a padded matrix, which must be neither read nor written.
const padding = -77

// padded returns a rows×cols matrix of distinct numbers with a gap after each row. Data ends with the last row.
func padded(rows, cols, gap int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols+gap)}
	if rows > 0 && cols > 0 {
		m.Data = slices.Repeat([]float64{padding}, (rows-1)*m.Stride+cols)
	}
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = float64(100*i + j)
		}
	}
	return m
}

// shapes yields padded and dense matrices, some of them empty.
func shapes(f func(m blas64.General)) {
	for _, s := range [][3]int{{0, 0, 0}, {0, 3, 0}, {3, 0, 0}, {3, 0, 2}, {1, 1, 0}, {1, 1, 4}, {4, 3, 0}, {4, 3, 2}, {5, 1, 3}} {
		f(padded(s[0], s[1], s[2]))
	}
}

// check compares m with the entries given by want.
func check(t *testing.T, what string, m blas64.General, rows, cols int, want func(i, j int) float64) {
	t.Helper()
	if m.Rows != rows || m.Cols != cols || m.Stride < max(1, cols) {
		t.Fatalf("%s is %d×%d with stride %d, want %d×%d", what, m.Rows, m.Cols, m.Stride, rows, cols)
	}
	for i := range rows {
		for j := range cols {
			if got := m.Data[i*m.Stride+j]; got != want(i, j) {
				t.Errorf("%s (%d, %d) is %v, want %v", what, i, j, got, want(i, j))
			}
		}
	}
}

// checkGaps fails if a number between rows was changed.
func checkGaps(t *testing.T, m blas64.General) {
	t.Helper()
	for k, v := range m.Data {
		if k%m.Stride >= m.Cols && v != padding {
			t.Errorf("number %d, between rows, is %v", k, v)
		}
	}
}

func TestCopies(t *testing.T) {
	shapes(func(m blas64.General) {
		c := Clone(m)
		check(t, "clone", c, m.Rows, m.Cols, func(i, j int) float64 { return m.Data[i*m.Stride+j] })
		check(t, "transpose", Transpose(m), m.Cols, m.Rows, func(i, j int) float64 { return m.Data[j*m.Stride+i] })
		Clear(m)
		check(t, "cleared", m, m.Rows, m.Cols, func(i, j int) float64 { return 0 })
		check(t, "clone of what is cleared", c, m.Rows, m.Cols, func(i, j int) float64 { return float64(100*i + j) })
		Copy(m, c)
		check(t, "copy", m, m.Rows, m.Cols, func(i, j int) float64 { return float64(100*i + j) })
		checkGaps(t, m)
	})
}

// Parts of a matrix share its memory, and may be empty at any edge.
func TestPartsShareMemory(t *testing.T) {
	shapes(func(m blas64.General) {
		for i := range m.Rows + 1 {
			for n := range m.Rows - i + 1 {
				check(t, "rows", Rows(m, i, n), n, m.Cols, func(r, j int) float64 { return float64(100*(i+r) + j) })
				for j := range m.Cols + 1 {
					for k := range m.Cols - j + 1 {
						b := Block(m, i, j, n, k)
						check(t, "block", b, n, k, func(r, c int) float64 { return float64(100*(i+r) + j + c) })
						if n > 0 && k > 0 && &b.Data[0] != &m.Data[i*m.Stride+j] {
							t.Error("a block does not share memory")
						}
					}
				}
			}
		}
		for j := range m.Cols + 1 {
			check(t, "columns", Columns(m, j, m.Cols-j), m.Rows, m.Cols-j, func(i, c int) float64 { return float64(100*i + j + c) })
		}
		for i := range m.Rows {
			if row := Row(m, i); len(row) != m.Cols {
				t.Errorf("row of %d numbers, want %d", len(row), m.Cols)
			}
		}
	})
}

func TestRowsPanicOutOfRange(t *testing.T) {
	for _, c := range [][2]int{{-1, 1}, {0, -1}, {0, 5}, {4, 1}, {math.MaxInt, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d rows from %d on: no panic", c[1], c[0])
				}
			}()
			Rows(padded(4, 2, 1), c[0], c[1])
		}()
	}
}

func TestReuse(t *testing.T) {
	var buf []float64
	Reuse(&buf, 2, 3).Data[5] = 7
	if m := Reuse(&buf, 3, 2); m.Data[5] != 7 || len(m.Data) != 6 {
		t.Errorf("memory that suffices was not used: %+v", m)
	}
	if m := Reuse(&buf, 3, 3); len(m.Data) != 9 || len(buf) != 9 {
		t.Errorf("%+v in %d numbers", m, len(buf))
	}
	if m := Reuse(&buf, 3, 0); m.Stride != 1 || len(m.Data) != 0 {
		t.Errorf("no columns: %+v", m)
	}
}

func TestAxpy(t *testing.T) {
	y := []float64{1, 2}
	if Axpy(3, []float64{10, -20}, y); !slices.Equal(y, []float64{31, -58}) {
		t.Error(y)
	}
	Axpy(3, nil, nil)
}

func TestIsFinite(t *testing.T) {
	inf, tiny := math.Inf(1), math.SmallestNonzeroFloat64
	for _, v := range []float64{0, math.Copysign(0, -1), 1, tiny, -tiny, 0x1p-1022, 1e-200, 1e200, math.MaxFloat64, -math.MaxFloat64} {
		if !IsFinite(v) {
			t.Errorf("%v is finite", v)
		}
	}
	for _, v := range []float64{inf, -inf, math.NaN(), math.Float64frombits(0xfff0000000000001), math.MaxFloat64 * (1 + tiny) * 2} {
		if IsFinite(v) {
			t.Errorf("%v is not finite", v)
		}
	}
}

// An inexact product is finite even if the compiler fuses it with the following difference: a·b − fl(a·b) is not 0.
func TestIsFiniteOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inexact := 0
	for range 1000 {
		a, b := r.NormFloat64(), r.NormFloat64()
		if !IsFinite(a*b) || !IsFinite(a*b+a) {
			t.Fatalf("%v·%v is finite", a, b)
		}
		if _, exact := new(big.Float).SetPrec(106).Mul(big.NewFloat(a), big.NewFloat(b)).Float64(); exact != big.Exact {
			inexact++
		}
	}
	if inexact < 900 {
		t.Errorf("only %d products were rounded", inexact)
	}
}
