package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/decimal128"
	"github.com/apache/arrow/go/v16/arrow/float16"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

const goRows = 257

// number returns value i, or nil for a null.
func number(i int, nulls bool, v float64) *string {
	if nulls && i%5 == 2 {
		return nil
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if math.IsNaN(v) {
		text = "NaN"
	}
	return &text
}

// writeSidecar records the contents of a file.
func writeSidecar(path, writer string, list ...columns) error {
	text, err := json.Marshal(sidecar{writer, list})
	if err != nil {
		return err
	}
	return os.WriteFile(path+".json", text, 0o600)
}

// writeGo writes the files of parquet-go and of arrow v16.
func writeGo(folder string) error {
	if err := writeParquet(folder); err != nil {
		return err
	}
	return writeArrow(folder)
}

// writeParquet writes each type in each encoding and compression that parquet-go supports for it.
func writeParquet(folder string) error {
	type column struct {
		name      string
		node      parquet.Node
		value     func(i int) parquet.Value
		encodings []encoding.Encoding
	}
	float := func(i int) float64 { return float64(i-100) / 7 }
	list := []column{
		{"int32", parquet.Leaf(parquet.Int32Type), func(i int) parquet.Value { return parquet.Int32Value(int32(i*1000 - 7)) }, []encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked, &parquet.RLEDictionary}},
		{"int64", parquet.Leaf(parquet.Int64Type), func(i int) parquet.Value { return parquet.Int64Value(int64(i) * 1e10) }, []encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked, &parquet.RLEDictionary}},
		{"float", parquet.Leaf(parquet.FloatType), func(i int) parquet.Value { return parquet.FloatValue(float32(float(i))) }, []encoding.Encoding{&parquet.Plain, &parquet.ByteStreamSplit, &parquet.RLEDictionary}},
		{"double", parquet.Leaf(parquet.DoubleType), func(i int) parquet.Value { return parquet.DoubleValue(float(i)) }, []encoding.Encoding{&parquet.Plain, &parquet.ByteStreamSplit, &parquet.RLEDictionary}},
		{"bool", parquet.Leaf(parquet.BooleanType), func(i int) parquet.Value { return parquet.BooleanValue(i%3 == 0) }, []encoding.Encoding{&parquet.Plain}},
		{"int8", parquet.Int(8), func(i int) parquet.Value { return parquet.Int32Value(int32(int8(i))) }, []encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked}},
		{"uint16", parquet.Uint(16), func(i int) parquet.Value { return parquet.Int32Value(int32(i * 200)) }, []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary}},
		{"uint64", parquet.Uint(64), func(i int) parquet.Value { return parquet.Int64Value(int64(i) * 1e9) }, []encoding.Encoding{&parquet.Plain}},
	}
	codecs := map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw, "brotli": &parquet.Brotli}
	for _, c := range list {
		for e, enc := range c.encodings {
			for codecName, codec := range codecs {
				nulls, version := e%2 == 1, 1+e%2
				node := parquet.Compressed(parquet.Encoded(c.node, enc), codec)
				if nulls {
					node = parquet.Optional(node)
				}
				path := filepath.Join(folder, fmt.Sprintf("parquetgo_%s_%d_%s.parquet", c.name, e, codecName))
				f, err := os.Create(path)
				if err != nil {
					return err
				}
				schema := parquet.NewSchema("odd", parquet.Group{c.name: node, "zz": parquet.String()})
				w := parquet.NewGenericWriter[any](f, schema, parquet.DataPageVersion(version), parquet.PageBufferSize(512))
				said := columns{Name: c.name, Kind: "number"}
				text := columns{Name: "zz", Kind: "text"}
				for i := range goRows {
					v := c.value(i)
					var x float64
					switch v.Kind() {
					case parquet.Boolean:
						x = map[bool]float64{true: 1}[v.Boolean()]
					case parquet.Int32:
						x = float64(v.Int32())
					case parquet.Int64:
						x = float64(v.Int64())
					case parquet.Float:
						x = float64(v.Float())
					default:
						x = v.Double()
					}
					definition := 0
					if nulls {
						definition = 1
						if i%5 == 2 {
							v, definition = parquet.NullValue(), 0
						}
					}
					s := fmt.Sprintf("s%d", i%11)
					if _, err := w.WriteRows([]parquet.Row{{v.Level(0, definition, 0), parquet.ByteArrayValue([]byte(s)).Level(0, 0, 1)}}); err != nil {
						return err
					}
					if i == 150 {
						if err := w.Flush(); err != nil {
							return err
						}
					}
					said.Values, text.Values = append(said.Values, number(i, nulls, x)), append(text.Values, &s)
				}
				if err := errors.Join(w.Close(), f.Close(), writeSidecar(path, "parquet-go", said, text)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeArrow writes each type, in files and streams, plain and compressed, in batches of odd
// lengths.
func writeArrow(folder string) error {
	types := map[string]arrow.DataType{"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16, "int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64,
		"uint8": arrow.PrimitiveTypes.Uint8, "uint16": arrow.PrimitiveTypes.Uint16, "uint32": arrow.PrimitiveTypes.Uint32, "uint64": arrow.PrimitiveTypes.Uint64,
		"float16": arrow.FixedWidthTypes.Float16, "float32": arrow.PrimitiveTypes.Float32, "float64": arrow.PrimitiveTypes.Float64, "bool": arrow.FixedWidthTypes.Boolean,
		"decimal": &arrow.Decimal128Type{Precision: 20, Scale: 3}, "list": arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)}
	options := map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}
	for name, kind := range types {
		for option, more := range options {
			for _, extension := range []string{"arrow", "arrows"} {
				for _, nulls := range []bool{false, true} {
					if nulls && name == "list" {
						continue
					}
					path := filepath.Join(folder, fmt.Sprintf("arrowgo_%s_%s_%t.%s", name, option, nulls, extension))
					if err := writeArrowFile(path, name, kind, nulls, more); err != nil {
						return fmt.Errorf("%s: %w", path, err)
					}
				}
			}
		}
	}
	return nil
}

func writeArrowFile(path, name string, kind arrow.DataType, nulls bool, options []ipc.Option) error {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: kind, Nullable: nulls}, {Name: "s", Type: arrow.BinaryTypes.LargeString}}, nil)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var w interface {
		Write(r arrow.Record) error
		Close() error
	}
	options = append(options, ipc.WithSchema(schema))
	if filepath.Ext(path) == ".arrow" {
		if w, err = ipc.NewFileWriter(f, options...); err != nil {
			return err
		}
	} else {
		w = ipc.NewWriter(f, options...)
	}
	said := []columns{{Name: "x", Kind: "number"}}
	if name == "list" {
		said = []columns{{Name: "x.0", Kind: "number"}, {Name: "x.1", Kind: "number"}}
	}
	text := columns{Name: "s", Kind: "text"}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range goRows {
		values := appendArrow(b.Field(0), i, nulls && i%5 == 2)
		for k := range said {
			said[k].Values = append(said[k].Values, number(i, nulls, values[k]))
		}
		s := fmt.Sprintf("é%d", i)
		b.Field(1).(*array.LargeStringBuilder).Append(s)
		text.Values = append(text.Values, &s)
		if i == 0 || i == 7 || i == goRows-1 {
			r := b.NewRecord()
			err := w.Write(r)
			r.Release()
			if err != nil {
				return err
			}
		}
	}
	return errors.Join(w.Close(), writeSidecar(path, "arrow v16", append(said, text)...))
}

