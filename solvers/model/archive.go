package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
)

// Archive is a saved model: a header of words and numbers, and named arrays. Models
// write it with the Put methods and read it with the others, which remember the
// first thing that is wrong: a Load takes all it needs and asks [Archive.Err] once.
type Archive struct {
	Header json.RawMessage
	Arrays []Array
	// Data says what rows the model takes, and Made how it came to be, in JSON of the program
	// that made its file; nil if nothing is said.
	Data, Made json.RawMessage

	prefix string // of the names of a part
	errs   *error // shared by the parts
}

// Array is a named array of a saved model: a matrix of float64, or a vector of
// float64 or int64 when Cols is 0.
type Array struct {
	Name       string
	Rows, Cols int
	Floats     []float64 // row-major
	Ints       []int64
}

// Shape returns the length of a vector, or the rows and columns of a matrix.
func (array Array) Shape() []int {
	if array.Cols == 0 && len(array.Floats)+len(array.Ints) == array.Rows {
		return []int{array.Rows}
	}
	return []int{array.Rows, array.Cols}
}

// NewArchive returns an archive with a header, which is written as JSON. The error
// names a number that JSON cannot hold.
func NewArchive(header any) (*Archive, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("model header: %w", err)
	}
	return &Archive{Header: text}, nil
}

// PutVector adds a vector.
func (a *Archive) PutVector(name string, v []float64) {
	if v == nil {
		v = []float64{}
	}
	a.Arrays = append(a.Arrays, Array{Name: name, Rows: len(v), Floats: v})
}

// PutInts adds a vector of whole numbers.
func (a *Archive) PutInts(name string, v []int64) {
	if v == nil {
		v = []int64{}
	}
	a.Arrays = append(a.Arrays, Array{Name: name, Rows: len(v), Ints: v})
}

// PutMatrix adds a copy of a matrix without padding.
func (a *Archive) PutMatrix(name string, m blas64.General) {
	floats := make([]float64, 0, m.Rows*m.Cols)
	if m.Cols > 0 {
		for i := range m.Rows {
			floats = append(floats, m.Data[i*m.Stride:i*m.Stride+m.Cols]...)
		}
	}
	a.Arrays = append(a.Arrays, Array{Name: name, Rows: m.Rows, Cols: m.Cols, Floats: floats})
}

// PutPart adds the arrays of a model that is part of this one, their names behind a
// prefix. Its header is for a field of the header of the whole.
func (a *Archive) PutPart(prefix string, part *Archive) {
	for _, array := range part.Arrays {
		array.Name = prefix + array.Name
		a.Arrays = append(a.Arrays, array)
	}
}

// Part returns the archive of a model that is part of this one: see
// [Archive.PutPart]. Both share the first error.
func (a *Archive) Part(prefix string, header json.RawMessage) *Archive {
	return &Archive{Header: header, Arrays: a.Arrays, prefix: a.prefix + prefix, errs: a.first()}
}

// first returns the place of the first error.
func (a *Archive) first() *error {
	if a.errs == nil {
		a.errs = new(error)
	}
	return a.errs
}

// Err returns the first thing that was wrong, or nil.
func (a *Archive) Err() error { return *a.first() }

// Fail remembers what is wrong, unless something was before.
func (a *Archive) Fail(format string, args ...any) {
	if first := a.first(); *first == nil {
		*first = fmt.Errorf("model: "+format, args...)
	}
}

// Check remembers an error, if it is one, as [Archive.Fail] does.
func (a *Archive) Check(err error) {
	if err != nil {
		a.Fail("%w", err)
	}
}

// ReadHeader reads the header into a struct.
func (a *Archive) ReadHeader(header any) {
	if err := json.Unmarshal(a.Header, header); err != nil {
		a.Fail("header: %w", err)
	}
}

// Has reports whether there is an array of that name.
func (a *Archive) Has(name string) bool {
	for _, array := range a.Arrays {
		if array.Name == a.prefix+name {
			return true
		}
	}
	return false
}

func (a *Archive) find(name string) Array {
	for _, array := range a.Arrays {
		if array.Name == a.prefix+name {
			return array
		}
	}
	a.Fail("array %s is missing", a.prefix+name)
	return Array{}
}

