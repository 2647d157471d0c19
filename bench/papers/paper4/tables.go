package paper4

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
)

// tableFile is a table of two classes with its published accuracies.
type tableFile struct {
	name, file string
	first      bool      // the class is the first column, not the last
	published  [3]string // accuracy ± standard deviation in Table IV, for RBF, SNE and T
}

var tableFiles = []tableFile{
	{"heart", "heart.dat", false, [3]string{".837 ± .032", ".824 ± .025", ".825 ± .031"}},
	{"monks1", "monks-1.test", true, [3]string{".791 ± .012", ".790 ± .014", ".778 ± .012"}},
	{"monks2", "monks-2.test", true, [3]string{".841 ± .007", ".866 ± .016", ".866 ± .014"}},
	{"monks3", "monks-3.test", true, [3]string{".936 ± .003", ".936 ± .004", ".901 ± .004"}},
	{"pima", "pima-indians-diabetes.csv", false, [3]string{".738 ± .026", ".749 ± .026", ".752 ± .021"}},
	{"australian", "australian.dat", false, [3]string{".862 ± .015", ".854 ± .019", ".859 ± .032"}},
	{"spambase", "spambase.data", false, [3]string{".925 ± .007", ".908 ± .007", ".922 ± .018"}},
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
}

// read reads the file.
func (f tableFile) read() (*table, error) {
	d, err := datasets.ClassedFile{Name: f.file, First: f.first}.Read(0)
	if err != nil {
		return nil, err
	}
	if d.Classes != 2 {
		return nil, fmt.Errorf("%s: %d classes; want 2", f.file, d.Classes)
	}
	datasets.Standardise(d.X)
	return &table{d.X, d.Labels}, nil
}

// part returns the given rows of the table.
func (d *table) part(rows []int64) *table {
	return &table{x: lab.PickRows(d.x, rows), labels: scores.Picked(d.labels, rows)}
}
