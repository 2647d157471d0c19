package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// A file of labels with one column has a label in each line, with any characters. A file of several columns is refused,
// also if a line is damaged.
func TestLabelsOfLines(t *testing.T) {
	t.Chdir(t.TempDir())
	const table = "and there are others"
	for _, c := range []struct {
		file, lines string
		want        string // classes, or parts of the error
	}{
		{"l.csv", "New York,Boston,Los Angeles,Boston,New York,Boston", "Boston|Los Angeles|New York"},
		{"l.txt", "New York,Boston,Los Angeles,Boston,New York,Boston", "Boston|Los Angeles|New York"},
		{"l.tsv", "New York,Boston,Los Angeles,Boston,New York,Boston", "Boston|Los Angeles|New York"},
		{"l.csv", "city,New York,Rio,Los Angeles,Rio,New York,Rio", "Los Angeles|New York|Rio"},
		{"l.csv", "New York,Los Angeles,New York,Los Angeles,New York,Los Angeles", "Los Angeles|New York"},
		{"l.csv", "type 1,type 2,type 1,type 2,type 1,type 2", "type 1|type 2"},
		{"l.tsv", "a;b,c,a;b,c,c,c", "a;b|c"},
		{"l.tsv", "a;b,c;d,a;b,c;d,a;b,c;d", "a;b|c;d"},
		{"l.csv", "a,c;d,a,c;d,a,c;d", "a|c;d"},
		{"l.csv", "a b;c d,a b,a b,c d,c d,c d", "a b|a b;c d|c d"},
		{"l.csv", `"a;b","c;d","a;b","c;d",x,x`, "a;b|c;d|x"},
		{"l.csv", `5" disk,x,x,x,x,5" disk`, `5" disk|x`},
		{"l.csv", "# by me,cat,dog,cat,dog,cat,dog", "cat|dog"},
		{"l.csv", "1,2,1,x,1,2", "1|2|x"},
		{"l.csv", "007,7,007,7,007,7", "007|7"},
		{"l.csv", "a;b,c;d,a;b,c;d,a;b,c;d", table},
		{"l.csv", "1;cat,2;dog,3;cat,4;dog,5;cat,6;dog", table},
		{"l.csv", "1 cat,2 dog,3 cat,4 dog,5 cat,6 dog", table},
		{"l.csv", "cat 0.5,dog 1,cat 1,dog 2,cat 4,dog 3", table},
		{"l.csv", "1;cat,2;dog,3;cat,4,5;cat,6;dog", "line 4: 1 cells, but the first line has 2"},
		{"l.csv", "1,2,1,2;3,1,2", "line 4: 2 cells, but the first line has 1"},
		{"l.tsv", "cat,dog\tx,cat,dog,cat,dog", "line 2: 2 cells, but the first line has 1"},
		{"l.csv", "New York,Rio", "l.csv: it has 2 lines, and the data have 6 rows"},
		{"l.csv", "", "neither a header nor rows"},
	} {
		text := strings.NewReplacer(",", "\n", ";", ",").Replace(c.lines) + "\n"
		for path, content := range map[string]string{"x.csv": "a,b\n1,2\n2,1\n0,4\n3,3\n5,1\n4,2\n", c.file: text} {
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var out, messages bytes.Buffer
		words := []string{"fit", "askls", "x.csv", "--label", c.file, "--kernel", "rbf(gamma=0.5)", "-o", "m.npz", "--format", "json", "--quiet"}
		var r struct{ Classes []string }
		if code := run(t.Context(), words, nil, &out, &messages); code == app.ExitOK {
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
		} else if !strings.Contains(messages.String(), c.file) {
			t.Errorf("%q: %s", text, &messages)
		}
		want := strings.ReplaceAll(c.want, ";", ",")
		if got := strings.Join(r.Classes, "|"); got != want && (got != "" || !strings.Contains(messages.String(), want)) {
			t.Errorf("%s %q: classes %s, want %s: %s", c.file, text, got, want, &messages)
		}
	}
}
