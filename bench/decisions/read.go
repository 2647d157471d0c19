package main

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// table is a data set: standardised rows in random order, and their classes.
type table struct {
	name    string
	x       blas64.General
	labels  []int
	classes int
	median  float64 // distance of two rows
}

// file is where a data set is and whether its first column is the class, not the last.
type file struct {
	name  string
	first bool
}

// files are those of the papers' data that have classes.
var files = map[string]file{
	"spambase": {"spambase.data", false}, "satimage": {"satimage.scale", true}, "letter": {"letter.scale", true}, "a9a": {"a9a", true},
	"abalone": {"abalone.data", true}, "pima": {"pima-indians-diabetes.csv", false}, "australian": {"australian.dat", false},
}

func dataNames() []string { return slices.Sorted(maps.Keys(files)) }

// mostRows is how many rows of a file are read at most.
const mostRows = 8000

// read reads a data set.
func read(name string) (*table, error) {
	f, ok := files[name]
	if !ok {
		return nil, fmt.Errorf("no data set is called %q", name)
	}
	in, err := os.Open(filepath.Join(datasets.Dir(), f.name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var rows [][]float64
	var classes []string
	columns := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() && len(rows) < mostRows {
		class, row := f.parse(lines.Text())
		if row == nil {
			continue
		}
		rows, classes, columns = append(rows, row), append(classes, class), max(columns, len(row))
	}
	t := &table{name: name, x: stream.NewMatrix(len(rows), columns)}
	labels, count := datasets.Numbered(classes)
	t.classes = count
	order := sketch.NewRandom(1, "decisions").Choose(int64(len(rows)), len(rows))
	for i, j := range order {
		copy(dense.Row(t.x, i), rows[j])
		t.labels = append(t.labels, labels[j])
	}
	standardise(t.x)
	t.median = medianDistance(t.x)
	return t, lines.Err()
}

// parse reads the class and the numbers of a line, nil if it has other words.
func (f file) parse(line string) (class string, row []float64) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(words) < 2 {
		return "", nil
	}
	class, words = words[len(words)-1], words[:len(words)-1]
	if f.first {
		words = append(words, class)
		class, words = words[0], words[1:]
	}
	row = []float64{}
	for j, word := range words {
		if at, value, sparse := strings.Cut(word, ":"); sparse {
			column, err := strconv.Atoi(at)
			if err != nil {
				return "", nil
			}
			for len(row) < column-1 {
				row = append(row, 0)
			}
			j, word = column-1, value
		}
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || j != len(row) {
			return "", nil
		}
		row = append(row, v)
	}
	return class, row
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
		if sum > 0 {
			scale[j] = math.Sqrt(float64(x.Rows) / sum)
		}
	}
	dense.ScaleColumns(x, scale)
}

// medianDistance returns that between the first rows.
func medianDistance(x blas64.General) float64 {
	var all []float64
	for i := range min(200, x.Rows) {
		for j := range i {
			sum := 0.0
			for c, v := range dense.Row(x, i) {
				sum += (v - dense.Row(x, j)[c]) * (v - dense.Row(x, j)[c])
			}
			all = append(all, math.Sqrt(sum))
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}
