package stream_test

import (
	"context"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
)

// alive counts accumulators that were made and not merged into others.
type alive struct {
	now, most *atomic.Int64
}

func (a *alive) Merge(*alive) error             { a.now.Add(-1); return nil }
func (a *alive) MarshalBinary() ([]byte, error) { return nil, nil }
func (a *alive) UnmarshalBinary([]byte) error   { return nil }

// A fold holds no more accumulators than a plan says, however long its runs are.
func TestFoldStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := stream.Engine{Threads: rapid.IntRange(1, 8).Draw(t, "threads"), BlockRows: 4}
		rows := rapid.IntRange(1, 3000).Draw(t, "rows")
		src := newTable("x", randomMatrix(1, rows, 1))
		src.info.Lead = rapid.SampledFrom([]int64{0, 1, 5, 20, 70}).Draw(t, "lead")
		var now, most atomic.Int64
		_, err := stream.Fold(context.Background(), e, "", src, func() *alive {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return &alive{&now, &most}
		}, func() func(*alive, *stream.Block) error {
			return func(*alive, *stream.Block) error { return nil }
		})
		if err != nil || now.Load() != 1 {
			t.Fatalf("%d are left, %v", now.Load(), err)
		}
		if plan := e.FoldStates(int64(rows), 1); most.Load() > plan {
			t.Fatalf("%d accumulators at a time, %d planned", most.Load(), plan)
		}
	})
}

// The result and the first error in the data do not depend on threads, nor on how long
// runs of blocks are.
func TestFoldAnyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 900).Draw(t, "rows")
		block := rapid.IntRange(1, 12).Draw(t, "block")
		bad := rapid.SliceOfN(rapid.IntRange(0, 2*rows), 0, 4).Draw(t, "bad rows")
		unreadable := rapid.IntRange(0, 4*rows).Draw(t, "unreadable row")
		run := func(threads int, lead int64) (*sums, error) {
			src := newTable("x", randomMatrix(9, rows, 2))
			src.info.Lead = lead
			src.step = odd(uint64(threads))
			src.before = func(row int) error {
				if row/block >= unreadable/block {
					return rowError{"unreadable", unreadable / block}
				}
				return nil
			}
			return stream.Fold(context.Background(), stream.Engine{Threads: threads, BlockRows: block}, "", src, newSums, func() func(*sums, *stream.Block) error {
				return func(s *sums, b *stream.Block) error {
					for _, row := range bad {
						if row >= int(b.Start) && row < int(b.Start)+b.X.Rows {
							return rowError{"bad", row / block}
						}
					}
					return s.add(b)
				}
			})
		}
		want, wantErr := run(1, 0)
		for range 3 {
			got, err := run(rapid.IntRange(1, 6).Draw(t, "threads"), rapid.SampledFrom([]int64{0, 1, 3, 10, 50}).Draw(t, "lead"))
			if err != wantErr {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			if err == nil && !sameBits(got.sum, want.sum) {
				t.Fatalf("%v, want %v", got.sum, want.sum)
			}
		}
	})
}

// rowError is an error in a block.
type rowError struct {
	what  string
	block int
}

func (e rowError) Error() string { return e.what }
