package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"
)

// Supervised is a table of numbers with a target for each row.
type Supervised struct {
	Name    string
	X       blas64.General
	Target  []float64 // 1 for the class that is looked for and 0 for the other, or a quantity
	Classes bool
}

var supervised = []struct {
	name, file string
	classes    bool // class 1 is looked for
}{
	{"pima", "pima-indians-diabetes.csv", true},
	{"ilpd", "ilpd.csv", true},
	{"yacht", "yacht_hydrodynamics.data", false},
}

// SupervisedNames returns the names that LoadSupervised knows and whose files are in Dir:
// pima (diabetes or not), ilpd (patients of the liver or not), yacht (resistance).
func SupervisedNames() []string {
	var names []string
	for _, t := range supervised {
		if _, err := os.Stat(filepath.Join(Dir(), t.file)); err == nil {
			names = append(names, t.name)
		}
	}
	return names
}

// LoadSupervised reads a data set of the UCI repository from Dir. The last column is
// the target. In ilpd Female and Male are 0 and 1, and the rows without a ratio of
// albumin and globulin are left out.
func LoadSupervised(name string) (*Supervised, error) {
	for _, t := range supervised {
		if t.name != name {
			continue
		}
		x, last, err := ClassedFile{Name: t.file}.rows(0, map[string]float64{"Female": 0, "Male": 1})
		if err != nil {
			return nil, err
		}
		s := &Supervised{Name: name, X: x, Target: make([]float64, x.Rows), Classes: t.classes}
		for i, word := range last {
			v, _ := strconv.ParseFloat(word, 64) // rows has parsed it
			if t.classes && v != 1 {
				v = 0
			}
			s.Target[i] = v
		}
		return s, nil
	}
	return nil, fmt.Errorf("no data set is called %q", name)
}
