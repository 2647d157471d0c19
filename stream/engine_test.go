package stream_test

import (
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

func TestBlockRows(t *testing.T) {
	for d, want := range map[int]int{0: 8192, 1: 8192, 20: 8192, 32: 8192, 33: 4096, 128: 2048, 784: 256, 1024: 256, 1 << 20: 256} {
		if got := stream.BlockRows(d); got != want {
			t.Errorf("BlockRows(%d) = %d, want %d", d, got, want)
		}
	}
}

func TestWorkers(t *testing.T) {
	if got := (stream.Engine{}).Workers(); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers", got)
	}
	if got := (stream.Engine{Threads: 7}).Workers(); got != 7 {
		t.Errorf("%d workers", got)
	}
	if got, want := (stream.Engine{Threads: 99999}).Workers(), max(32, 4*runtime.GOMAXPROCS(0)); got != want {
		t.Errorf("%d workers of 99999, want %d", got, want)
	}
}

func TestRowSlice(t *testing.T) {
	m := randomMatrix(1, 5, 2)
	m.Data = m.Data[:4*m.Stride+m.Cols] // the last row has no padding
	s := matrix.Rows(m, 2, 3)
	if s.Rows != 3 || s.Cols != 2 || s.Stride != m.Stride || !sameBits(matrix.Row(s, 2), matrix.Row(m, 4)) {
		t.Errorf("%+v", s)
	}
	s.Data[0] = 42
	if m.Data[2*m.Stride] != 42 {
		t.Error("the slice does not share its data")
	}
	if s := matrix.Rows(m, 5, 0); s.Rows != 0 || s.Cols != 2 {
		t.Errorf("no rows: %+v", s)
	}
	for _, c := range [][2]int{{-1, 1}, {0, -1}, {0, 6}, {5, 1}} {
		checkPanic(t, "rows from row", func() { matrix.Rows(m, c[0], c[1]) })
	}
}

func TestPanelsCoverTheBlock(t *testing.T) {
	b := &stream.Block{X: randomMatrix(1, 10, 2)}
	next := 0
	for first, x := range b.Panels(4) {
		if first != next || x.Rows != []int{4, 4, 2}[first/4] || !sameBits(matrix.Row(x, 0), matrix.Row(b.X, first)) {
			t.Errorf("panel at %d of %d rows", first, x.Rows)
		}
		next += x.Rows
	}
	if next != 10 {
		t.Errorf("%d rows", next)
	}
	for range b.Panels(4) {
		break
	}
	for range (&stream.Block{X: blas64.General{Cols: 2, Stride: 2}}).Panels(4) {
		t.Error("a panel of no rows")
	}
}
