package verb

import (
	"slices"
	"testing"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Exactly the types that Parquet lacks are reported.
func TestParquetChanges(t *testing.T) {
	for text, want := range map[string][]string{
		"duration(ms)":                {"a (duration(ms) becomes int64)"},
		"dictionary":                  {"a (dictionary becomes text)"},
		"timestamp(s)":                {"a (timestamp(s) becomes timestamp(ms))"},
		"timestamp(us,Europe/Berlin)": {"a (timestamp(us,Europe/Berlin) becomes timestamp(us,UTC))"},
		"time(s)":                     {"a (time(s) becomes time(ms))"},
		"date(ms)":                    {"a (date(ms) becomes date)"},
		"float16":                     {"a (float16 becomes float32)"},
		"decimal(60,0)":               {"a (decimal(60,0): most programs read no more than 38 digits)"},
		"timestamp(ns)":               nil,
		"timestamp(us,UTC)":           nil,
		"time(ns)":                    nil,
		"date":                        nil,
		"decimal(38,10)":              nil,
		"int64":                       nil,
		"uint8":                       nil,
		"text":                        nil,
		"uuid":                        nil,
		"bytes(3)":                    nil,
	} {
		of, err := logical.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := parquetChanges([]stream.Field{stream.FieldOf("a", of)}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
