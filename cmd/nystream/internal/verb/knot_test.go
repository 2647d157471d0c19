package verb

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Rows deviate from the planes of the knot by the noise, and do not depend on the first row of a file.
func TestKnotRows(t *testing.T) {
	k, x := newKnot(1), make([]float64, knotDimension)
	v, off := blas64.Vector{N: knotDimension, Inc: 1, Data: x}, 0.0
	const rows = 2000
	for i := range uint64(rows) {
		k.row(i, x)
		for j := range k.frame.Rows {
			blas64.Axpy(-blas64.Dot(k.direction(j), v), k.direction(j), v)
		}
		off += blas64.Dot(v, v) / (knotDimension - 4) / rows
	}
	if got := math.Sqrt(off); math.Abs(got/knotNoise-1) > 0.03 {
		t.Errorf("noise %v, want %v", got, knotNoise)
	}
	whole, part := filepath.Join(t.TempDir(), "whole.parquet"), filepath.Join(t.TempDir(), "part.parquet")
	if err := k.write(t.Context(), whole, 0, 10000); err != nil {
		t.Fatal(err)
	}
	if err := newKnot(1).write(t.Context(), part, 5000, 5000); err != nil {
		t.Fatal(err)
	}
	a, err := readColumns(t.Context(), whole, "x*")
	b, err2 := readColumns(t.Context(), part, "x*")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Data[5000*knotDimension:], b.Data) {
		t.Error("rows depend on where a file begins")
	}
	newKnot(2).row(7, x)
	if y := make([]float64, knotDimension); k.row(7, y) < 0 || slices.Equal(x, y) {
		t.Error("two seeds, one row 7")
	}
}
