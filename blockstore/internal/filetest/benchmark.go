package filetest

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// WriteNoise writes n rows of d columns of noise.
func WriteNoise(b *testing.B, path string, start column.StartEncoder, n, d int) {
	b.Helper()
	f, err := new(file.Session).Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Abort()
	e, err := start(f, stream.Info{Columns: stream.NumberedColumns(d), Rows: int64(n)})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	batch := &stream.Batch{}
	batch.X.Rows, batch.X.Cols, batch.X.Stride, batch.X.Data = 1000, d, d, make([]float64, 1000*d)
	for range n / 1000 {
		for i := range batch.X.Data {
			batch.X.Data[i] = random.NormFloat64()
		}
		if err := e.Encode(batch, 1000); err != nil {
			b.Fatal(err)
		}
	}
	if err := e.Finish(); err != nil {
		b.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		b.Fatal(err)
	}
}

// MeasurePass reads a table to its end.
func MeasurePass(b *testing.B, tb column.Table) {
	b.Helper()
	src := ChooseAll(b, tb)
	info := src.Info()
	batch := NewBatch(src, 4096)
	b.SetBytes(8 * info.Rows * int64(len(info.Columns)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := src.Open(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Read(batch)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		r.Close()
	}
}
