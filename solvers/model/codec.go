package model

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream/sparse"
)

// codec reads or writes the arrays of a file.
type codec struct {
	archive *Archive
	read    bool
}

// sizes holds the values of names in tags.
type sizes map[string]int64

// sizer is implemented by a file, or a part, that derives sizes from its header. It calls [Archive.Fail] if no fit
// produces such a header.
type sizer interface {
	Sizes(a *Archive) map[string]int64
}

// slot is the parsed tag of an array or a part.
type slot struct {
	name     string // with the prefixes of enclosing parts
	sizes    []string
	options  map[string]string // the value is "" for an option without one
	inHeader bool              // the field is in the header too
}

// slotOf returns the tag of a field, or nil.
func slotOf(field reflect.StructField, prefix string) *slot {
	tag, tagged := field.Tag.Lookup("array")
	if !tagged {
		return nil
	}
	words := strings.Split(tag, ",")
	json := field.Tag.Get("json")
	s := &slot{name: prefix + words[0], options: map[string]string{}, inHeader: json != "" && json != "-"}
	for _, word := range words[1:] {
		option, value, hasValue := strings.Cut(word, "=")
		if hasValue || option == "descending" || option == "optional" {
			s.options[option] = value
		} else {
			s.sizes = append(s.sizes, word)
		}
	}
	return s
}

func (s *slot) is(option string) bool {
	_, is := s.options[option]
	return is
}

// file reads or writes the arrays of a file or a part. It stops at the first error.
func (c *codec) file(v reflect.Value, prefix string, known sizes) {
	c.learn(v, known)
	for i := range v.NumField() {
		s := slotOf(v.Type().Field(i), prefix)
		if c.archive.Err() != nil || s == nil || !known.want(s.options["if"]) {
			continue
		}
		if _, has := c.archive.find(s.name); c.read && s.is("optional") && !has {
			continue
		}
		switch at := v.Field(i); at.Interface().(type) {
		case []float64, []int64, blas64.General, *sparse.CSR:
			if c.read {
				c.take(at, s, known)
			} else {
				c.put(at.Interface(), s, known)
			}
		case *Archive:
			c.model(at.Interface().(*Archive), s.name)
		default:
			c.part(at, s, known)
		}
	}
}

// learn adds the sizes from the header of a file, and checks their minimums.
func (c *codec) learn(v reflect.Value, known sizes) {
	for i := range v.NumField() {
		field, at := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		var n int64
		switch at.Kind() {
		case reflect.Int, reflect.Int64:
			n = at.Int()
		case reflect.Slice, reflect.String:
			n = int64(at.Len())
		default:
			if !at.IsZero() {
				n = 1
			}
		}
		known[name] = n
		least, _ := strconv.ParseInt(field.Tag.Get("min"), 10, 64)
		switch {
		case n >= least || !c.read:
		case at.Kind() == reflect.Pointer:
			c.archive.Fail("header: %s is missing", name)
		default:
			c.archive.Fail("header: %s is %v, expected at least %d", name, at, least)
		}
	}
	if f, is := v.Interface().(sizer); is {
		maps.Copy(known, f.Sizes(c.archive))
	}
}

// want reports whether a condition holds.
func (known sizes) want(condition string) bool {
	name, not := strings.CutPrefix(condition, "!")
	return name == "" || (known[name] == 0) == not
}

// part reads or writes a nested struct, or the target of a pointer.
func (c *codec) part(at reflect.Value, s *slot, known sizes) {
	if at.Kind() == reflect.Pointer {
		if at.IsNil() && (!c.read || s.inHeader) {
			return
		}
		if at.IsNil() {
			at.Set(reflect.New(at.Type().Elem()))
		}
		at = at.Elem()
	}
	if own := maps.Clone(known); len(s.options) > 0 {
		for name, of := range s.options {
			own[name] = known[of]
		}
		known = own
	}
	c.file(at, s.name, known)
}

