package paper3

import (
	"context"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// blobs returns centred rows of three classes that differ in two of d columns.
func blobs(n, d int) (blas64.General, []int) {
	x, labels := stream.NewMatrix(n, d), make([]int, n)
	sketch.NewRandom(5, "blobs").Normals(x)
	for i := range n {
		labels[i] = i % 3
		x.Data[i*d] += 4 * (float64(labels[i]) - 1)
		x.Data[i*d+1] += 4 * float64(labels[i]%2)
	}
	return x, labels
}

// TestSVM tests the cross-validated classifier on new rows.
func TestSVM(t *testing.T) {
	x, labels := blobs(90, 4)
	chosen, err := chooseSVM(background, stream.RowSlice(x, 0, 60), labels[:60], 3)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := chosen.predict(stream.RowSlice(x, 0, 60), labels[:60], 3, stream.RowSlice(x, 60, 30))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range predicted {
		if c == labels[60+i] {
			right++
		}
	}
	if right < 27 {
		t.Errorf("%d of 30 rows right", right)
	}
}

// TestFoldsKeepTestRowsOut: every row is tested once, and the scaling depends on training rows only.
func TestFoldsKeepTestRowsOut(t *testing.T) {
	x, labels := blobs(60, 3)
	x.Data[0] = 1e6 // an outlier that would affect every mean
	all, err := folds(background, &datasets.Labelled{X: x, Labels: labels, Classes: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	tested, far := 0, 0
	for _, f := range all {
		tested += f.test.Rows
		for j := range 3 {
			column := mat.Col(nil, j, lab.Dense(f.train))
			v := mat.NewVecDense(len(column), column)
			if n := float64(len(column)); math.Abs(mat.Sum(v)/n) > 1e-9 || math.Abs(mat.Dot(v, v)/n-1) > 1e-9 {
				t.Errorf("column %d of training rows has mean %v and variance %v", j, mat.Sum(v)/n, mat.Dot(v, v)/n)
			}
		}
		for i := range f.test.Rows {
			if lab.Row(f.test, i)[0] > 1e4 {
				far++
			}
		}
	}
	if tested != 60 || far != 1 {
		t.Errorf("%d rows tested, %d of them far off", tested, far)
	}
}

// TestTables measures a few rows: accuracies are high for easy classes, and the linear engine is close to the exact
// one.
func TestTables(t *testing.T) {
	x, labels := blobs(90, 4)
	e := &experiment{problem: problem{name: "blobs", dim: 2}, folds: 2,
		data: &datasets.Labelled{X: x, Labels: labels, Classes: 3}, other: labels}
	all, err := e.tables(background)
	if err != nil {
		t.Fatal(err)
	}
	ratio := map[string]float64{}
	for _, r := range all[0].Rows {
		if number(t, r[4]) < 0.85 {
			t.Errorf("%v: low accuracy on rows that are easy", r)
		}
		if r[0] == "gaussian" {
			ratio[r[1]] = number(t, r[8])
		}
	}
	if len(all[0].Rows) != 13 || ratio["ISM exact"] != 1 || math.Abs(ratio["ISM linear"]-1) > 0.1 {
		t.Errorf("%d rows, J over that of ISM exact: %v", len(all[0].Rows), ratio)
	}
	if u := all[1]; len(u.Rows) != 12 || number(t, u.Rows[0][5]) < 0.8 {
		t.Errorf("clusters: %v", u.Rows)
	}
	if a := all[2]; len(a.Rows) != 12 {
		t.Errorf("alternatives: %v", a.Rows)
	}
}

// number parses a cell of a table.
func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
