package datasets

import (
	"context"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
)

// Labelled is a table of numbers whose rows belong to classes.
type Labelled struct {
	Name    string
	X       blas64.General
	Labels  []int // the class of each row, from 0
	Classes int
	Other   []int // another division of the rows, of face: the pose; else nil
}

// labelled are the data sets of paper 3: a table whose last column is the class, or a
// table and files of one class per row.
var labelled = []struct{ name, file, labels, other string }{
	{name: "wine", file: "wine.csv"},
	{name: "cancer", file: "breast-cancer-wisconsin.csv"},
	{name: "face", file: "face_624_20.csv", labels: "face_624_20_original_label.csv", other: "face_624_20_alt_label.csv"},
	{name: "mnist", file: "mnist_t10k.npy", labels: "mnist_t10k_labels.npy"},
}

// LoadLabelled reads a data set of paper 3 from Dir:
//
//	wine     178 × 13, three cultivars
//	cancer   683 × 9, benign or malignant: the rows of breast-cancer-wisconsin without a
//	         missing value, marked ?, which leaves the paper's 683 of 699
//	face     624 × 20, reduced from 960 pixels; 20 people, and as Other four poses
//	mnist    10,000 × 784, the test images, ten digits
func LoadLabelled(ctx context.Context, name string) (d *Labelled, err error) {
	for _, f := range labelled {
		switch {
		case f.name != name:
			continue
		case f.labels == "":
			return ClassedFile{Name: f.file}.Read(0)
		}
		d = &Labelled{Name: name}
		if d.X, err = readFile(ctx, filepath.Join(Dir(), f.file), blockstore.Options{NoHeader: true}, 0); err != nil {
			return nil, err
		}
		if d.Labels, d.Classes, err = classFile(ctx, f.labels, d.X.Rows); err == nil && f.other != "" {
			d.Other, _, err = classFile(ctx, f.other, d.X.Rows)
		}
		return d, err
	}
	return nil, fmt.Errorf("no data set with classes is called %q", name)
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
	labels, classes = Numbered(x.Data)
	return labels, classes, nil
}
