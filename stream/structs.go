package stream

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// FromStructs returns a source of rows that are structs. The exported fields are the columns, in
// order and with the names of the fields:
//
//   - Floats, integers (unsigned ones of up to 32 bits) and bools, as 0 and 1, are numeric columns.
//   - Strings are kept columns marked as categories, which a preparation encodes as numbers.
//   - A nil pointer to one of these types is a null.
//
// A tag `nystream:"name"` gives another name. With `nystream:"name,keep"` the field is a kept
// column: a target, a label, an identifier. `nystream:"-"` omits the field.
//
// The rows are copied, 8 bytes per number. It returns an error if T is not a struct, if a field has
// another type, if two columns have the same name, or if a numeric column has an integer that
// float64 cannot represent.
func FromStructs[T any](name string, rows []T) (Gatherer, error) {
	fields, err := structFields(reflect.TypeFor[T]())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var numeric []structField
	var kept []Field
	var columns []Column
	var keptFields []structField
	for _, f := range fields {
		if f.numeric() {
			numeric = append(numeric, f)
			continue
		}
		kept, keptFields = append(kept, f.Field), append(keptFields, f)
		columns = append(columns, Column{Kind: f.Kind})
	}
	x, names := matrix.New(len(rows), len(numeric)), make([]string, len(numeric))
	for j, f := range numeric {
		names[j] = f.Name
	}
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		if err := numericInto(matrix.Row(x, i), row, numeric, name, int64(i)); err != nil {
			return nil, err
		}
		for k, f := range keptFields {
			f.appendTo(&columns[k], row)
		}
	}
	return withKept(name, x, names, kept, columns)
}

// withKept returns a matrix with named columns as a source, with kept columns.
func withKept(name string, x blas64.General, names []string, kept []Field, columns []Column) (Gatherer, error) {
	src := FromMatrix(name, x, names...)
	if len(kept) == 0 {
		return src, nil
	}
	return Beside(src, kept, columns...)
}

// structField is a field of a struct that is a column.
type structField struct {
	Field
	index   int
	pointer bool
	kind    reflect.Kind
}

// numeric reports whether the field is a numeric column.
func (f *structField) numeric() bool { return !f.Carried && f.Kind != String }

// structFields returns the columns of a struct type.
func structFields(t reflect.Type) (list []structField, err error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows are %v, and must be structs", t)
	}
	seen := map[string]bool{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("nystream"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		f := structField{Field: Field{Name: name, Carried: rest == "keep"}, index: i}
		of := field.Type
		if f.pointer = of.Kind() == reflect.Pointer; f.pointer {
			of = of.Elem()
		}
		f.kind = of.Kind()
		switch {
		case rest != "" && rest != "keep":
			return nil, fmt.Errorf("field %s of %v has the unknown option %q in its tag: keep is the only one", field.Name, t, rest)
		case f.kind == reflect.String:
			f.Kind, f.Category = String, !f.Carried
		case f.kind >= reflect.Int && f.kind <= reflect.Int64 || f.kind >= reflect.Uint8 && f.kind <= reflect.Uint32 || f.kind == reflect.Bool:
			f.Kind = Int64
		case f.kind == reflect.Float32 || f.kind == reflect.Float64:
			f.Kind = Float64
		default:
			return nil, fmt.Errorf("field %s of %v is a %v, which is no column: leave it out with the tag nystream:\"-\"", field.Name, t, field.Type)
		}
		if seen[name] {
			return nil, fmt.Errorf("two fields of %v are columns called %q", t, name)
		}
		seen[name] = true
		list = append(list, f)
	}
	return list, nil
}

// value returns the value of a field of a row; false for a null.
func (f *structField) value(row reflect.Value) (reflect.Value, bool) {
	v := row.Field(f.index)
	if !f.pointer {
		return v, true
	}
	return v.Elem(), !v.IsNil()
}

// integer returns the integer or bool of a value.
func (f *structField) integer(v reflect.Value) int64 {
	switch {
	case f.kind == reflect.Bool && v.Bool():
		return 1
	case f.kind == reflect.Bool:
		return 0
	case v.CanInt():
		return v.Int()
	}
	return int64(v.Uint())
}

// numericInto stores the numbers of a row in dst.
func numericInto(dst []float64, row reflect.Value, fields []structField, name string, number int64) error {
	for j := range fields {
		f := &fields[j]
		v, valid := f.value(row)
		switch {
		case !valid:
			dst[j] = math.NaN()
		case f.Kind == Float64:
			dst[j] = v.Float()
		default:
			n := f.integer(v)
			if dst[j] = float64(n); int64(dst[j]) != n || n == math.MaxInt64 {
				return NewValueError(name, number, f.Name, "no float64 is %d", n).WithRemedy("keep the column (keep in its tag), or leave it out")
			}
		}
	}
	return nil
}

// appendTo appends the value of a field to a kept column.
func (f *structField) appendTo(c *Column, row reflect.Value) {
	v, valid := f.value(row)
	if c.Valid == nil && !valid {
		c.Valid = allTrue(c.Len())
	}
	if c.Valid != nil {
		c.Valid = append(c.Valid, valid)
	}
	switch {
	case f.Kind == String && valid:
		c.Strings = append(c.Strings, v.String())
	case f.Kind == String:
		c.Strings = append(c.Strings, "")
	case f.Kind == Float64 && valid:
		c.Floats = append(c.Floats, v.Float())
	case f.Kind == Float64:
		c.Floats = append(c.Floats, math.NaN())
	case valid:
		c.Ints = append(c.Ints, f.integer(v))
	default:
		c.Ints = append(c.Ints, 0)
	}
}
