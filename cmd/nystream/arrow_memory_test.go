package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// largeBatch returns rows of 4 numbers and a text, much larger than the rest of a fit.
func largeBatch(rows int) arrow.Record {
	fields := []arrow.Field{{Name: "name", Type: arrow.BinaryTypes.String}}
	for j := range 4 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("x", j), Type: arrow.PrimitiveTypes.Float64})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.StringBuilder).Append("0123456"[i%7 : i%7+1])
		for j := range 4 {
			b.Field(1 + j).(*array.Float64Builder).Append(float64((i*(j+3))%1000) / 64)
		}
	}
	return b.NewRecord()
}

// writeBatches writes a batch several times to an Arrow file or stream.
func writeBatches(t *testing.T, path string, batch arrow.Record, times int, asFile bool, option ipc.Option) {
	t.Helper()
	schema := batch.Schema()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var w interface {
		Write(arrow.Record) error
		Close() error
	}
	if asFile {
		w, err = ipc.NewFileWriter(f, ipc.WithSchema(schema), option)
	} else {
		w = ipc.NewWriter(f, ipc.WithSchema(schema), option)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range times {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A fit of an Arrow file with large compressed batches stays within its plan if --memory equals the plan, with one or
// several readers. Each reader unpacks one batch; another one would be 32 MB.
func TestArrowMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; it runs without -short")
	}
	if app.PeakRSS() == 0 {
		t.Skip("this system does not tell the peak memory of a process; Linux and macOS do")
	}
	folder := t.TempDir()
	const rows = 1_000_000
	batch := largeBatch(rows)
	defer batch.Release()
	for _, c := range []struct {
		name    string
		asFile  bool
		option  ipc.Option
		batches int
		threads []int
	}{
		{"zstd.arrow", true, ipc.WithZstd(), 2, []int{1, 2}},
		{"lz4.arrow", true, ipc.WithLZ4(), 1, []int{1}},
		{"zstd.arrows", false, ipc.WithZstd(), 2, []int{1}},
	} {
		writeBatches(t, folder+"/"+c.name, batch, c.batches, c.asFile, c.option)
		for _, threads := range c.threads {
			flags := fmt.Sprintf("fit s3spsd %s --columns x* --label name --kernel rbf(gamma=0.1) --rank 5 --threads %d", c.name, threads)
			plan := process(t, folder, "plan "+flags)
			fit := process(t, folder, fmt.Sprintf("%s -o m.npz --memory %d", flags, plan.MemoryBytes))
			t.Logf("%.1f MiB planned, %.1f MiB at the peak: %s", float64(plan.MemoryBytes)/(1<<20), float64(fit.PeakRSSBytes)/(1<<20), flags)
			if least := int64(4 * 8 * rows); plan.MemoryBytes < least {
				t.Errorf("%s: %d bytes planned, a batch has %d", flags, plan.MemoryBytes, least)
			}
			if fit.PeakRSSBytes > plan.MemoryBytes+testProgramBytes {
				t.Errorf("%s: %d bytes at the peak, %d planned", flags, fit.PeakRSSBytes, plan.MemoryBytes)
			}
		}
	}
}
