package datasets

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestClassedFile: classes first and last, words among them, headers, and sparse rows.
func TestClassedFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NYSTREAM_DATA", dir)
	for _, c := range []struct {
		text    string
		first   bool
		words   bool
		most    int
		numbers []float64
		labels  []int
		fails   bool
	}{
		{text: "a,b,class\n1,2,yes\n3,4,no\n", words: true, numbers: []float64{1, 2, 3, 4}, labels: []int{1, 0}},
		{text: "1,2,class\n1,2,1\n3,4,2\n", numbers: []float64{1, 2, 3, 4}, labels: []int{0, 1}},
		{text: "2 1 5\n1 2 6\n2 3 7\n", first: true, most: 2, numbers: []float64{1, 5, 2, 6}, labels: []int{1, 0}},
		{text: "M,1,2\nF,3\n", first: true, words: true, fails: true},
		{text: "+1 1:5 3:7\n-1 2:6\n", first: true, numbers: []float64{5, 0, 7, 0, 6, 0}, labels: []int{0, 1}},
		{text: "+1 3:5 1:7\n", first: true, fails: true},
		{text: "x,y\n", fails: true},
		{text: "1,2,7\n3,?,9\n3,,9\n\n4,5,9\n", numbers: []float64{1, 2, 4, 5}, labels: []int{0, 1}},
	} {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := ClassedFile{"f", c.first, c.words}.Read(c.most)
		if (err != nil) != c.fails {
			t.Errorf("%q: %v", c.text, err)
		} else if err == nil && (!slices.Equal(d.X.Data, c.numbers) || !slices.Equal(d.Labels, c.labels)) {
			t.Errorf("%q: %v, %v", c.text, d.X, d.Labels)
		}
	}
}

// TestStandardise: mean 0, standard deviation 1, and a constant column 0.
func TestStandardise(t *testing.T) {
	x := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 4, 5, 4}}
	if Standardise(x); !slices.Equal(x.Data, []float64{-1, 0, 1, 0}) {
		t.Error(x.Data)
	}
	y := blas64.General{Rows: 4, Cols: 2, Stride: 2, Data: []float64{0, 0, 3, 4, 0, 1, 9, 9}}
	if d := MedianDistance(y, 3); d != math.Sqrt(18) { // of 5, 1 and √18
		t.Error(d)
	}
}
