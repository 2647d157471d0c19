package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
)

func TestColumnAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]stream.Kind{stream.Float64, stream.Int64, stream.String}).Draw(t, "kind")
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
func drawColumn(t *rapid.T, kind stream.Kind) stream.Column {
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