// appendArrow appends value i and returns its numbers.
func appendArrow(b array.Builder, i int, null bool) []float64 {
	if null {
		b.AppendNull()
		return []float64{0}
	}
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(i))
		return []float64{float64(int8(i))}
	case *array.Int16Builder:
		b.Append(int16(i * 100))
		return []float64{float64(i * 100)}
	case *array.Int32Builder:
		b.Append(int32(i * -100000))
		return []float64{float64(i * -100000)}
	case *array.Int64Builder:
		b.Append(int64(i) << 40)
		return []float64{float64(int64(i) << 40)}
	case *array.Uint8Builder:
		b.Append(uint8(i))
		return []float64{float64(uint8(i))}
	case *array.Uint16Builder:
		b.Append(uint16(i * 200))
		return []float64{float64(i * 200)}
	case *array.Uint32Builder:
		b.Append(uint32(i) << 23)
		return []float64{float64(uint32(i) << 23)}
	case *array.Uint64Builder:
		b.Append(uint64(i) << 44)
		return []float64{float64(uint64(i) << 44)}
	case *array.Float16Builder:
		v := float16.New(float32(i) / 4)
		b.Append(v)
		return []float64{float64(v.Float32())}
	case *array.Float32Builder:
		b.Append(float32(i) / 7)
		return []float64{float64(float32(i) / 7)}
	case *array.Float64Builder:
		b.Append(float64(i) / 7)
		return []float64{float64(i) / 7}
	case *array.BooleanBuilder:
		b.Append(i%2 == 0)
		return []float64{map[bool]float64{true: 1}[i%2 == 0]}
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(i*1001 - 5000)))
		v, _ := strconv.ParseFloat(fmt.Sprintf("%de-3", i*1001-5000), 64)
		return []float64{v}
	}
	l := b.(*array.FixedSizeListBuilder)
	l.Append(true)
	values := l.ValueBuilder().(*array.Float32Builder)
	values.AppendValues([]float32{float32(i), float32(i) / 3}, nil)
	return []float64{float64(i), float64(float32(i) / 3)}
}
