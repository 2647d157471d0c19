package main

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
)

// table is a data set: standardised rows in random order, and their classes.
type table struct {
	name    string
	x       blas64.General
	labels  []int
	classes int
	median  float64 // distance of two rows
}

// files are those of the papers' data that have classes.
var files = map[string]datasets.ClassedFile{
	"spambase": {Name: "spambase.data"}, "satimage": {Name: "satimage.scale", First: true}, "letter": {Name: "letter.scale", First: true}, "a9a": {Name: "a9a", First: true},
	"abalone": {Name: "abalone.data", First: true, Words: true}, "pima": {Name: "pima-indians-diabetes.csv"}, "australian": {Name: "australian.dat"},
}

func dataNames() []string { return slices.Sorted(maps.Keys(files)) }

// mostRows is how many rows of a file are read at most.
const mostRows = 8000

// read reads a data set.
func read(name string) (*table, error) {
	f, ok := files[name]
	if !ok {
		return nil, fmt.Errorf("no data set is called %q", name)
	}
	d, err := f.Read(mostRows)
	if err != nil {
		return nil, err
	}
	order := sketch.NewRandom(1, "decisions").Choose(int64(d.X.Rows), d.X.Rows)
	t := &table{name: name, classes: d.Classes}
	places := make([]int, len(order))
	for i, j := range order {
		places[i] = int(j)
		t.labels = append(t.labels, d.Labels[j])
	}
	t.x = dense.PickRows(d.X, places)
	datasets.Standardise(t.x)
	t.median = datasets.MedianDistance(t.x, 200)
	return t, nil
}