// model reads or writes a nested model.
func (c *codec) model(m *Archive, prefix string) {
	switch a := c.archive; {
	case m == nil:
	case c.read:
		m.Arrays, m.TakesPrepared, m.part, m.prefix, m.errs = a.Arrays, true, true, a.prefix+prefix, a.first()
	default:
		for _, v := range m.Arrays {
			v.Name = prefix + v.Name
			a.Arrays = append(a.Arrays, v)
		}
	}
}

// put writes an array, unless it is optional and empty. The archive shares the memory of the array; only matrices with
// padding are copied.
func (c *codec) put(value any, s *slot, known sizes) {
	out, empty := array.Array{Name: s.name}, false
	switch v := value.(type) {
	case []float64:
		out.Shape, out.Floats, empty = []int{len(v)}, notNil(v), v == nil
	case []int64:
		out.Shape, out.Ints, empty = []int{len(v)}, notNil(v), v == nil
	case blas64.General:
		if v.Rows > 1 && v.Stride != v.Cols {
			v = matrix.Clone(v)
		}
		size := v.Rows * v.Cols
		out.Shape, out.Floats, empty = []int{v.Rows, v.Cols}, notNil(v.Data[:size:size]), v.Rows == 0
	case *sparse.CSR:
		c.putSparse(v, s.name)
		return
	}
	if empty && s.is("optional") {
		return
	}
	for i, size := range s.sizes {
		known.set(size, out.Shape[i])
	}
	c.archive.Arrays = append(c.archive.Arrays, out)
}

func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

func (c *codec) putSparse(m *sparse.CSR, name string) {
	index := make([]int64, len(m.Index))
	for p, j := range m.Index {
		index[p] = int64(j)
	}
	c.put(m.Start, &slot{name: name + "_start"}, nil)
	c.put(index, &slot{name: name + "_index"}, nil)
	if m.Value != nil {
		c.put(m.Value, &slot{name: name + "_value"}, nil)
	}
}

// take reads an array and checks it.
func (c *codec) take(at reflect.Value, s *slot, known sizes) {
	switch to := at.Addr().Interface().(type) {
	case *[]float64:
		*to = c.archive.vector(s.name, known.of(s.sizes[0]))
		known.set(s.sizes[0], len(*to))
		if s.is("descending") {
			c.descends(*to, s.name)
		}
	case *[]int64:
		*to = c.archive.array(s.name, true, known.of(s.sizes[0])).Ints
		known.set(s.sizes[0], len(*to))
		if s.is("below") {
			c.ascends(*to, s.name, known.of(s.options["below"]))
		}
	case *blas64.General:
		*to = c.archive.matrix(s.name, known.of(s.sizes[0]), known.of(s.sizes[1]))
		known.set(s.sizes[0], to.Rows)
		known.set(s.sizes[1], to.Cols)
	case **sparse.CSR:
		*to = c.takeSparse(s.name, known.of(s.sizes[0]), known.of(s.sizes[1]))
		known.set(s.sizes[0], (*to).Rows)
	}
}

// of returns a size, or −1 if it is not known yet.
func (known sizes) of(word string) int64 {
	if n, is := known[word]; is {
		return n
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n
	}
	return -1
}

func (known sizes) set(word string, n int) {
	if _, is := known[word]; !is {
		known[word] = int64(n)
	}
}

// descends fails if an entry of v exceeds its predecessor.
func (c *codec) descends(v []float64, name string) {
	for i := 1; i < len(v); i++ {
		if v[i] > v[i-1] {
			c.archive.Fail("array %s does not descend: number %d is %v after %v", name, i, v[i], v[i-1])
			return
		}
	}
}

// ascends fails unless v holds row numbers of a source of the given length, in ascending order.
func (c *codec) ascends(v []int64, name string, rows int64) {
	for i, row := range v {
		if row < 0 || row >= rows || i > 0 && row < v[i-1] {
			c.archive.Fail("array %s does not ascend from 0 to below %d: number %d is %d", name, rows, i, row)
			return
		}
	}
}

