package blockstore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Columns that only later files have are named as left out, once, unless columns are chosen.
func TestLateColumns(t *testing.T) {
	dir := t.TempDir()
	paths := []string{
		filetest.FileIn(t, dir, "a.csv", "x,y,t\n1,2,a\n"),
		filetest.FileIn(t, dir, "b.csv", "y,x,t,y_late\n2,1,b,7\n"),
		filetest.FileIn(t, dir, "c.jsonl", `{"x":1,"y":2,"y_late":3,"s":"s","v":[1,2],"t":"c"}`+"\n"),
		filetest.FileIn(t, dir, "d.csv", "x,y,t\n1,2,a\n"),
	}
	const late = "{y_late not in A, but in B}"
	const others = "{s not in A, but in C} {v not in A, but in C}"
	for columns, want := range map[string]string{
		"":     "{t text} " + late + " " + others,
		"!x":   "{t text} " + late + " " + others,
		"x,y":  "",
		"x,y*": "",
		"0:2":  "",
	} {
		src, err := Open(context.Background(), paths, Options{Columns: strings.FieldsFunc(columns, func(r rune) bool { return r == ',' })})
		if err != nil {
			t.Fatal(columns, err)
		}
		got := strings.Trim(fmt.Sprint(src.LeftOut()), "[]")
		for i, name := range []string{"A", "B", "C"} {
			got = strings.ReplaceAll(got, paths[i], name)
		}
		if got != want {
			t.Errorf("columns %s: left out %s, want %s", columns, got, want)
		}
	}
}
