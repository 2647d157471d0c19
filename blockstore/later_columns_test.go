package blockstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Columns that only later files have are reported once as left out, unless columns are selected.
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
		"x,y*": late,
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

// Neither the columns selected nor an error of the selection depends on the order of the files.
func TestOrderOfFiles(t *testing.T) {
	dir := t.TempDir()
	paths := []string{
		filetest.FileIn(t, dir, "a.csv", "x,y\n1,2\n"),
		filetest.FileIn(t, dir, "b.csv", "x,y,z,t\n2,1,7,b\n"),
		filetest.FileIn(t, dir, "c.jsonl", `{"x":1,"y":2,"z":3,"v":[1,2],"t":"c"}`+"\n"),
	}
	for columns, want := range map[string]string{
		"":        "[x y] without [t v z]",
		"!x":      "[y] without [t v z]",
		"!z":      "[x y] without [t v]",
		"!z*":     "[x y] without [t v]",
		"x,z*,!z": "[x] without []",
		"*":       "[x y] without [t v z]",
		"x,z*":    "[x] without [z]",
		"0:":      "[x y] without [t v z]",
		"0:2":     "[x y] without []",
		"y,x":     "[x y] without []",
		"z":       "an error",
		"0:3":     "an error",
		"x,v":     "an error",
		"x,v.0":   "an error",
		"[xyz],z": "an error",
	} {
		for order := range 6 {
			mixed := []string{paths[order%3]}
			rest := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == mixed[0] })
			mixed = append(mixed, rest[order/3], rest[1-order/3])
			src, err := Open(context.Background(), mixed, Options{Columns: strings.FieldsFunc(columns, func(r rune) bool { return r == ',' })})
			got := "an error"
			if err == nil {
				chosen, out := slices.Sorted(slices.Values(src.Info().Columns)), []string{}
				for _, c := range src.LeftOut() {
					out = append(out, strings.TrimRight(c.Name, ".01"))
				}
				slices.Sort(out)
				got = fmt.Sprint(chosen, " without ", slices.Compact(out))
			}
			if got != want {
				t.Errorf("columns %q of %v: %s, want %s; %v", columns, mixed, got, want, err)
			}
		}
	}
}
