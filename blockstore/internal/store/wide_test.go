package store

import (
	"runtime"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// Opening and reading a store of many columns allocates at most 800 bytes for each column.
func TestWideStoreAllocatesLittle(t *testing.T) {
	const d = 50_000
	info := stream.Info{Columns: stream.NumberedColumns(d), Rows: 2}
	path := writeStore(t, info, column.NewBatch(info, 2), false)
	chosen := make([]int, d)
	for i := range chosen {
		chosen[i] = i
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	store, err := Open(t.Context(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(store, chosen, nil)
	if err != nil {
		t.Fatal(err)
	}
	filetest.MustRead(t, src, 2)
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / d; each > 800 { // 470, and half as much again under the race detector
		t.Errorf("%d bytes for each column, 800 are allowed", each)
	}
}
