package rows

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
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Annotation is a flag's value for each row: columns of DATA, or the columns of a file.
type Annotation struct {
	Flag         string
	Columns      []string
	File         string // the file, if not DATA
	DeclaredKind string // declared kind or meaning of a single column
}

// NewAnnotation parses the value of a flag. A value is a file if it has the extension of a data file and exists. Names
// with commas are quoted as in CSV.
func NewAnnotation(flag, value string) Annotation {
	columns, path := Trimmed(strings.Split(value, ",")), value
	if strings.HasPrefix(value, `"`) {
		if quoted, err := csv.NewReader(strings.NewReader(value)).Read(); err == nil {
			columns, path = quoted, quoted[0]
		}
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains(flags.DataExtensions, extension) || strings.ContainsRune(path, filepath.Separator) {
		if blockstore.IsRemote(path) {
			return Annotation{Flag: flag, File: path}
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return Annotation{Flag: flag, File: path}
		}
	}
	return Annotation{Flag: flag, Columns: columns}
}

// Text describes the values, for messages.
func (s Annotation) Text() string {
	if s.File != "" {
		return s.Flag + " " + app.PlainPath(s.File)
	}
	return s.Flag + " " + strings.Join(s.Columns, ",")
}

// ByName replaces column numbers by names, unless a column has the number as its name.
func (s Annotation) ByName(columns []blockstore.ColumnInfo) (Annotation, error) {
	s.Columns = slices.Clone(s.Columns)
	for i, name := range s.Columns {
		number, err := strconv.Atoi(name)
		if err != nil || slices.ContainsFunc(columns, func(c blockstore.ColumnInfo) bool { return c.Name == name }) {
			continue
		}
		names := ComponentNames(columns)
		if number < 0 || number >= len(names) {
			return s, flags.Usagef("%s: there is no column %d; they are numbered from 0 to %d", s.Flag, number, len(names)-1)
		}
		s.Columns[i] = names[number]
	}
	if i := slices.IndexFunc(columns, func(c blockstore.ColumnInfo) bool { return c.Name == s.Columns[0] }); i >= 0 {
		s.DeclaredKind = cmp.Or(columns[i].Meaning, columns[i].Kind)
	}
	return s, nil
}

// ComponentNames returns the names of all numbers of a row, including each component of a vector.
func ComponentNames(columns []blockstore.ColumnInfo) (names []string) {
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

// AnnotationValues has the values of one flag: a column for each name.
type AnnotationValues struct {
	Annotation
	Source string // for messages
	First  int64  // number of the first row
	Values []stream.Column
}

// Rows returns the number of rows with values.
func (v *AnnotationValues) Rows() int { return v.Values[0].Len() }

// Classes returns the values of the single column as class indices, in ascending order of the values, and the class
// names. measured is the remedy for numbers that are not classes; "" suggests a threshold.
func (v *AnnotationValues) Classes(measured string) (labels []int, names []string, err error) {
	if len(v.Values) != 1 {
		return nil, nil, flags.Usagef("%s: %d columns; classes are in one", v.Text(), len(v.Values))
	}
	c := &v.Values[0]
	if err := v.CheckWhole(); err != nil {
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
	return labels, names, CheckClasses(v.Source, v.Annotation, names, len(labels), measured)
}

// CheckClasses fails for label values that are not classes, given their names and the number of rows of a source.
func CheckClasses(source string, of Annotation, names []string, rows int, measured string) error {
	switch n := len(names); {
	case areMeasurements(names, rows):
		if measured == "" {
			measured = "to predict numbers use nystream fit ridge --target"
		}
		return stream.NewDataError(source, "%s holds real numbers, not classes: %s different values, such as %s, in %s rows",
			of.Text(), report.Count(int64(n)), names[n/2], report.Count(int64(rows))).WithRemedy("%s", measured)
	case n == 1:
		return stream.NewDataError(source, "%s has the same value %q in all %s rows", of.Text(), names[0], report.Count(int64(rows))).
			WithRemedy("at least two classes are needed")
	case n > MaxClasses:
		return stream.NewDataError(source, "%s has %s different values in %s rows, more than %d classes",
			of.Text(), report.Count(int64(n)), report.Count(int64(rows)), MaxClasses).WithRemedy("%s", cmp.Or(measured, "are these classes?"))
	}
	return nil
}

// MaxClasses is the largest number of classes of a label, and maxFractionClasses that of classes named by fractions.
const (
	MaxClasses         = 1000
	maxFractionClasses = 20
)

// areMeasurements reports whether the distinct values of a label are measurements: numbers, some with fractions, that
// are many or at least half as many as rows.
func areMeasurements(names []string, rows int) bool {
	fractions := false
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil {
			return false
		}
		fractions = fractions || v != math.Trunc(v)
	}
	return fractions && (len(names) > maxFractionClasses || 2*len(names) > rows)
}

// numberClasses numbers the distinct values in ascending order.
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

// Numbers returns the values as a matrix, one row for each row.
func (v *AnnotationValues) Numbers() (blas64.General, error) {
	m := matrix.New(v.Rows(), len(v.Values))
	if err := v.CheckWhole(); err != nil {
		return m, err
	}
	for k := range v.Values {
		c := &v.Values[k]
		for i := range m.Rows {
			switch c.Kind {
			case stream.Int64:
				m.Data[i*m.Stride+k] = float64(c.Ints[i])
			case stream.Float64:
				m.Data[i*m.Stride+k] = c.Floats[i]
			default:
				remedy := ""
				if v.Flag == "--target" {
					remedy = "to predict classes give --label for --target"
				}
				return m, stream.NewDataError(v.Source, "column %s of %s holds text instead of numbers", v.Columns[k], v.Flag).WithRemedy("%s", remedy)
			}
		}
	}
	return m, nil
}

// CheckWhole fails for nulls and numbers that are not finite.
func (v *AnnotationValues) CheckWhole() error {
	for k := range v.Values {
		c := &v.Values[k]
		for i := range c.Len() {
			reason, remedy := "", ""
			switch {
			case c.Null(i) || c.Kind == stream.String && c.Strings[i] == "":
				reason = "nothing is there, and " + v.Flag + " needs a value in each row"
				remedy = "leave such rows out of the data"
			case c.Kind == stream.Float64 && c.Floats[i]-c.Floats[i] != 0:
				reason = fmt.Sprintf("is %v, and %s needs finite numbers", c.Floats[i], v.Flag)
			default:
				continue
			}
			return stream.NewValueError(v.Source, v.First+int64(i), v.Columns[k], "%s", reason).WithRemedy("%s", remedy)
		}
	}
	return nil
}

// ReadKept reads the kept columns of src named by the flags. Cost: one pass.
func ReadKept(ctx context.Context, e stream.Engine, src stream.Source, annotations []Annotation) (
	[]*AnnotationValues, error) {
	info := src.Info()
	column := make(map[string]int)
	for k, f := range info.Kept {
		column[f.Name] = k
	}
	values := make([]*AnnotationValues, len(annotations))
	for i, s := range annotations {
		values[i] = &AnnotationValues{Annotation: s, Source: info.Name, Values: make([]stream.Column, len(s.Columns))}
		for k, name := range s.Columns {
			values[i].Values[k].Kind = info.Kept[column[name]].Kind
		}
	}
	err := EachBlock(ctx, e, "labels", src, func(b *stream.Block) error {
		for i, s := range annotations {
			for k, name := range s.Columns {
				c := &b.Kept[column[name]]
				values[i].Values[k].Append(c, 0, c.Len())
			}
		}
		return nil
	})
	return values, err
}

// EachBlock passes the blocks of src, with kept columns, to do in row order. Cost: one pass.
func EachBlock(ctx context.Context, e stream.Engine, name string, src stream.Source, do func(b *stream.Block) error) error {
	nothing := func(blas64.General, *stream.Block) error { return nil }
	return stream.Map(ctx, e, name, src, 1, true, func() func(blas64.General, *stream.Block) error { return nothing },
		func(b *stream.Block, _ blas64.General) error { return do(b) })
}

// AllKept reads all kept columns of src. Cost: one pass.
func AllKept(ctx context.Context, e stream.Engine, src stream.Source) ([]stream.Column, error) {
	all := Annotation{Flag: "--keep"}
	for _, f := range src.Info().Kept {
		all.Columns = append(all.Columns, f.Name)
	}
	values, err := ReadKept(ctx, e, src, []Annotation{all})
	if err != nil {
		return nil, err
	}
	return values[0].Values, nil
}

// Size returns the approximate size of the values in numbers; a word counts as two.
func (v *AnnotationValues) Size() int64 { return 2 * int64(v.Rows()) * int64(len(v.Values)) }

// WordOf returns a value of a column as a class name.
func WordOf(c *stream.Column, i int) string {
	switch c.Kind {
	case stream.Int64:
		return strconv.FormatInt(c.Ints[i], 10)
	case stream.Float64:
		return numberWord(c.Floats[i])
	}
	return c.Strings[i]
}

// numberWord returns a number as a class name: -0 and 0 are the same.
func numberWord(v float64) string {
	if v == 0 {
		v = 0
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
