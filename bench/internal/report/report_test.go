package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestTable(t *testing.T) {
	table := &Table{File: "t", Title: "A table", Notes: []string{"A note."}, Head: []string{"what", "figure"}}
	for _, v := range []any{0.0, 1.0, 1234.5, 0.01234, 1e-7, math.NaN(), "a, b"} {
		table.Add("x", v)
	}
	want := "## A table\n\n| what | figure |\n|---|---|\n" +
		"| x | 0 |\n| x | 1 |\n| x | 1234 |\n| x | 0.0123 |\n| x | 1.0e-07 |\n| x | – |\n| x | a, b |\n\nA note.\n"
	if got := table.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	dir := t.TempDir()
	if err := table.Write(dir); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"t.md":  want,
		"t.csv": "what,figure\nx,0\nx,1\nx,1234\nx,0.0123\nx,1.0e-07\nx,–\nx,\"a, b\"\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s", file, got, want)
		}
	}
}
