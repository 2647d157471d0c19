package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
)

// typed FILE writes an Arrow file with a timestamp, a date, a boolean, a number, a time and
// a duration in each row.
func typed() {
	if err := writeTyped(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeTyped(path string) error {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "when", Type: arrow.FixedWidthTypes.Timestamp_ms}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "paid", Type: arrow.FixedWidthTypes.Boolean}, {Name: "price", Type: arrow.PrimitiveTypes.Float64},
		{Name: "at", Type: arrow.FixedWidthTypes.Time64us}, {Name: "took", Type: arrow.FixedWidthTypes.Duration_s}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range 40 {
		at := start.Add(time.Duration(i) * 31 * time.Hour)
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(at.UnixMilli()))
		b.Field(1).(*array.Date32Builder).Append(arrow.Date32FromTime(at))
		b.Field(2).(*array.BooleanBuilder).Append(i%3 == 0)
		b.Field(3).(*array.Float64Builder).Append(float64(i*i%17) / 4)
		b.Field(4).(*array.Time64Builder).Append(arrow.Time64(i) * 60e6)
		b.Field(5).(*array.DurationBuilder).Append(arrow.Duration(i) + 7)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(w.Write(b.NewRecord()), w.Close(), f.Close())
}
