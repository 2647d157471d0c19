package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

func TestColumnAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]stream.ColumnKind{stream.Float64, stream.Int64, stream.String}).Draw(t, "kind")
		dst := stream.Column{Kind: kind}
		want := []any(nil)
		if rapid.Bool().Draw(t, "used before") {
			other := drawColumn(t, kind)
			dst.Append(&other, 0, other.Len())
			dst.Reset()
			if dst.Len() != 0 || dst.Valid != nil {
				t.Fatalf("after a reset: %+v", dst)
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "appends") {
			src := drawColumn(t, kind)
			first := rapid.IntRange(0, src.Len()).Draw(t, "first")
			last := rapid.IntRange(first, src.Len()).Draw(t, "last")
			dst.Append(&src, first, last)
			want = append(want, values([]stream.Column{src})[0][first:last]...)
		}
		if diff := cmp.Diff(want, values([]stream.Column{dst})[0]); diff != "" || dst.Len() != len(want) {
			t.Fatalf("%d values: %s", dst.Len(), diff)
		}
		if dst.Valid != nil && len(dst.Valid) != len(want) {
			t.Fatalf("%d marks for %d values", len(dst.Valid), len(want))
		}
	})
}

// drawColumn returns a column of up to 5 values, with or without nulls.
func drawColumn(t *rapid.T, kind stream.ColumnKind) stream.Column {
	c := stream.Column{Kind: kind}
	n := rapid.IntRange(0, 5).Draw(t, "values")
	for i := range n {
		switch kind {
		case stream.Float64:
			c.Floats = append(c.Floats, float64(i)+0.5)
		case stream.Int64:
			c.Ints = append(c.Ints, int64(i))
		default:
			c.Strings = append(c.Strings, string(rune('a'+i)))
		}
	}
	if rapid.Bool().Draw(t, "nulls") {
		c.Valid = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "valid")
	}
	return c
}

func TestColumnKinds(t *testing.T) {
	checkPanic(t, "another kind", func() {
		c := stream.Column{Kind: stream.Int64}
		c.Append(&stream.Column{Kind: stream.String, Strings: []string{"a"}}, 0, 1)
	})
	c := stream.Column{Kind: stream.String, Strings: []string{"a", "b"}, Valid: []bool{false, true}}
	if !c.Null(0) || c.Null(1) || c.Len() != 2 {
		t.Errorf("%v, %v, %d", c.Null(0), c.Null(1), c.Len())
	}
	if c.Valid = nil; c.Null(0) {
		t.Error("null without a mark")
	}
}

// A decimal uses two slices, whose lengths stay equal under all operations. Code that ignores the
// logical type gets both.
func TestExactColumns(t *testing.T) {
	decimal := logical.Type{Class: logical.Decimal, Precision: 3, Scale: 1}
	src := stream.Column{Kind: stream.Float64, Type: decimal, Floats: []float64{1, 2, 3}, Strings: []string{"a", "b", "c"}, Valid: []bool{true, false, true}}
	var c stream.Column
	c.Append(&src, 0, 3)
	c.Move(0, 2)
	c.Append(&src, 1, 2)
	c.Truncate(3)
	want := stream.Column{Kind: stream.Float64, Type: decimal, Floats: []float64{3, 2, 3}, Strings: []string{"c", "b", "c"}, Valid: []bool{true, false, true}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	c.Reset()
	c.Append(&stream.Column{Kind: stream.Float64, Floats: []float64{7}}, 0, 1)
	if c.Len() != 1 || c.Type.Class != logical.None || len(c.Strings) != 0 {
		t.Errorf("%+v", c)
	}
	if got := stream.FieldOf("x", logical.Type{Class: logical.UUID}); got.Kind != stream.String || got.Logical().Class != logical.UUID || stream.FieldOf("y", logical.Int64).Type.Class != logical.None {
		t.Errorf("%+v", got)
	}
}
