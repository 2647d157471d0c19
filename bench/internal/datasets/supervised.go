package datasets

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Supervised is a table of numbers with a target for each row.
type Supervised struct {
	Name    string
	X       blas64.General
	Target  []float64 // 1 for the class that is looked for and 0 for the other, or a quantity
	Classes bool
}

// tableFile says how a supervised data set is written.
type tableFile struct {
	name, file string
	header     bool
	classes    bool
	words      map[string]float64 // of cells that are words
	missing    []string           // cells that stand for no value, like empty ones
	one        float64            // the number in the last column that stands for the class looked for
}

var supervised = []tableFile{
	{name: "pima", file: "pima-indians-diabetes.csv", classes: true, one: 1},
	{name: "ilpd", file: "ilpd.csv", header: true, classes: true, words: map[string]float64{"Female": 0, "Male": 1}, one: 1},
	{name: "yacht", file: "yacht_hydrodynamics.data"},
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
		if t.name == name {
			return t.load(filepath.Join(Dir(), t.file))
		}
	}
	return nil, fmt.Errorf("no data set is called %q", name)
}

func (t tableFile) load(path string) (*Supervised, error) {
	rows, err := t.rows(path)
	if err != nil {
		return nil, err
	}
	return t.split(rows), nil
}

// rows returns the lines of a table as numbers. A line with a missing value is left out.
func (t tableFile) rows(path string) ([][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows [][]float64
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		if t.header && number == 1 {
			continue
		}
		row, whole, err := t.cells(lines.Text())
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: line %d: %w", path, number, err)
		case !whole:
			continue
		case len(rows) > 0 && len(row) != len(rows[0]):
			return nil, fmt.Errorf("%s: line %d: %d cells, not %d", path, number, len(row), len(rows[0]))
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", path)
	}
	return rows, nil
}

// cells returns the numbers of a line, and whether none is missing. A blank line has none.
func (t tableFile) cells(line string) (row []float64, whole bool, err error) {
	cells := strings.Fields(line)
	if strings.Contains(line, ",") {
		cells = strings.Split(line, ",")
	}
	for _, c := range cells {
		if c == "" || slices.Contains(t.missing, c) {
			return nil, false, nil
		}
		v, known := t.words[c]
		if !known {
			if v, err = strconv.ParseFloat(c, 64); err != nil {
				return nil, false, err
			}
		}
		row = append(row, v)
	}
	return row, len(row) > 1, nil
}

func (t tableFile) split(rows [][]float64) *Supervised {
	d := len(rows[0]) - 1
	s := &Supervised{Name: t.name, X: stream.NewMatrix(len(rows), d), Classes: t.classes}
	for i, r := range rows {
		copy(s.X.Data[i*d:(i+1)*d], r)
		target := r[d]
		if t.classes {
			target = 0
			if r[d] == t.one {
				target = 1
			}
		}
		s.Target = append(s.Target, target)
	}
	return s
}
