package datasets

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// ClassedFile is a table in Dir, a class and numbers in each line, or numbers as libsvm has
// them.
type ClassedFile struct {
	Name  string
	First bool // the class is the first column, not the last
	Words bool // classes may be words; else a line with one is a header
}

// Read reads the first rows of the file, at most so many unless most is 0. Headers are left
// out: lines with words among the numbers.
func (f ClassedFile) Read(most int) (*Labelled, error) {
	path := filepath.Join(Dir(), f.Name)
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var rows [][]float64
	var classes []string
	columns := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() && (most == 0 || len(rows) < most) {
		class, row, sparse := f.parse(lines.Text())
		if row == nil {
			continue
		}
		if len(rows) > 0 && len(row) != columns && !sparse {
			return nil, fmt.Errorf("%s: row %d has %d numbers beside the class, and the first has %d", path, len(rows), len(row), columns)
		}
		rows, classes, columns = append(rows, row), append(classes, class), max(columns, len(row))
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s: %d rows: %w", path, len(rows), err)
	}
	d := &Labelled{Name: f.Name, X: stream.NewMatrix(len(rows), columns)}
	for i, row := range rows {
		copy(dense.Row(d.X, i), row)
	}
	d.Labels, d.Classes = Numbered(classes)
	return d, nil
}

// parse reads the class and the numbers of a line, nil if it has other words. Sparse rows
// end where their last number is.
func (f ClassedFile) parse(line string) (class string, row []float64, sparse bool) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(words) < 2 {
		return "", nil, false
	}
	if f.First {
		words = append(words[1:], words[0])
	}
	class, words = words[len(words)-1], words[:len(words)-1]
	if _, err := strconv.ParseFloat(class, 64); err != nil && !f.Words {
		return "", nil, false
	}
	for _, word := range words {
		column := len(row)
		if at, value, pair := strings.Cut(word, ":"); pair {
			number, err := strconv.Atoi(at)
			if err != nil || number <= len(row) {
				return "", nil, false
			}
			column, word, sparse = number-1, value, true
		}
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return "", nil, false
		}
		row = append(append(row, make([]float64, column-len(row))...), v)
	}
	return class, row, sparse
}

// Standardise makes columns have mean 0 and standard deviation 1; constant ones are 0.
func Standardise(x blas64.General) {
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

// MedianDistance returns the median of the distances between the first rows, at most so many.
func MedianDistance(x blas64.General, most int) float64 {
	var all []float64
	for i := range min(x.Rows, most) {
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
