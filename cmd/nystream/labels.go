package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// aside is what a flag says of each row: columns of DATA, or the columns of a file.
type aside struct {
	flag    string
	columns []string
	file    string // not of DATA
	told    string // kind or meaning of the only column in the files
}

// newAside reads the value of a flag. A value that ends like a data file, and of which
// there is one, is a file. Quotes around names keep their commas, as in a line of CSV.
func newAside(flag, value string) aside {
	columns, path := trimmed(strings.Split(value, ",")), value
	if strings.HasPrefix(value, `"`) {
		if quoted, err := csv.NewReader(strings.NewReader(value)).Read(); err == nil {
			columns, path = quoted, quoted[0]
		}
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains(flags.DataExtensions, extension) || strings.ContainsRune(path, filepath.Separator) {
		if blockstore.IsRemote(path) {
			return aside{flag: flag, file: path}
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return aside{flag: flag, file: path}
		}
	}
	return aside{flag: flag, columns: columns}
}

// named returns what the values are of, for messages.
func (s aside) named() string {
	if s.file != "" {
		return s.flag + " " + plainPath(s.file)
	}
	return s.flag + " " + strings.Join(s.columns, ",")
}

// inData replaces numbers of columns by their names, where no column is called so.
func (s aside) inData(columns []blockstore.ColumnInfo) (aside, error) {
	s.columns = slices.Clone(s.columns)
	for i, name := range s.columns {
		number, err := strconv.Atoi(name)
		if err != nil || slices.ContainsFunc(columns, func(c blockstore.ColumnInfo) bool { return c.Name == name }) {
			continue
		}
		names := componentNames(columns)
		if number < 0 || number >= len(names) {
			return s, flags.Usagef("%s: there is no column %d; they are numbered from 0 to %d", s.flag, number, len(names)-1)
		}
		s.columns[i] = names[number]
	}
	if i := slices.IndexFunc(columns, func(c blockstore.ColumnInfo) bool { return c.Name == s.columns[0] }); i >= 0 {
		s.told = cmp.Or(columns[i].Meaning, columns[i].Kind)
	}
	return s, nil
}

// componentNames returns the names of all numbers of a row, those of vectors one by one.
func componentNames(columns []blockstore.ColumnInfo) (names []string) {
	for _, c := range columns {
		if c.Kind != "vector" {
			names = append(names, c.Name)
			continue
		}
		for part := range c.Width {
			names = append(names, fmt.Sprintf("%s.%d", c.Name, part))
		}
	}
	return names
}

// asideValues are the values of one flag: a column for each name.
type asideValues struct {
	aside
	source string // for messages
	first  int64  // number of the first row
	values []stream.Column
}

// rows returns how many rows there are values for.
func (v *asideValues) rows() int { return v.values[0].Len() }

// classes returns the values of the only column as numbers of classes, in ascending order
// of their values, and the names of the classes. measured is what to do about numbers that
// are no classes; "" names a threshold.
func (v *asideValues) classes(measured string) (labels []int, names []string, err error) {
	if len(v.values) != 1 {
		return nil, nil, flags.Usagef("%s: %d columns; classes are in one", v.named(), len(v.values))
	}
	c := &v.values[0]
	if err := v.checkWhole(); err != nil {
		return nil, nil, err
	}
	switch c.Kind {
	case stream.Int64:
		labels, names = numberClasses(c.Ints, func(v int64) string { return strconv.FormatInt(v, 10) })
	case stream.Float64:
		labels, names = numberClasses(c.Floats, numberWord)
	default:
		labels, names = numberClasses(c.Strings, func(v string) string { return v })
	}
	return labels, names, checkClasses(v.source, v.aside, names, len(labels), measured)
}

// checkClasses refuses the values of a label that are no classes: their names, of so many rows of a source.
func checkClasses(source string, of aside, names []string, rows int, measured string) error {
	switch n := len(names); {
	case measurements(names, rows):
		if measured == "" {
			measured = "to predict numbers use nystream fit ridge --target"
		}
		return stream.NewDataError(source, "%s has real numbers and no classes: %s different values, such as %s, in %s rows",
			of.named(), report.Count(int64(n)), names[n/2], report.Count(int64(rows))).Do("%s", measured)
	case n == 1:
		return stream.NewDataError(source, "%s has the same value %q in all %s rows", of.named(), names[0], report.Count(int64(rows))).
			Do("at least two classes are needed")
	case n > mostClasses:
		return stream.NewDataError(source, "%s has %s different values in %s rows, more than %d classes",
			of.named(), report.Count(int64(n)), report.Count(int64(rows)), mostClasses).Do("%s", cmp.Or(measured, "are these classes?"))
	}
	return nil
}

// mostClasses is how many classes a label may have, and mostFractions how many whose names are
// numbers with fractions.
const (
	mostClasses   = 1000
	mostFractions = 20
)

// measurements reports whether the different values of a label are measurements: numbers, some
// with fractions, that are many or of which there is one for every two rows.
func measurements(names []string, rows int) bool {
	fractions := false
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil {
			return false
		}
		fractions = fractions || v != math.Trunc(v)
	}
	return fractions && (len(names) > mostFractions || 2*len(names) > rows)
}

