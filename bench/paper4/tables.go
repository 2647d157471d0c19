package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// tableFile is a table of two classes and what the paper prints for it.
type tableFile struct {
	name, file    string
	train         string // training rows, if they are given: the rows of file are test rows
	first         bool   // the class is the first column, not the last
	rbf, sne, tee string // accuracy ± standard deviation, in Table IV
}

var tableFiles = []tableFile{
	{"heart", "heart.dat", "", false, ".837 ± .032", ".824 ± .025", ".825 ± .031"},
	{"monks1", "monks-1.test", "", true, ".791 ± .012", ".790 ± .014", ".778 ± .012"},
	{"monks1-given", "monks-1.test", "monks-1.train", true, ".791 ± .012", ".790 ± .014", ".778 ± .012"},
	{"monks2", "monks-2.test", "", true, ".841 ± .007", ".866 ± .016", ".866 ± .014"},
	{"monks2-given", "monks-2.test", "monks-2.train", true, ".841 ± .007", ".866 ± .016", ".866 ± .014"},
	{"monks3", "monks-3.test", "", true, ".936 ± .003", ".936 ± .004", ".901 ± .004"},
	{"monks3-given", "monks-3.test", "monks-3.train", true, ".936 ± .003", ".936 ± .004", ".901 ± .004"},
	{"pima", "pima-indians-diabetes.csv", "", false, ".738 ± .026", ".749 ± .026", ".752 ± .021"},
	{"australian", "australian.dat", "", false, ".862 ± .015", ".854 ± .019", ".859 ± .032"},
	{"spambase", "spambase.data", "", false, ".925 ± .007", ".908 ± .007", ".922 ± .018"},
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
	given  []split.Split // in training and test rows; nil if there is none
}

// read reads the file, and the training rows before it if they are given.
func (f tableFile) read() (*table, error) {
	var rows [][]float64
	first := 0
	for _, file := range []string{f.train, f.file} {
		if file == "" {
			continue
		}
		first = len(rows)
		more, err := readNumbers(filepath.Join(datasets.Dir(), file))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	t, err := f.tableOf(f.file, rows)
	if err != nil || f.train == "" {
		return t, err
	}
	var s split.Split
	for i := range int64(len(rows)) {
		if i < int64(first) {
			s.Train = append(s.Train, i)
		} else {
			s.Test = append(s.Test, i)
		}
	}
	t.given = []split.Split{s}
	return t, nil
}

// readNumbers reads the numbers of a file: lines of another kind, as headers are, are left out.
func readNumbers(path string) ([][]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var rows [][]float64
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if row := numbersOf(lines.Text()); row != nil {
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s: %d rows of numbers: %w", path, len(rows), err)
	}
	return rows, nil
}

// numbersOf returns the numbers of a line, nil if it has other words.
func numbersOf(line string) []float64 {
	var row []float64
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil
		}
		row = append(row, v)
	}
	return row
}

func (f tableFile) tableOf(path string, rows [][]float64) (*table, error) {
	d := len(rows[0]) - 1
	t := &table{x: stream.NewMatrix(len(rows), d)}
	var classes []string
	for i, row := range rows {
		if len(row) != d+1 {
			return nil, fmt.Errorf("%s: row %d has %d numbers, and the first has %d", path, i, len(row), d+1)
		}
		class, rest := row[d], row[:d]
		if f.first {
			class, rest = row[0], row[1:]
		}
		classes = append(classes, strconv.FormatFloat(class, 'g', -1, 64))
		copy(dense.Row(t.x, i), rest)
	}
	var count int
	if t.labels, count = datasets.Numbered(classes); count != 2 {
		return nil, fmt.Errorf("%s: %d classes, expected 2", path, count)
	}
	standardise(t.x)
	return t, nil
}

// standardise makes columns have mean 0 and standard deviation 1; constant ones are 0.
func standardise(x blas64.General) {
	dense.CentreColumns(x)
	scale := make([]float64, x.Cols)
	for j := range scale {
		sum := 0.0
		for i := range x.Rows {
			sum += dense.Row(x, i)[j] * dense.Row(x, i)[j]
		}
		if scale[j] = 1; sum > 0 {
			scale[j] = math.Sqrt(float64(x.Rows) / sum)
		}
	}
	dense.ScaleColumns(x, scale)
}