// array returns an array by name. It fails unless shape and type match; a negative size matches any.
func (a *Archive) array(name string, ints bool, shape ...int64) array.Array {
	v, has := a.find(name)
	if !has {
		a.Fail("array %s is missing", a.prefix+name)
		return array.Array{Shape: make([]int, len(shape))}
	}
	fits := len(v.Shape) == len(shape) && v.Sound() && (v.Ints != nil) == ints
	for i := 0; fits && i < len(shape); i++ {
		fits = shape[i] < 0 || int64(v.Shape[i]) == shape[i]
	}
	if !fits {
		a.Fail("array %s is %s, expected %s", a.prefix+name, describeShape(v), describeExpected(ints, shape))
		return array.Array{Shape: make([]int, len(shape))}
	}
	for i, x := range v.Floats {
		if !matrix.IsFinite(x) {
			a.Fail("number %d of array %s is %v", i, v.Name, x)
			break
		}
	}
	return v
}

// vector returns a vector of n finite numbers.
func (a *Archive) vector(name string, n int64) []float64 { return a.array(name, false, n).Floats }

// Ints returns the array added by [Archive.PutInts]. It fails unless the array has n numbers; a negative n allows any
// length.
func (a *Archive) Ints(name string, n int) []int64 { return a.array(name, true, int64(n)).Ints }

// PutInts adds an array of the program to those of the model.
func (a *Archive) PutInts(name string, v []int64) {
	(&codec{archive: a}).put(v, &slot{name: name}, nil)
}

// matrix returns a matrix of finite numbers.
func (a *Archive) matrix(name string, rows, cols int64) blas64.General {
	v := a.array(name, false, rows, cols)
	return matrix.Of(v.Floats, v.Shape[0], v.Shape[1])
}

// takeSparse returns a matrix of compressed rows. Values are 1 if there is no array of them.
func (c *codec) takeSparse(name string, rows, cols int64) *sparse.CSR {
	a := c.archive
	start, index := a.Ints(name+"_start", -1), a.Ints(name+"_index", -1)
	var value []float64
	if _, has := a.find(name + "_value"); has {
		value = a.vector(name+"_value", int64(len(index)))
	}
	m := &sparse.CSR{Start: []int64{0}}
	switch n := len(start) - 1; {
	case a.Err() != nil:
		return m
	case n < 0 || start[0] != 0 || start[n] != int64(len(index)) || !slices.IsSorted(start):
		a.Fail("array %s_start does not ascend from 0 to %d", name, len(index))
		return m
	case rows >= 0 && int64(n) != rows || cols < 0 || cols > math.MaxInt32:
		a.Fail("array %s_start is of %d×%d, expected %s", name, n, cols, describeExpected(false, []int64{rows, cols}))
		return m
	}
	m = &sparse.CSR{Rows: len(start) - 1, Cols: int(cols), Start: start, Index: make([]int32, len(index)), Value: value}
	for i := range m.Rows {
		last := int64(-1)
		for p := start[i]; p < start[i+1]; p++ {
			if index[p] <= last || index[p] >= cols {
				a.Fail("array %s_index: the columns of row %d do not ascend strictly below %d", name, i, cols)
				return m
			}
			last = index[p]
			m.Index[p] = int32(last)
		}
	}
	return m
}

// describeShape describes an array.
func describeShape(a array.Array) string {
	kind, n := "numbers", len(a.Floats)
	if a.Ints != nil {
		kind, n = "whole numbers", len(a.Ints)
	}
	if len(a.Shape) == 2 {
		return fmt.Sprintf("%d×%d with %d %s", a.Shape[0], a.Shape[1], n, kind)
	}
	return fmt.Sprintf("%d %s", n, kind)
}

// describeExpected describes the array that the file should have.
func describeExpected(ints bool, shape []int64) string {
	words := make([]string, len(shape))
	for i, n := range shape {
		if words[i] = fmt.Sprint(n); n < 0 {
			words[i] = "any"
		}
	}
	switch {
	case len(shape) == 2:
		return strings.Join(words, "×")
	case ints:
		return fmt.Sprintf("a vector of %s whole numbers", words[0])
	}
	return fmt.Sprintf("a vector of %s numbers", words[0])
}
