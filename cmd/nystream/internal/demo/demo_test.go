package demo

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// TestKnot checks that rows lie near the knot, depend on seed and number alone,
// and are the same however they are written.
func TestKnot(t *testing.T) {
	k, x := newKnot(1), stream.NewMatrix(2, knotDimension)
	var off float64
	const rows = 2000
	for i := range uint64(rows) {
		v := matrixRow(x, 0)
		k.row(i, v)
		for j := range k.frame.Rows {
			u := matrixRow(k.frame, j)
			blas64.Axpy(-blas64.Dot(u, v), u, v)
		}
		off += blas64.Dot(v, v) / (knotDimension - 4) / rows
	}
	if got := math.Sqrt(off); math.Abs(got/knotNoise-1) > 0.03 {
		t.Errorf("noise %v, want %v", got, knotNoise)
	}
	k.row(7, matrixRow(x, 0))
	newKnot(1).row(7, matrixRow(x, 1))
	if !slices.Equal(x.Data[:knotDimension], x.Data[knotDimension:]) {
		t.Error("one seed, two rows 7")
	}
	newKnot(2).row(7, matrixRow(x, 1))
	if slices.Equal(x.Data[:knotDimension], x.Data[knotDimension:]) {
		t.Error("two seeds, one row 7")
	}
	checkKnotFiles(t, k)
}

// checkKnotFiles writes rows 0..9999, and 5000..9999 to another file.
func checkKnotFiles(t *testing.T, k *knot) {
	dir := t.TempDir()
	var data []blas64.General
	for _, first := range []int64{0, 5000} {
		path := filepath.Join(dir, "rows.parquet")
		if err := k.write(t.Context(), path, first, 10000-first); err != nil {
			t.Fatal(err)
		}
		src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Label: "lobe", Keep: []string{"phase"}})
		if err != nil {
			t.Fatal(err)
		}
		if kept := src.Info().Kept; len(kept) != 2 || kept[0].Kind != stream.Int64 || kept[1].Kind != stream.Float64 {
			t.Errorf("kept columns %v", kept)
		}
		x, err := readColumns(t.Context(), path, "x*", "phase")
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, x)
	}
	if !slices.Equal(data[0].Data[5000*(knotDimension+1):], data[1].Data) {
		t.Error("rows depend on where a file begins")
	}
}

// TestPhaseError gives it angles that go the other way round from another zero.
func TestPhaseError(t *testing.T) {
	p := points{embedded: stream.NewMatrix(999, 3)}
	for i := range p.embedded.Rows {
		phase := 360 * float64(i) / 999
		wrong := []float64{-3, 0, 3}[i%3]
		sin, cos := math.Sincos((200 - phase + wrong) * math.Pi / 180)
		copy(p.embedded.Data[3*i:], []float64{2 * cos, 2 * sin, phase})
	}
	if got := p.phaseError(); math.Abs(got-3) > 1e-9 {
		t.Errorf("phase error %v, want 3", got)
	}
}
