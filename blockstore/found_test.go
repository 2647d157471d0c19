package blockstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// A text column gets the type that all its cells have, or the requested one. One cell of another form makes it text.
func TestFoundTypes(t *testing.T) {
	t.Parallel()
	const csv = `day,when,zoned,fine,id,flag,zip,mixed,odd,price,big,late,both
2024-02-29,2024-02-29 12:34:56,2024-02-29T12:34:56+02:00,2024-02-29T00:00:00.123456789,00010203-0405-0607-0809-0A0B0C0D0E0F,true,00501,2024-01-01,2023-02-29,12.30,12345678901234567890,0001-01-01,0001-01-01
NA,,NA,,,NA,,,,,,,
1902-03-04,2024-02-29T23:59:59.5,2024-02-29T00:00:00Z,1999-01-01 00:00,ffffffff-ffff-ffff-ffff-ffffffffffff,false,12345,2024-01-01T01:00,2024-01-01,-0.05,-1,9999-12-31,2024-01-01T00:00:00.123456789
`
	jsonl := "{\"day\": \"2024-02-29\", \"n\": 1, \"id\": \"00010203-0405-0607-0809-0a0b0c0d0e0f\"}\n{\"day\": null, \"n\": 2}\n"
	dir := t.TempDir()
	for _, c := range []struct{ name, content, types, kinds, text string }{
		{"a.csv", csv, "price=decimal(9,2),big=uint64,zip=text", "date timestamp(us) timestamp(us,UTC) timestamp(ns) uuid bool text timestamp(us) text decimal(9,2) uint64 date text",
			"2024-02-29,2024-02-29T12:34:56,2024-02-29T10:34:56Z,2024-02-29T00:00:00.123456789,00010203-0405-0607-0809-0a0b0c0d0e0f,true,00501,2024-01-01T00:00:00,2023-02-29,12.30,12345678901234567890,0001-01-01,0001-01-01\n" +
				",,,,,,,,,,,,\n1902-03-04,2024-02-29T23:59:59.5,2024-02-29T00:00:00Z,1999-01-01T00:00:00,ffffffff-ffff-ffff-ffff-ffffffffffff,false,12345,2024-01-01T01:00:00,2024-01-01,-0.05,-1,9999-12-31,2024-01-01T00:00:00.123456789"},
		{"a.jsonl", jsonl, "n=float32", "date float32 uuid", "2024-02-29,1,00010203-0405-0607-0809-0a0b0c0d0e0f\n,2,"},
	} {
		in := filepath.Join(dir, c.name)
		filetest.FileIn(t, dir, c.name, c.content)
		if c.name == "a.csv" { // a number below 0 is no uint64
			_, err := readAllOf(t, in, Options{Types: []string{"big=uint64"}, Carry: CarryAll, NoNumbers: true})
			filetest.WantError(t, err, "row 2", `"big"`, "uint64")
			c.types = strings.Replace(c.types, "big=uint64", "big=decimal(38,0)", 1)
			c.kinds = strings.Replace(c.kinds, "uint64", "decimal(38,0)", 1)
		}
		o := Options{FindTypes: true, Carry: CarryAll, NoNumbers: true}
		for _, item := range strings.Split(strings.ReplaceAll(c.types, ",", ";"), ";") {
			if n := len(o.Types); n > 0 && !strings.Contains(item, "=") {
				o.Types[n-1] += "," + item
				continue
			}
			o.Types = append(o.Types, item)
		}
		for _, format := range []string{".parquet", ".arrow", ".nys"} {
			out := filepath.Join(dir, "out"+format)
			copyAs(t, in, out, o)
			src, err := Open(t.Context(), []string{out}, Options{Carry: CarryAll, NoNumbers: true})
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, f := range src.Info().Kept {
				kinds = append(kinds, f.Logical().String())
			}
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("%s: %s, want %s", out, got, c.kinds)
			}
			copyAs(t, out, out+".csv", Options{Carry: CarryAll, NoNumbers: true})
			written, err := os.ReadFile(out + ".csv")
			if err != nil {
				t.Fatal(err)
			}
			_, lines, _ := strings.Cut(string(written), "\n")
			if got := strings.TrimSpace(lines); got != strings.TrimSpace(c.text) {
				t.Errorf("%s:\n%s\nwant\n%s", out, got, c.text)
			}
		}
	}
	for _, types := range []string{"day", "day=int7", "day=bytes", "night=date"} {
		_, err := Open(t.Context(), []string{filepath.Join(dir, "a.csv")}, Options{Types: []string{types}, Carry: CarryAll, NoNumbers: true})
		filetest.WantError(t, err, "`Options.Types`")
	}
}

// readAllOf reads the columns selected by o from a file.
func readAllOf(t *testing.T, path string, o Options) (any, error) {
	t.Helper()
	src, err := Open(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	return filetest.ReadAll(src, 2)
}
