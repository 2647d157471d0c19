package prepare_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// A prepared source yields the same rows from any starting row.
func TestOpening(t *testing.T) {
	holes := randomMatrix(4, 5000, 3)
	for i := range holes.Rows {
		if i%11 == 3 || i > 2000 && i < 3100 || i > 4990 {
			matrix.Row(holes, i)[i%3] = math.NaN()
		}
	}
	seed := uint64(0)
	for _, nulls := range []prepare.Nulls{prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean} {
		for _, block := range []int{1, 100, 4096} {
			for _, raw := range []stream.Source{newTable("prepared", holes).keep(), withoutGather{newTable("skimmed", holes).keep()}} {
				p, err := prepare.New(t.Context(), stream.Engine{BlockRows: block}, raw,
					prepare.Treatment{Nulls: nulls, Scale: prepare.ScaleStandard})
				if err != nil {
					t.Fatal(err)
				}
				conformance.Opening(t, p, seed)
				seed++
			}
		}
	}
}

// Rows are found when others in the same raw block were dropped, whatever the block size.
func TestOpeningAfterDroppedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := randomMatrix(6, rapid.IntRange(1, 60).Draw(t, "rows"), 2)
		for i := range x.Rows {
			if rapid.IntRange(0, 2).Draw(t, "null") == 0 {
				matrix.Row(x, i)[0] = math.Inf(1)
			}
		}
		raw := newTable("x", x).keep()
		raw.step = odd(rapid.Uint64().Draw(t, "steps"))
		p, err := prepare.New(context.Background(), stream.Engine{BlockRows: rapid.IntRange(1, 20).Draw(t,
			"block")}, raw, prepare.Treatment{Nulls: prepare.NullsDrop})
		if err != nil {
			t.Fatal(err)
		}
		conformance.Opening(t, p, rapid.Uint64().Draw(t, "seed"))
	})
}

// If a source of unknown length has fewer rows than counted, the error reports that it changed.
func TestGatherOfFewerRows(t *testing.T) {
	raw := newTable("x", randomMatrix(6, 20, 2))
	raw.info.Rows = -1
	p := prepared(t, raw, prepare.NullsDrop, prepare.ScaleNone)
	raw.x.Rows = 18
	_, err := stream.GatherRows(t.Context(), p, []int64{17})
	checkError(t, err, "x: 20 rows were counted, and it ends after 18: the file changed")
}
