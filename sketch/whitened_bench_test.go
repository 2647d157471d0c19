package sketch_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
)

// BenchmarkWhitenedGram adds 8,192 rows to a Gram matrix, by blocks and by tiles.
func BenchmarkWhitenedGram(b *testing.B) {
	const rows, block, together = 8192, 128, 1024
	for _, cols := range []int{520, 1000, 2000} {
		u := gradedTriangle(cols, 0.5)
		by, err := sketch.NewWhitening(u)
		if err != nil {
			b.Fatal(err)
		}
		x := general(random(1024, cols, 3), 0, 1024)
		part := func(first, n int) blas64.General {
			first %= 1024
			return blas64.General{Rows: n, Cols: cols, Stride: x.Stride, Data: x.Data[first*x.Stride:]}
		}
		rate := func(b *testing.B) {
			b.ReportMetric(2*rows*float64(cols*cols)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
		}
		b.Run(fmt.Sprintf("%d/blocks", cols), func(b *testing.B) {
			g := sketch.NewWhitenedGram(by)
			for b.Loop() {
				for first := 0; first < rows; first += 1024 {
					if err := g.Add(part(first, 1024)); err != nil {
						b.Fatal(err)
					}
				}
			}
			rate(b)
		})
		b.Run(fmt.Sprintf("%d/tiles", cols), func(b *testing.B) {
			g, ring := sketch.NewWhitenedGram(by), make([]*sketch.WhitenedRows, 16)
			for i := range ring {
				ring[i] = new(sketch.WhitenedRows)
			}
			for b.Loop() {
				for first := 0; first < rows; first += together {
					group := ring[first/block%16:][:together/block]
					for i, f := range group {
						f.Whiten(part(first+i*block, block), by)
					}
					g.Expect(together)
					for tile := range g.Tiles() {
						g.AddTile(tile, group)
					}
				}
			}
			rate(b)
		})
	}
}