// numberClasses numbers values in ascending order.
func numberClasses[T int64 | float64 | string](values []T, text func(T) string) (labels []int, names []string) {
	seen := make(map[T]int)
	for _, v := range values {
		seen[v] = 0
	}
	known := make([]T, 0, len(seen))
	for v := range seen {
		known = append(known, v)
	}
	slices.Sort(known)
	for i, v := range known {
		seen[v] = i
		names = append(names, text(v))
	}
	labels = make([]int, len(values))
	for i, v := range values {
		labels[i] = seen[v]
	}
	return labels, names
}

// numbers returns the values as a matrix, a row for each row.
func (v *asideValues) numbers() (blas64.General, error) {
	m := matrix.New(v.rows(), len(v.values))
	if err := v.checkWhole(); err != nil {
		return m, err
	}
	for k := range v.values {
		c := &v.values[k]
		for i := range m.Rows {
			switch c.Kind {
			case stream.Int64:
				m.Data[i*m.Stride+k] = float64(c.Ints[i])
			case stream.Float64:
				m.Data[i*m.Stride+k] = c.Floats[i]
			default:
				remedy := ""
				if v.flag == "--target" {
					remedy = "to predict classes give --label for --target"
				}
				return m, stream.NewDataError(v.source, "column %s of %s holds text, and numbers are wanted", v.columns[k], v.flag).Do("%s", remedy)
			}
		}
	}
	return m, nil
}

// checkWhole refuses nulls and numbers that are not finite.
func (v *asideValues) checkWhole() error {
	for k := range v.values {
		c := &v.values[k]
		for i := range c.Len() {
			reason, remedy := "", ""
			switch {
			case c.Null(i) || c.Kind == stream.String && c.Strings[i] == "":
				reason = "nothing is there, and " + v.flag + " needs a value in each row"
				remedy = "leave such rows out of the data"
			case c.Kind == stream.Float64 && c.Floats[i]-c.Floats[i] != 0:
				reason = fmt.Sprintf("is %v, and %s needs finite numbers", c.Floats[i], v.flag)
			default:
				continue
			}
			return stream.NewValueError(v.source, v.first+int64(i), v.columns[k], "%s", reason).Do("%s", remedy)
		}
	}
	return nil
}

// readKept reads the kept columns of src that the flags name. Cost: one pass.
func readKept(ctx context.Context, e stream.Engine, src stream.Source, asides []aside) ([]*asideValues, error) {
	info := src.Info()
	place := make(map[string]int)
	for k, f := range info.Kept {
		place[f.Name] = k
	}
	values := make([]*asideValues, len(asides))
	for i, s := range asides {
		values[i] = &asideValues{aside: s, source: info.Name, values: make([]stream.Column, len(s.columns))}
		for k, name := range s.columns {
			values[i].values[k].Kind = info.Kept[place[name]].Kind
		}
	}
	err := eachBlock(ctx, e, "labels", src, func(b *stream.Block) error {
		for i, s := range asides {
			for k, name := range s.columns {
				c := &b.Kept[place[name]]
				values[i].values[k].Append(c, 0, c.Len())
			}
		}
		return nil
	})
	return values, err
}

// eachBlock gives the blocks of src with what they carry along to do, in row order. Cost: one pass.
func eachBlock(ctx context.Context, e stream.Engine, name string, src stream.Source, do func(b *stream.Block) error) error {
	nothing := func(blas64.General, *stream.Block) error { return nil }
	return stream.Map(ctx, e, name, src, 1, true, func() func(blas64.General, *stream.Block) error { return nothing },
		func(b *stream.Block, _ blas64.General) error { return do(b) })
}

// allKept reads all kept columns of src. Cost: one pass.
func allKept(ctx context.Context, e stream.Engine, src stream.Source) ([]stream.Column, error) {
	all := aside{flag: "--keep"}
	for _, f := range src.Info().Kept {
		all.columns = append(all.columns, f.Name)
	}
	values, err := readKept(ctx, e, src, []aside{all})
	if err != nil {
		return nil, err
	}
	return values[0].values, nil
}

// size returns about how many numbers the values take; a word is two.
func (v *asideValues) size() int64 { return 2 * int64(v.rows()) * int64(len(v.values)) }

// wordOf returns a value of a column as the fit names classes.
func wordOf(c *stream.Column, i int) string {
	switch c.Kind {
	case stream.Int64:
		return strconv.FormatInt(c.Ints[i], 10)
	case stream.Float64:
		return numberWord(c.Floats[i])
	}
	return c.Strings[i]
}

// numberWord returns a number as the name of a class: -0 and 0 are one.
func numberWord(v float64) string {
	if v == 0 {
		v = 0
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
