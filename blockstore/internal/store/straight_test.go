package store

import (
	"math"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// Numbers converted directly have the same bits as kept ones, with and without nulls, compressed or not.
func TestStoreDirectConversionKeepsBits(t *testing.T) {
	const n = maxChunkRows + 900
	specials := filetest.Specials()
	info := stream.Info{Columns: stream.NumberedColumns(2), Rows: n}
	for _, name := range []string{"a", "b"} {
		info.Kept = append(info.Kept, stream.Field{Name: name}, stream.Field{Name: name + "int", Kind: stream.Int64})
	}
	batch := column.NewBatch(info, n)
	for i := range n {
		batch.X.Data[2*i], batch.X.Data[2*i+1] = specials[i*i%len(specials)], math.Sin(float64(i))
		for k := range batch.Kept {
			switch c := &batch.Kept[k]; {
			case k < 2 && filetest.IsNull(i):
				column.AppendNull(c)
				continue
			case c.Kind == stream.Int64:
				c.Ints = append(c.Ints, 1<<53+int64(i%5)-int64(i%3)<<40)
			default:
				c.Floats = append(c.Floats, specials[i*i*i%len(specials)])
			}
			column.AppendValid(&batch.Kept[k])
		}
	}
	for _, compress := range []bool{false, true} {
		tb, err := Open(t.Context(), nil, writeStore(t, info, batch, compress))
		if err != nil {
			t.Fatal(err)
		}
		filetest.CheckStraight(t, tb)
		filetest.CheckSlots(t, tb)
	}
}

// A few distant columns are read without the sections between them, in any order.
func TestStoreFewOfManyColumns(t *testing.T) {
	const n, d = 5000, 40 // sections of 32 kB
	info := stream.Info{Columns: stream.NumberedColumns(d), Rows: n}
	batch := column.NewBatch(info, n)
	for i := range batch.X.Data {
		batch.X.Data[i] = float64(i)
	}
	for _, compress := range []bool{false, true} {
		tb, err := Open(t.Context(), nil, writeStore(t, info, batch, compress))
		if err != nil {
			t.Fatal(err)
		}
		chosen := []int{30, 2, 39, 0, 31, 34, 5}
		src, err := column.Choose(tb, chosen, []int{2, 20})
		if err != nil {
			t.Fatal(err)
		}
		rows, kept, err := filetest.Slurp(src, 700)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for k, c := range chosen {
				if row[k] != float64(i*d+c) {
					t.Fatalf("row %d: column %d is %v", i, c, row[k])
				}
			}
			if kept[0].Floats[i] != float64(i*d+2) || kept[1].Floats[i] != float64(i*d+20) {
				t.Fatalf("row %d: kept %v and %v", i, kept[0].Floats[i], kept[1].Floats[i])
			}
		}
	}
}
