package paper4

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// tableFile is a table of two classes with its published accuracies.
type tableFile struct {
	name, file string
	train      string    // a file of training rows; the rows of file are test rows then
	first      bool      // the class is the first column, not the last
	published  [3]string // accuracy ± standard deviation in Table IV, of RBF, SNE and T
}

var tableFiles = []tableFile{
	{"heart", "heart.dat", "", false, [3]string{".837 ± .032", ".824 ± .025", ".825 ± .031"}},
	{"monks1", "monks-1.test", "", true, [3]string{".791 ± .012", ".790 ± .014", ".778 ± .012"}},
	{"monks1-given", "monks-1.test", "monks-1.train", true, [3]string{".791 ± .012", ".790 ± .014", ".778 ± .012"}},
	{"monks2", "monks-2.test", "", true, [3]string{".841 ± .007", ".866 ± .016", ".866 ± .014"}},
	{"monks2-given", "monks-2.test", "monks-2.train", true, [3]string{".841 ± .007", ".866 ± .016", ".866 ± .014"}},
	{"monks3", "monks-3.test", "", true, [3]string{".936 ± .003", ".936 ± .004", ".901 ± .004"}},
	{"monks3-given", "monks-3.test", "monks-3.train", true, [3]string{".936 ± .003", ".936 ± .004", ".901 ± .004"}},
	{"pima", "pima-indians-diabetes.csv", "", false, [3]string{".738 ± .026", ".749 ± .026", ".752 ± .021"}},
	{"australian", "australian.dat", "", false, [3]string{".862 ± .015", ".854 ± .019", ".859 ± .032"}},
	{"spambase", "spambase.data", "", false, [3]string{".925 ± .007", ".908 ± .007", ".922 ± .018"}},
}

func tableNames() []string {
	var names []string
	for _, f := range tableFiles {
		names = append(names, f.name)
	}
	return names
}

// table is a data set with columns of mean 0 and standard deviation 1.
type table struct {
	x      blas64.General
	labels []int
	given  []split.Split // training and test rows; nil for random splits
}

// read reads the file, and the training rows before it if they are given.
func (f tableFile) read() (*table, error) {
	files := []string{f.file}
	if f.train != "" {
		files = []string{f.train, f.file}
	}
	t := &table{}
	var given split.Split
	for i, name := range files {
		d, err := datasets.ClassedFile{Name: name, First: f.first}.Read(0)
		if err != nil {
			return nil, err
		}
		if d.Classes != 2 || i > 0 && d.X.Cols != t.x.Cols {
			return nil, fmt.Errorf("%s: %d classes and %d columns; want 2 classes and the columns of %s",
				name, d.Classes, d.X.Cols, files[0])
		}
		given.Train = stream.Numbers(t.x.Rows)
		given.Test = stream.Numbers(t.x.Rows + d.X.Rows)[t.x.Rows:]
		t.x.Rows, t.x.Cols, t.x.Stride = t.x.Rows+d.X.Rows, d.X.Cols, d.X.Cols
		t.x.Data = append(t.x.Data, d.X.Data...)
		t.labels = append(t.labels, d.Labels...)
	}
	if f.train != "" {
		t.given = []split.Split{given}
	}
	datasets.Standardise(t.x)
	return t, nil
}

// splits returns the given split, or random ones.
func (d *table) splits(repeats int) ([]split.Split, error) {
	if d.given != nil {
		return d.given, nil
	}
	return split.Random(len(d.labels), 0.4, repeats, 1)
}

// part returns some rows of the table.
func (d *table) part(rows []int64) *table {
	return &table{x: lab.PickRows(d.x, rows), labels: scores.Picked(d.labels, rows)}
}
