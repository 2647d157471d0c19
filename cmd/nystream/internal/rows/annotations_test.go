package rows

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/stream"
)

// TestClasses: numbers are classes if they are whole or few; measurements are refused, as words
// of a text file too.
func TestClasses(t *testing.T) {
	column := func(n int, value func(i int) float64) stream.Column {
		c := stream.Column{Kind: stream.Float64}
		for i := range n {
			c.Floats = append(c.Floats, value(i))
		}
		return c
	}
	words := func(c stream.Column) stream.Column {
		text := stream.Column{Kind: stream.String}
		for _, v := range c.Floats {
			text.Strings = append(text.Strings, fmt.Sprint(v))
		}
		return text
	}
	of := func(distinct int) func(i int) float64 {
		return func(i int) float64 { return float64(i%distinct) + 0.5 }
	}
	for _, c := range []struct {
		name   string
		column stream.Column
		want   string // of the error, "" for none
	}{
		{"halves of few", column(500, of(9)), ""},
		{"whole", column(500, func(i int) float64 { return float64(i) }), ""},
		{"whole and many", column(5000, func(i int) float64 { return float64(i) }), "more than 1000 classes; are these classes?"},
		{"real", column(500, of(500)), "holds real numbers, not classes: 500 different values, such as 250.5, in 500 rows; to predict"},
		{"real and rounded", column(5000, of(21)), "holds real numbers"},
		{"real and short", column(9, of(5)), "holds real numbers"},
		{"real in text", words(column(500, of(500))), "holds real numbers"},
		{"words", stream.Column{Kind: stream.String, Strings: []string{"1.5", "2.5", "x"}}, ""},
		{"one value", column(9, of(1)), "the same value"},
	} {
		v := &AnnotationValues{Annotation: Annotation{Flag: "--label", Columns: []string{"y"}}, Source: "f", Values: []stream.Column{c.column}}
		_, _, err := v.Classes("")
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) && c.want != "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestColumnOfWords: words of labels are numbers where a file of rows would have numbers.
func TestColumnOfWords(t *testing.T) {
	for words, want := range map[string]string{
		"0 1 -1":                              "0 1 -1",
		"-0 0 1":                              "0 0 1",
		"-0.0 0 1.0 1":                        "0 0 1 1",
		"+1 -1":                               "1 -1",
		"007 7":                               "007 7",
		"-0 0 a":                              "-0 0 a",
		"nan 1":                               "nan 1",
		"0x1 1":                               "0x1 1",
		"1e400 1":                             "1e400 1",
		"9007199254740993":                    "9007199254740993",
		"9007199254740993 9007199254740992.0": "9007199254740993 9007199254740992.0",
	} {
		c := columnOf(strings.Fields(words))
		var got []string
		for i := range c.Len() {
			got = append(got, WordOf(&c, i))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", words, got)
		}
	}
}

// TestClassKind: the kind of classes follows their column; numbers and booleans of files are not text, and text of
// digits is no number.
func TestClassKind(t *testing.T) {
	for _, c := range []struct {
		names []string
		kept  stream.ColumnKind
		told  string
		want  string
	}{
		{[]string{"0", "1"}, stream.Int64, "boolean", "boolean"},
		{[]string{"0", "1", "2"}, stream.Int64, "boolean", "integer"}, // of files that differ
		{[]string{"0", "1"}, stream.Int64, "integer", "integer"},
		{[]string{"-7", "9007199254740993"}, stream.Int64, "", "integer"},
		{[]string{"0", "1"}, stream.Float64, "integer", "integer"},
		{[]string{"0", "1e+21"}, stream.Float64, "integer", "number"},
		{[]string{"0", "1"}, stream.Float64, "number", "number"},
		{[]string{"0.5", "1"}, stream.Float64, "", "number"},
		{[]string{"007", "7"}, stream.String, "integer", "text"},
		{[]string{"false", "true"}, stream.String, "boolean", "text"},
	} {
		if got := ClassKind(c.names, c.kept, c.told); got != c.want {
			t.Errorf("classKind(%q, %v, %q) = %s, want %s", c.names, c.kept, c.told, got, c.want)
		}
	}
}

// TestAnnotationNames: quotes keep the commas and blanks of names, and of the path of a file.
func TestAnnotationNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a,b.csv", []byte("1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value   string
		columns []string
		file    string
	}{
		{"y", []string{"y"}, ""},
		{"a, b", []string{"a", "b"}, ""},
		{`"a,b"," c","say ""hi"""`, []string{"a,b", " c", `say "hi"`}, ""},
		{`5" pipe,b`, []string{`5" pipe`, "b"}, ""},
		{`"open,b`, []string{`"open`, "b"}, ""},
		{`"`, []string{`"`}, ""},
		{"a,b.csv", nil, "a,b.csv"},
		{`"a,b.csv"`, nil, "a,b.csv"},
		{`"a,b.npy"`, []string{"a,b.npy"}, ""},
		{"-y,--plot=p.svg", []string{"-y", "--plot=p.svg"}, ""},
	} {
		if got := NewAnnotation("--label", c.value); !slices.Equal(got.Columns, c.columns) || got.File != c.file {
			t.Errorf("%s is columns %q, file %q; want %q, %q", c.value, got.Columns, got.File, c.columns, c.file)
		}
	}
}
