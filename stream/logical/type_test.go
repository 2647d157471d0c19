package logical

import (
	"strings"
	"testing"
)

// The name of a type determines the type.
func TestNameDeterminesType(t *testing.T) {
	for _, name := range []string{"bool", "int8", "uint64", "float16", "float32", "text", "decimal(38,10)", "decimal(5,-2)", "date", "date(ms)", "time(ns)",
		"time(us,UTC)", "timestamp(s)", "timestamp(us,Europe/Berlin)", "duration(ms)", "bytes", "bytes(5)", "unmarked", "uuid", "enum", "dictionary", "json",
		`list<"item":float32>`, `list(384)<"item":float32>`, `struct<"a, \"b\"":int8,"c":list<"":text>>`, `map<"key":text,"value":struct<"x":bool>>`} {
		got, err := Parse(name)
		if err != nil || got.String() != name || !got.Equal(got) || got.Equal(Type{}) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "int", "int7", "float8", "decimal", "decimal(0,0)", "decimal(77,1)", "timestamp(days)", "duration(us,UTC)", "list", "list<>",
		`list(0)<"a":int8>`, `list(<"a":int8>`, `struct(2)<"a":int8>`, `list<"a":int8`, `list<"a":int8,"b":int8>`, `map<"a":int8>`, "uuid(3)", "text9", "int8 ", strings.Repeat(`list<"":`, 70)} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got, err := Parse("timestamp"); err != nil || got.Unit != Microsecond {
		t.Error(got, err)
	}
}
