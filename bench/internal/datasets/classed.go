package datasets

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Labelled is a table of numbers with a class for each row.
type Labelled struct {
	X       blas64.General
	Labels  []int // the class of each row, from 0
	Classes int
}

// ClassedFile describes a file of labelled rows in Dir: a table with a class and numbers in each line, or libsvm.
type ClassedFile struct {
	Name  string
	First bool // the class is the first column, not the last
	Words bool // classes may be words; otherwise a line with one is a header
}

// Read reads up to most first rows of the file; 0 means all. It skips headers and rows with missing values, which are
// lines with other words among the numbers.
func (f ClassedFile) Read(most int) (*Labelled, error) {
	x, classes, err := f.Rows(most, nil)
	if err != nil {
		return nil, err
	}
	d := &Labelled{X: x}
	d.Labels, d.Classes = Numbered(classes)
	return d, nil
}

// Rows returns the numbers of the first rows and the words of their classes. codes maps other words to numbers.
func (f ClassedFile) Rows(most int, codes map[string]float64) (x blas64.General, classes []string, err error) {
	path := filepath.Join(Dir(), f.Name)
	in, err := os.Open(path)
	if err != nil {
		return x, nil, err
	}
	defer in.Close()
	var rows [][]float64
	columns := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() && (most == 0 || len(rows) < most) {
		class, row, sparse := f.parse(lines.Text(), codes)
		if row == nil {
			continue
		}
		if len(rows) > 0 && len(row) != columns && !sparse {
			return x, nil, fmt.Errorf("%s: row %d has %d columns and row 0 %d", path, len(rows), len(row), columns)
		}
		rows, classes, columns = append(rows, row), append(classes, class), max(columns, len(row))
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		return x, nil, fmt.Errorf("%s: %d rows: %w", path, len(rows), err)
	}
	x = matrix.New(len(rows), columns)
	for i, row := range rows {
		copy(x.Data[i*columns:], row)
	}
	return x, classes, nil
}

// parse parses the class and the numbers of a line. It returns nil for a line with other words or an empty cell. Sparse
// rows end at their last number.
func (f ClassedFile) parse(line string, codes map[string]float64) (class string, row []float64, sparse bool) {
	words := strings.Fields(line)
	if strings.Contains(line, ",") {
		words = strings.Split(line, ",")
	}
	if len(words) < 2 {
		return "", nil, false
	}
	if f.First {
		words = append(words[1:], words[0])
	}
	class, words = strings.TrimSpace(words[len(words)-1]), words[:len(words)-1]
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
		v, coded := codes[word]
		if !coded {
			var err error
			if v, err = strconv.ParseFloat(strings.TrimSpace(word), 64); err != nil {
				return "", nil, false
			}
		}
		row = append(append(row, make([]float64, column-len(row))...), v)
	}
	return class, row, sparse
}

// Numbered returns the ranks of the classes in their order, from 0, and the number of classes.
func Numbered[T cmp.Ordered](classes []T) (labels []int, count int) {
	known := slices.Compact(slices.Sorted(slices.Values(classes)))
	labels = make([]int, len(classes))
	for i, c := range classes {
		labels[i], _ = slices.BinarySearch(known, c)
	}
	return labels, len(known)
}

// Standardise scales columns to mean 0 and standard deviation 1; constant ones become 0.
func Standardise(x blas64.General) {
	for j := range x.Cols {
		mean, squares := 0.0, 0.0
		for i := range x.Rows {
			mean += x.Data[i*x.Stride+j] / float64(x.Rows)
		}
		for i := range x.Rows {
			x.Data[i*x.Stride+j] -= mean
			squares += x.Data[i*x.Stride+j] * x.Data[i*x.Stride+j]
		}
		if squares > 0 {
			column := blas64.Vector{N: x.Rows, Inc: x.Stride, Data: x.Data[j:]}
			blas64.Scal(math.Sqrt(float64(x.Rows)/squares), column)
		}
	}
}

// MedianDistance returns the median of the pairwise distances of at most the given number of leading rows.
func MedianDistance(x blas64.General, most int) float64 {
	var all []float64
	for i := range min(x.Rows, most) {
		for j := range i {
			sum := 0.0
			for c := range x.Cols {
				v := x.Data[i*x.Stride+c] - x.Data[j*x.Stride+c]
				sum += v * v
			}
			all = append(all, math.Sqrt(sum))
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}
