package blockstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Kept text is verbatim, blanks included, in passes and when gathered.
func TestKeptTextIsVerbatim(t *testing.T) {
	const text = "id, x , s\n007, 1,  a \n 8,2 ,NA\n9 , 3 ,\n10,4, b\t\r\n"
	dir := t.TempDir()
	want := map[string][]string{"id": {"007", " 8", "9 ", "10"}, "s": {"  a ", "NA", "", " b\t"}}
	for name, content := range map[string]string{"a.csv": text, "b.csv.gz": gzipped(t, text)} {
		src := mustOpen(t, Options{Keep: []string{"s", "id"}}, filetest.FileIn(t, dir, name, content))
		got := filetest.MustRead(t, src, 5)
		for k, f := range src.Info().Kept {
			if diff := cmp.Diff(want[f.Name], got.Kept[k].Strings); diff != "" {
				t.Errorf("%s: %s: %s", name, f.Name, diff)
			}
		}
		if !got.Kept[0].Null(2) || got.Kept[0].Null(1) {
			t.Errorf("%s: an empty cell is null, and NA is not: %v", name, got.Kept[0].Valid)
		}
		if diff := cmp.Diff([]float64{1, 2, 3, 4}, numbersOf(t, src)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
