package paper3

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nystream/nystream/bench/internal/datasets"
)

// files are the files of a data set. Without a file of labels, the last column is the class.
type files struct {
	rows, labels string
	other        string // another division of the rows; "" if there is none
}

// read reads the data set and the other division, nil if there is none. It drops rows with a missing value: 683 of 699
// rows of cancer remain, as in the paper.
func (f files) read(ctx context.Context) (d *datasets.Labelled, other []int, err error) {
	if f.labels == "" {
		d, err = datasets.ClassedFile{Name: f.rows}.Read(0)
		return d, nil, err
	}
	d = &datasets.Labelled{}
	if d.X, err = datasets.Load(ctx, filepath.Join(datasets.Dir(), f.rows)); err != nil {
		return nil, nil, err
	}
	if d.Labels, d.Classes, err = readClasses(ctx, f.labels, d.X.Rows); err == nil && f.other != "" {
		other, _, err = readClasses(ctx, f.other, d.X.Rows)
	}
	return d, other, err
}

// readClasses reads the classes of n rows from a file with one number per row.
func readClasses(ctx context.Context, file string, n int) (labels []int, classes int, err error) {
	path := filepath.Join(datasets.Dir(), file)
	x, err := datasets.Load(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	if x.Rows != n || x.Cols != 1 {
		return nil, 0, fmt.Errorf("%s: %d × %d classes for %d rows", path, x.Rows, x.Cols, n)
	}
	labels, classes = datasets.Numbered(x.Data)
	return labels, classes, nil
}
