package blockstore_test

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// Records that a program already has become a source without a copy.
func ExampleFromRecords() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "x", Type: arrow.PrimitiveTypes.Float32},
		{Name: "n", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
	}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	builder.Field(0).(*array.StringBuilder).AppendValues([]string{"a", "b", "c"}, nil)
	builder.Field(1).(*array.Float32Builder).AppendValues([]float32{0.5, 1.5, 2.5}, nil)
	builder.Field(2).(*array.Int16Builder).AppendValues([]int16{7, 0, 9}, []bool{true, false, true})
	record := builder.NewRecord()
	defer record.Release()

	source, err := blockstore.FromRecords(blockstore.Records{
		Name: "my records", Schema: schema, Rows: 3, Keep: []string{"name"},
		Open: func() (array.RecordReader, error) {
			return array.NewRecordReader(schema, []arrow.Record{record})
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reader, err := source.Open(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reader.Close()
	batch := stream.Batch{
		X:    blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 4)},
		Kept: make([]stream.Column, 1),
	}
	for err == nil {
		var n int
		n, err = reader.Read(&batch)
		for i := range n {
			fmt.Println(batch.Kept[0].Strings[i], batch.X.Data[2*i:2*i+2])
		}
	}
	if err != io.EOF {
		fmt.Println(err)
	}
	// Output:
	// a [0.5 7]
	// b [1.5 NaN]
	// c [2.5 9]
}