// Vector returns a vector of n finite numbers; n below 0 stands for any number.
func (a *Archive) Vector(name string, n int) []float64 {
	array := a.find(name)
	if array.Cols != 0 || array.Ints != nil || len(array.Floats) != array.Rows || n >= 0 && array.Rows != n {
		a.Fail("array %s is %s, expected a vector of %s numbers", a.prefix+name, array.words(), sizeWord(n))
		return nil
	}
	a.finite(array)
	return array.Floats
}

// Descending returns a vector of n finite numbers of which none is larger than the one
// before; n below 0 stands for any number.
func (a *Archive) Descending(name string, n int) []float64 {
	v := a.Vector(name, n)
	for i := 1; i < len(v); i++ {
		if v[i] > v[i-1] {
			a.Fail("array %s does not descend: number %d is %v after %v", a.prefix+name, i, v[i], v[i-1])
			break
		}
	}
	return v
}

// RowNumbers returns the numbers of n rows of a source with so many rows, in ascending
// order.
func (a *Archive) RowNumbers(name string, n int, rows int64) []int64 {
	v := a.Ints(name, n)
	for i, row := range v {
		if row < 0 || row >= rows || i > 0 && row < v[i-1] {
			a.Fail("array %s does not ascend from 0 to below %d: number %d is %d", a.prefix+name, rows, i, row)
			break
		}
	}
	return v
}

// Kernel returns the kernel of a text, whose parameters have to be numbers. A kernel of
// one's own needs its profile.
func (a *Archive) Kernel(text string, profiles ...kernelgen.Profile) kernelgen.Kernel {
	k, err := kernelgen.Parse(text, profiles...)
	a.Check(err)
	if err == nil && !k.Resolved() {
		a.Fail("header: kernel %s has a word for a number, which a fit replaces", text)
	}
	return k
}

// Ints returns a vector of n whole numbers; n below 0 stands for any number.
func (a *Archive) Ints(name string, n int) []int64 {
	array := a.find(name)
	if array.Cols != 0 || array.Floats != nil || len(array.Ints) != array.Rows || n >= 0 && array.Rows != n {
		a.Fail("array %s is %s, expected a vector of %s whole numbers", a.prefix+name, array.words(), sizeWord(n))
		return nil
	}
	return array.Ints
}

// Matrix returns a matrix of finite numbers; rows or cols below 0 stand for any
// number.
func (a *Archive) Matrix(name string, rows, cols int) blas64.General {
	array := a.find(name)
	if array.Ints != nil || array.Rows < 0 || array.Cols < 0 || len(array.Floats) != array.Rows*array.Cols || rows >= 0 && array.Rows != rows || cols >= 0 && array.Cols != cols {
		a.Fail("array %s is %s, expected %s×%s", a.prefix+name, array.words(), sizeWord(rows), sizeWord(cols))
		return blas64.General{Stride: 1}
	}
	a.finite(array)
	return blas64.General{Rows: array.Rows, Cols: array.Cols, Stride: max(1, array.Cols), Data: array.Floats}
}

// finite refuses numbers that no fit gives.
func (a *Archive) finite(array Array) {
	for i, v := range array.Floats {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			a.Fail("number %d of array %s is %v", i, array.Name, v)
			return
		}
	}
}

// words describes the array.
func (array Array) words() string {
	kind := "numbers"
	n := len(array.Floats)
	if array.Ints != nil {
		kind, n = "whole numbers", len(array.Ints)
	}
	if array.Cols == 0 {
		return fmt.Sprintf("%d %s", n, kind)
	}
	return fmt.Sprintf("%d×%d with %d %s", array.Rows, array.Cols, n, kind)
}

func sizeWord(n int) string {
	if n < 0 {
		return "any"
	}
	return fmt.Sprint(n)
}

// Names returns the names of all arrays.
func (a *Archive) Names() []string {
	var names []string
	for _, array := range a.Arrays {
		if name, ok := strings.CutPrefix(array.Name, a.prefix); ok {
			names = append(names, name)
		}
	}
	return names
}
