package stream_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// The results of Map on the parts of a source, concatenated, are those on the whole source, and
// each part has PartRows rows.
func TestMapInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, parts := rapid.IntRange(1, 400).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "parts")
		var src stream.Source = newTable("t", toyData(1, rows, 2, false))
		if rapid.Bool().Draw(t, "sequential") {
			src = sequential{src}
		}
		read := func(e stream.Engine) (out []float64) {
			err := stream.Map(t.Context(), e, "map", src, 1, false, func() func(blas64.General, *stream.Block) error {
				return func(dst blas64.General, b *stream.Block) error {
					for i := range dst.Rows {
						dst.Data[i*dst.Stride] = float64(b.Start) + float64(i) + matrix.Row(b.X, i)[0]
					}
					return nil
				}
			}, func(b *stream.Block, u blas64.General) error {
				for i := range u.Rows {
					out = append(out, u.Data[i*u.Stride])
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
			if int64(len(out)) != e.PartRows(src.Info()) {
				t.Fatalf("part %d of %d has %d rows, not %d", e.Part, e.Parts, len(out), e.PartRows(src.Info()))
			}
			return out
		}
		want, got := read(stream.Engine{Threads: 2, BlockRows: 8}), []float64(nil)
		for p := range parts {
			got = append(got, read(stream.Engine{Threads: 1 + p%3, BlockRows: 8, Part: p + 1, Parts: parts})...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d parts of %d rows are not the rows of one pass", parts, rows)
		}
	})
}
