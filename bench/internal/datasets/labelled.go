package datasets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// Labelled is a table of numbers whose rows belong to classes.
type Labelled struct {
	Name    string
	X       blas64.General
	Labels  []int // the class of each row, from 0
	Classes int
	Other   []int // another division of the rows, of face: the pose; else nil
}

// labelledFile says how a data set with classes is written: a table whose last
// column is the class, or a table and files of one class per row.
type labelledFile struct {
	name, file           string
	labelFile, otherFile string
}

var labelled = []labelledFile{
	{name: "wine", file: "wine.csv"},
	{name: "cancer", file: "breast-cancer-wisconsin.csv"},
	{name: "face", file: "face_624_20.csv", labelFile: "face_624_20_original_label.csv", otherFile: "face_624_20_alt_label.csv"},
	{name: "mnist", file: "mnist_t10k.npy", labelFile: "mnist_t10k_labels.npy"},
}

// LabelledNames returns the names that LoadLabelled knows and whose files are in Dir.
func LabelledNames() []string {
	var names []string
	for _, f := range labelled {
		missing := func(file string) bool {
			_, err := os.Stat(filepath.Join(Dir(), file))
			return file != "" && err != nil
		}
		if !slices.ContainsFunc([]string{f.file, f.labelFile, f.otherFile}, missing) {
			names = append(names, f.name)
		}
	}
	return names
}

// LoadLabelled reads a data set of paper 3 from Dir:
//
//	wine     178 × 13, three cultivars
//	cancer   683 × 9, benign or malignant: the rows of breast-cancer-wisconsin without a
//	         missing value, marked ?, which leaves the paper's 683 of 699
//	face     624 × 20, reduced from 960 pixels; 20 people, and as Other four poses
//	mnist    10,000 × 784, the test images, ten digits
func LoadLabelled(ctx context.Context, name string) (*Labelled, error) {
	for _, f := range labelled {
		if f.name == name {
			return f.load(ctx)
		}
	}
	return nil, fmt.Errorf("no data set with classes is called %q", name)
}

func (f labelledFile) load(ctx context.Context) (*Labelled, error) {
	path := filepath.Join(Dir(), f.file)
	if f.labelFile == "" {
		return f.loadTable(path)
	}
	x, err := readFile(ctx, path, blockstore.Options{NoHeader: true}, 0)
	if err != nil {
		return nil, err
	}
	d := &Labelled{Name: f.name, X: x}
	if d.Labels, d.Classes, err = classFile(ctx, f.labelFile, x.Rows); err != nil {
		return nil, err
	}
	if f.otherFile != "" {
		d.Other, _, err = classFile(ctx, f.otherFile, x.Rows)
	}
	return d, err
}

// loadTable reads a table whose last column is the class. Rows with a missing
// value are left out.
func (f labelledFile) loadTable(path string) (*Labelled, error) {
	rows, err := tableFile{name: f.name, missing: []string{"?"}}.rows(path)
	if err != nil {
		return nil, err
	}
	width := len(rows[0]) - 1
	d := &Labelled{Name: f.name, X: stream.NewMatrix(len(rows), width)}
	classes := make([]float64, len(rows))
	for i, r := range rows {
		copy(d.X.Data[i*width:], r[:width])
		classes[i] = r[width]
	}
	d.Labels, d.Classes = numberedValues(classes)
	return d, nil
}

// classFile reads the classes of n rows from a file in Dir with one number per row.
func classFile(ctx context.Context, file string, n int) (labels []int, classes int, err error) {
	path := filepath.Join(Dir(), file)
	x, err := readFile(ctx, path, blockstore.Options{NoHeader: true}, 0)
	if err != nil {
		return nil, 0, err
	}
	if x.Rows != n || x.Cols != 1 {
		return nil, 0, fmt.Errorf("%s: %d × %d classes for %d rows", path, x.Rows, x.Cols, n)
	}
	labels, classes = numberedValues(x.Data)
	return labels, classes, nil
}

// numberedValues returns classes that are numbers as numbers from 0, in their order, and
// how many there are.
func numberedValues(values []float64) (labels []int, count int) {
	known := slices.Compact(slices.Sorted(slices.Values(values)))
	labels = make([]int, len(values))
	for i, v := range values {
		labels[i], _ = slices.BinarySearch(known, v)
	}
	return labels, len(known)
}
