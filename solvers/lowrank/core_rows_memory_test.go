package lowrank

import (
	"runtime"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestWideRowsAreCopiedSeldom counts the allocations of a fit of wide rows, in rows of the data. Core rows are copied
// when found rows join them, and once more as columns of tiles.
func TestWideRowsAreCopiedSeldom(t *testing.T) {
	const n, d, rank = 120, 5000, 5
	x := matrix.New(n, d)
	sketch.NewRandom(1, "rows").Normals(x)
	data := model.Sources{Left: stream.FromMatrix("x", x)}
	for _, c := range []struct {
		method Method
		most   uint64 // in rows of the data
	}{
		{SSRSVD{Rank: rank, Seed: 1}, 2250},
		{S3SPSD{Rank: rank, Seed: 1}, 1500},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.method.Fit(t.Context(), stream.Engine{Threads: 1}, data, kernelgen.RBF(1e-4)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if rows := (after.TotalAlloc - before.TotalAlloc) / (8 * d); rows > c.most {
			t.Errorf("%T allocates %d rows, %d are allowed", c.method, rows, c.most)
		}
	}
}
