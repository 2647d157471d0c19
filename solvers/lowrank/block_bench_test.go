package lowrank

import (
	"context"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// BenchmarkPassAllocations reports the allocations per block of a pass of S3SPSD, from the difference between a long
// pass and a short one.
func BenchmarkPassAllocations(b *testing.B) {
	const short, long, rows = 16, 272, 512
	ctx := context.Background()
	e := stream.Engine{Threads: 1, BlockRows: rows}
	pass := func(blocks int) func() {
		x := clusters(blocks*rows, 8, 3)
		m := S3SPSD{Rank: 8, Sketch: 40, NNZ: 1, Seed: 1} // few landmarks: rows of C are allocated at them
		size, err := fitSizes(int64(x.Rows), m.Rank, m.Sketch, m.NNZ, m.LeverageRows)
		if err != nil {
			b.Fatal(err)
		}
		f, err := m.begin(ctx, e, stream.FromMatrix("x", x), kernelgen.RBF(1), int64(x.Rows), size)
		if err != nil {
			b.Fatal(err)
		}
		return func() {
			if err := f.stream(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
	few, many := pass(short), pass(long)
	for b.Loop() {
		extra := testing.AllocsPerRun(3, many) - testing.AllocsPerRun(3, few)
		b.ReportMetric(extra/(long-short), "allocs/block")
	}
}
