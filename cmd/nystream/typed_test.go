package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/decimal128"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
)

// typed FILE [COLUMN...] writes an Arrow file with a timestamp, a date, a boolean, a number, a
// time and a duration in each row, or with columns of these and of the decimal exact.
func typed() {
	names := os.Args[2:]
	if len(names) == 0 {
		names = []string{"when", "day", "paid", "price", "at", "took"}
	}
	if err := writeTyped(os.Args[1], names); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeTyped(path string, names []string) error {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "when", Type: arrow.FixedWidthTypes.Timestamp_ms}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "paid", Type: arrow.FixedWidthTypes.Boolean}, {Name: "price", Type: arrow.PrimitiveTypes.Float64},
		{Name: "at", Type: arrow.FixedWidthTypes.Time64us}, {Name: "took", Type: arrow.FixedWidthTypes.Duration_s},
		{Name: "exact", Type: &arrow.Decimal128Type{Precision: 38, Scale: 10}}}, nil)
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
		b.Field(6).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(i)))
	}
	all := b.NewRecord()
	var fields []arrow.Field
	var columns []arrow.Array
	for _, name := range names {
		i := schema.FieldIndices(name)[0]
		fields, columns = append(fields, schema.Field(i)), append(columns, all.Column(i))
	}
	schema = arrow.NewSchema(fields, nil)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(w.Write(array.NewRecord(schema, columns, all.NumRows())), w.Close(), f.Close())
}
