package stream

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/opening"
)

// numbers is an accumulator of the blocks added, in order.
type numbers struct{ rows []int64 }

func (n *numbers) Merge(later *numbers) error {
	n.rows = append(n.rows, later.rows...)
	return nil
}
func (n *numbers) MarshalBinary() ([]byte, error) { return nil, nil }
func (n *numbers) UnmarshalBinary([]byte) error   { return nil }

// noted is a source that records which rows are read.
type noted struct {
	*RowNumbers
	read   []bool
	passes atomic.Int64

	seekCost int64
}

func (s *noted) Info() Info {
	info := s.RowNumbers.Info()
	info.SeekCost = s.seekCost
	return info
}

func (s *noted) Open(ctx context.Context, first int64) (Reader, error) {
	if opening.IsNew(ctx, s) {
		s.passes.Add(1)
	}
	r, err := s.RowNumbers.Open(ctx, first)
	return &notedReader{r, s, first}, err
}

type notedReader struct {
	Reader
	s    *noted
	next int64
}

func (r *notedReader) Read(dst *Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	for range n {
		r.s.read[r.next] = true
		r.next++
	}
	return n, err
}

// The blocks of a pass may be added in several calls, each of which reads only its own rows. To a
// source that counts passes they are a single pass.
func TestFoldBlocksInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Engine{Threads: rapid.IntRange(1, 4).Draw(t, "threads"), BlockRows: rapid.IntRange(1, 9).Draw(t, "block")}
		rows := rapid.Int64Range(0, 300).Draw(t, "rows")
		blocks := (rows + int64(e.BlockRows) - 1) / int64(e.BlockRows)
		src := &noted{RowNumbers: &RowNumbers{Name: "rows", Rows: rows}, read: make([]bool, rows), seekCost: 1}
		if rapid.Bool().Draw(t, "slow to open") {
			src.seekCost = 0
		}
		forest := NewForest(func() *numbers { return new(numbers) })
		parts := make([][]blockRange, rapid.IntRange(1, 4).Draw(t, "parts"))
		for at := int64(0); at < blocks || at == 0; {
			end := at + rapid.Int64Range(1, 20).Draw(t, "length")
			p := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			parts[p] = append(parts[p], blockRange{at, end})
			at = end
		}
		passes := 0
		for _, ranges := range parts {
			clear(src.read)
			calls := 0
			err := foldBlocks(context.Background(), e, "", src, forest, ranges, func() func(*numbers, *Block) error {
				return func(a *numbers, b *Block) error {
					a.rows = append(a.rows, b.Start, int64(b.X.Rows))
					return nil
				}
			}, func() error { calls++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			if wanted := slices.ContainsFunc(ranges, func(r blockRange) bool { return r.first == 0 || r.first < blocks }); wanted {
				passes++
			}
			if got := int(src.passes.Load()); got != passes {
				t.Fatalf("%d passes, not %d", got, passes)
			}
			for row, read := range src.read {
				block := int64(row / e.BlockRows)
				if read != slices.ContainsFunc(ranges, func(r blockRange) bool { return r.first <= block && block < r.end }) {
					t.Fatalf("row %d: read %v, of %v", row, read, ranges)
				}
			}
		}
		all, err := forest.Finish(blocks)
		if err != nil {
			t.Fatal(err)
		}
		next := int64(0)
		for i := 0; i < len(all.rows); i += 2 {
			if all.rows[i] != next {
				t.Fatalf("block at %d where %d was to come", all.rows[i], next)
			}
			next += all.rows[i+1]
		}
		if next != rows {
			t.Fatalf("%d rows of %d", next, rows)
		}
	})
}
