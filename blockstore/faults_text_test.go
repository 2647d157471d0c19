package blockstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// badText returns text files that cannot be read.
func badText(t *testing.T) []badFile {
	long := strings.Repeat("long", 5000)
	return []badFile{
		{name: "a.csv", what: "empty"},
		{name: "a.csv", what: "ragged", content: "a,b\n1,2\n3\n"},
		{name: "a.csv", what: "ragged below a comment", content: "# made by x\na,b\n1,2\n"},
		{name: "a.csv", what: "an open quote", content: "a,b\n1,\"2\n3,4\n"},
		{name: "a.csv", what: "text after a quote", content: "a,b\n\"x\"y,1\n"},
		{name: "a.csv", what: "binary", content: "a,b\n1,\x002\n"},
		{name: "a.csv", what: "endings of old Macintoshes", content: "a,b\r1,2\r"},
		{name: "a.csv", what: "a long line", content: "a\n" + strings.Repeat("x", 17<<20)},
		{name: "a.csv", what: "an integer beyond 2^53", content: "a,b\n1,9007199254740993\n", Options: Options{}},
		{name: "a.csv", what: "text to compute with", content: "a,b\n1,x\n", Options: Options{Columns: []string{"b"}}},
		{name: "a.csv", what: "a word among numbers", content: "a,b\n1,2\n2,x\n3,4\n"},
		{name: "a.csv", what: "an unknown column", content: "alpha,b\n1,2\n", Options: Options{Columns: []string{"alpah"}}},
		{name: "a.csv", what: "columns called the same", content: "a,a\n1,2\n", Options: Options{Columns: []string{"a"}}},
		{name: "a.csv", what: "an unknown column with a long name", content: long + ",b\n1,2\n", Options: Options{Columns: []string{long + "r"}}},
		{name: "a.csv", what: "a long word among numbers", content: "a,b\n1,2\n2," + long + "\n3,4\n"},
		{name: "a.csv", what: "kept text in Latin-1", content: "a,b\n1,caf\xe9\n", Options: Options{Keep: []string{"b"}}},
		{name: "a.csv", what: "a name in Latin-1", content: "a,caf\xe9\n1,x\n", Options: Options{Keep: []string{"1"}}},
		{name: "a.csv", what: "half a character of UTF-16", content: "\xfe\xff\x00a\x00\n\x001\x00"},
		{name: "a.csv", what: "bytes that are not in Shift-JIS", content: "a,b\n1,\xfd\xfd\n", Options: Options{Layout: Layout{Encoding: "shift_jis"}}},
		{name: "a.csv", what: "too short for what is skipped", content: "a\n1\n", Options: Options{Layout: Layout{Skip: 9}}},
		{name: "a.tsv", what: "badly quoted and ragged", content: "a\tb\n\"x\"y\t1\n1\t2\t3\n"},
		{name: "a.csv.gz", what: "not compressed as its beginning says", content: "\x1f\x8b\x08\x00zzzzzzzzzzzzzzzzzzzz"},
		{name: "a.csv.gz", what: "empty"},
		{name: "a.csv.gz", what: "compressed, and followed by other bytes", content: gzipped(t, "1,2\n") + "\x00\x00x"},
		{name: "a.csv.gz", what: "compressed, and cut", content: gzipped(t, strings.Repeat("1,2\n", 1000))[:25]},
		{name: "a.csv.zst", what: "compressed, and cut", content: "\x28\xb5\x2f\xfd\x04\x00\x61\x00"},
		{name: "a.dat", what: "of an unknown layout", content: "\x07\x00\x01"},
		{name: "a.parquet", what: "begins like CSV", content: "a,b\n1,2\n"},

		{name: "a.libsvm", what: "empty"},
		{name: "a.libsvm", what: "an index below 0", content: "1 -1:1\n"},
		{name: "a.libsvm", what: "indices that do not ascend", content: "1 2:1 1:1\n"},
		{name: "a.libsvm", what: "a word for a number", content: "1 1:x\n"},
		{name: "a.libsvm", what: "no colon", content: "1 1\n1 1:2\n"},
		{name: "a.libsvm", what: "an index beyond the columns that can be read", content: "1 99999999:1\n"},

		{name: "a.jsonl", what: "empty"},
		{name: "a.jsonl", what: "a line that ends early", content: "{\"a\": 1}\n{\"a\": \n"},
		{name: "a.jsonl", what: "one array", content: "[\n{\"a\": 1},\n{\"a\": 2}]\n"},
		{name: "a.jsonl", what: "objects and arrays", content: "{\"a\": 1}\n[1]\n"},
		{name: "a.jsonl", what: "a member twice", content: "{\"a\": 1, \"a\": 2}\n"},
		{name: "a.jsonl", what: "no value of JSON", content: "{\"a\": nope}\n"},
		{name: "a.jsonl", what: "a missing colon", content: "{\"a\" 1}\n"},
		{name: "a.jsonl", what: "a missing comma", content: "{\"a\": 1 \"b\": 2}\n"},
		{name: "a.jsonl", what: "a name without quotes", content: "{a: 1}\n"},
		{name: "a.jsonl", what: "two values on a line", content: "{\"a\": 1} {\"a\": 2}\n"},
		{name: "a.jsonl", what: "a value of one number", content: "{\"a\": 1}\n5\n"},
		{name: "a.jsonl", what: "a control character", content: "{\"a\": \"x\ty\"}\n", Options: Options{Keep: []string{"a"}}},
		{name: "a.jsonl", what: "values deep in each other", content: strings.Repeat("[", 20000) + "\n"},

		{name: "a.csv", what: "a line of two more cells below one of a title", content: "made by x\na,b\n1,2\n"},
		{name: "a.csv", what: "more columns than can be read", content: strings.Repeat(",", 1000000) + "\n"},
		{name: "a.csv", what: "no column of numbers", content: "a,b\nx,y\n"},
		{name: "a.csv", what: "a number that no column has", content: "a,b\n1,2\n", Options: Options{Columns: []string{"7"}}},
		{name: "a.csv.gz", what: "compressed, with Parquet in it", content: gzipped(t, "PAR1\x00\x00\x00\x00PAR1")},
		{name: "a.parquet.gz", what: "compressed, though it is no text", content: gzipped(t, "1,2\n")},
		{name: "a.csv.gz", what: "compressed, and called NPY", content: gzipped(t, "1,2\n"), Options: Options{Format: "npy"}},
		{name: "a.parquet", what: "an encoding of what is no text", content: "PAR1\x00\x00\x00\x00PAR1", Options: Options{Layout: Layout{Encoding: "latin1"}}},
		{name: "a.zip", what: "an empty archive", content: "PK\x05\x06" + strings.Repeat("\x00", 18)},

		{name: "a.jsonl", what: "no value after a name", content: "{\"a\": ,}\n"},
		{name: "a.jsonl", what: "a string that is none", content: "{\"a\": \"\\q\"}\n", Options: Options{Keep: []string{"a"}}},
		{name: "a.jsonl", what: "a name that is no UTF-8", content: "{\"caf\xe9\": 1}\n"},
		{name: "a.jsonl", what: "more members than can be read", content: manyMembers(1000001), large: true},
		{name: "a.jsonl", what: "arrays of more numbers than can be read", content: wideMembers(16)},
		{name: "a.jsonl", what: "no rows of numbers", content: "{\"a\": \"x\"}\n"},

		{name: "a.arff", what: "no format that is read", content: "% a comment\n@relation r\n@attribute a numeric\n@data\n1\n"},
	}
}

