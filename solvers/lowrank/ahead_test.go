package lowrank

import (
	"context"
	"slices"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// fetching is a source that records the rows gathered by number.
type fetching struct {
	stream.Source
	calls   int
	fetched []int64
}

// Gather records the numbers.
func (s *fetching) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	s.calls++
	s.fetched = append(s.fetched, rows...)
	return stream.Gather(ctx, s.Source, rows, dst)
}

// TestLandmarksAreFetchedWithTheCore: a fit that chooses landmarks fetches all rows it needs before the pass at once,
// and none twice.
func TestLandmarksAreFetchedWithTheCore(t *testing.T) {
	for _, n := range []int{60, 700, 1500, 9000} {
		for _, rule := range []Rule{RuleAuto, RuleDeterminantal, RulePivoted, RuleUniform} {
			for seed := range uint64(3) {
				x := rowsOfBlock(int64(seed), n, 3)
				src := &fetching{Source: stream.FromMatrix("x", x)}
				_, err := Landmark{Rank: 5, Rule: rule, Seed: seed}.Fit(t.Context(), stream.Engine{Threads: 1}, model.Sources{Left: src}, kernelgen.RBF(.5))
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(src.fetched)
				if once := len(slices.Compact(slices.Clone(src.fetched))); src.calls != 1 || once < len(src.fetched) {
					t.Errorf("%d rows, %s, seed %d: %d rows are fetched in %d calls, %d of them again", n, rule, seed, len(src.fetched), src.calls, len(src.fetched)-once)
				}
			}
		}
	}
}
