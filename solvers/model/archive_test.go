package model

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
)

// example returns an archive with an array of each kind, and a part.
func example(t *testing.T) *Archive {
	t.Helper()
	a, err := NewArchive(map[string]int{"rank": 2})
	if err != nil {
		t.Fatal(err)
	}
	part, err := NewArchive(map[string]int{"rank": 3})
	if err != nil {
		t.Fatal(err)
	}
	part.PutVector("values", []float64{7})
	a.PutVector("values", []float64{1, 2})
	a.PutInts("rows", []int64{3, 4, 5})
	a.PutMatrix("u", blas64.General{Rows: 2, Cols: 1, Stride: 3, Data: []float64{1, 9, 9, 2}})
	a.PutVector("none", nil)
	a.PutPart("left_", part)
	return a
}

// TestArchive: what is put in comes out, without the padding of a matrix, and parts have
// names of their own.
func TestArchive(t *testing.T) {
	a := example(t)
	var header struct{ Rank int }
	a.ReadHeader(&header)
	part := a.Part("left_", json.RawMessage(`{"rank": 3}`))
	got := []any{header.Rank, a.Vector("values", 2), a.Ints("rows", -1), a.Matrix("u", 2, 1).Data, a.Vector("none", 0), part.Vector("values", 1), part.Names()}
	want := []any{2, []float64{1, 2}, []int64{3, 4, 5}, []float64{1, 2}, []float64{}, []float64{7}, []string{"values"}}
	if diff := cmp.Diff(want, got); diff != "" || a.Err() != nil {
		t.Errorf("%v\n%s", a.Err(), diff)
	}
	if v := a.RowNumbers("rows", 3, 6); len(v) != 3 || a.Kernel("rbf(gamma=2)").String() != "rbf(gamma=2)" || a.Err() != nil {
		t.Errorf("row numbers %v, %v", v, a.Err())
	}
	if !a.Has("u") || a.Has("v") || part.Has("u") {
		t.Error("wrong names")
	}
	if _, err := NewArchive(map[string]float64{"shift": math.NaN()}); err == nil {
		t.Error("a header with NaN was made")
	}
}

// TestArchiveErrors: the first thing that is wrong is told, by a part as well.
func TestArchiveErrors(t *testing.T) {
	for says, read := range map[string]func(a *Archive){
		"left_rows is missing":    func(a *Archive) { a.Part("left_", nil).Ints("rows", 1) },
		"values is 2 numbers":     func(a *Archive) { a.Vector("values", 3) },
		"u is 2×1 with":           func(a *Archive) { a.Vector("u", 2) },
		"rows is 3 whole":         func(a *Archive) { a.Vector("rows", 3) },
		"expected a vector of 2":  func(a *Archive) { a.Ints("values", 2) },
		"expected any×4":          func(a *Archive) { a.Matrix("u", -1, 4) },
		"number 1 of array u":     func(a *Archive) { a.Arrays[2].Floats[1] = math.Inf(-1); a.Matrix("u", 2, 1) },
		"values does not descend": func(a *Archive) { a.Descending("values", 2) },
		"from 0 to below 5":       func(a *Archive) { a.RowNumbers("rows", 3, 5) },
		"number 2 is 1":           func(a *Archive) { a.Arrays[1].Ints[2] = 1; a.RowNumbers("rows", 3, 6) },
		"number 0 is -1":          func(a *Archive) { a.Arrays[1].Ints[0] = -1; a.RowNumbers("rows", 3, 6) },
		"has a word for a number": func(a *Archive) { a.Kernel("rbf(gamma=median)") },
		"nonsense":                func(a *Archive) { a.Kernel("nonsense(gamma=1)") },
		"header":                  func(a *Archive) { a.ReadHeader(&struct{ Rank string }{}) },
	} {
		a := example(t)
		read(a)
		first := a.Err()
		a.Fail("later")
		if first == nil || !strings.Contains(first.Error(), says) || a.Err() != first {
			t.Errorf("%q: %v, then %v", says, first, a.Err())
		}
	}
}