// manyMembers returns a JSON object with n members.
func manyMembers(n int) string {
	b := []byte("{")
	for i := range n {
		b = strconv.AppendInt(append(b, '"'), int64(i), 36)
		b = append(b, "\":1,"...)
	}
	return string(b[:len(b)-1]) + "}\n"
}

// wideMembers returns a JSON object with n members, each an array of the largest allowed length.
func wideMembers(n int) string {
	var b strings.Builder
	b.WriteString("{\"a\":1")
	for i := range n {
		fmt.Fprintf(&b, ",\"%d\":[0%s]", i, strings.Repeat(",0", 1<<16-1))
	}
	return b.String() + "}\n"
}

// badSettings returns settings that contradict every file.
func badSettings(t *testing.T) (list []badFile) {
	path := filetest.TempFile(t, "a.csv", "a,b\n1,2\n")
	for what, o := range map[string]Options{
		"an unknown format":                {Format: "xls"},
		"a header and none":                {Layout: Layout{Header: true, NoHeader: true}},
		"fewer than no lines to pass over": {Layout: Layout{Skip: -1}},
		"a comment of two characters":      {Layout: Layout{Comment: "//"}},
		"a delimiter of two characters":    {Layout: Layout{Delimiter: "::"}},
		"an unknown encoding":              {Layout: Layout{Encoding: "latin99"}},
	} {
		list = append(list, badFile{name: "settings", what: what, ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, []string{path}, o)
			return err
		}})
	}
	return sorted(list)
}

// sorted sorts files by the description of their fault.
func sorted(list []badFile) []badFile {
	slices.SortStableFunc(list, func(a, b badFile) int { return strings.Compare(a.what, b.what) })
	return list
}
