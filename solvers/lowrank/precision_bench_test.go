package lowrank

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// BenchmarkPass is what a pass computes before the triangular factor: tiles of
// 200 landmarks, folded to 50 columns, checked and in float64.
func BenchmarkPass(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{3, 20, 128} {
		for _, p := range []Precision{Float64, Float32} {
			b.Run(fmt.Sprintf("d=%d/%v", d, p), func(b *testing.B) {
				uniform := func(_, _ int) float64 { return random.Float64() }
				signs, err := sketch.NewSparseSign(200, 50, 4, 1, "C")
				if err != nil {
					b.Fatal(err)
				}
				t := newTiles(kernelgen.RBF(1), p)
				m := t.embedder(&Embedding{Signs: signs}, t.pack(filled(200, d, uniform), signs.Positions(), signs), "x")
				x := filled(stream.PanelRows, d, uniform)
				for b.Loop() {
					if _, err := m.raw(x, 1<<20); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/stream.PanelRows, "ns/row")
			})
		}
	}
}
