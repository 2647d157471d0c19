package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/kernelgen"
)

// Archive is a saved model: a header of words and numbers, and named arrays. Models
// write it with the Put methods and read it with the others, which remember the
// first thing that is wrong: a Load begins with [Archive.Open], takes all it needs
// and asks [Archive.Err] once.
type Archive struct {
	Header json.RawMessage
	Arrays []array.Array
	// Data says what rows the model takes, and Made how it came to be, in JSON of the program
	// that made its file; nil if nothing is said.
	Data, Made json.RawMessage
	// Prepared says that rows come with the [Archive.Preparation] of the fit. Without it a Load
	// refuses a model of prepared rows.
	Prepared bool

	prefix string // of the names of a part
	part   bool
	errs   *error // of a load, shared by the parts
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
	a.Arrays = append(a.Arrays, array.Array{Name: name, Shape: []int{len(v)}, Floats: v})
}

// PutInts adds a vector of whole numbers.
func (a *Archive) PutInts(name string, v []int64) {
	if v == nil {
		v = []int64{}
	}
	a.Arrays = append(a.Arrays, array.Array{Name: name, Shape: []int{len(v)}, Ints: v})
}

// PutMatrix adds a copy of a matrix without padding.
func (a *Archive) PutMatrix(name string, m blas64.General) {
	floats := make([]float64, 0, m.Rows*m.Cols)
	if m.Cols > 0 {
		for i := range m.Rows {
			floats = append(floats, m.Data[i*m.Stride:i*m.Stride+m.Cols]...)
		}
	}
	a.Arrays = append(a.Arrays, array.Array{Name: name, Shape: []int{m.Rows, m.Cols}, Floats: floats})
}

// PutPart adds the arrays of a model that is part of this one, their names behind a
// prefix. Its header is for a field of the header of the whole.
func (a *Archive) PutPart(prefix string, part *Archive) {
	for _, v := range part.Arrays {
		v.Name = prefix + v.Name
		a.Arrays = append(a.Arrays, v)
	}
}

// Part returns the archive of a model that is part of this one: see
// [Archive.PutPart]. Both share the first error.
func (a *Archive) Part(prefix string, header json.RawMessage) *Archive {
	return &Archive{Header: header, Arrays: a.Arrays, Prepared: true, prefix: a.prefix + prefix, part: true, errs: a.first()}
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

// ReadHeader reads the header into a struct, and forgets the errors of loads before. It fails
// unless rows are [Archive.Prepared].
func (a *Archive) ReadHeader(header any) {
	if !a.part {
		a.errs = nil
	}
	a.checkPrepared()
	if err := json.Unmarshal(a.Header, header); err != nil {
		a.Fail("header: %w", err)
	}
}

// loaders are the packages that load models of a method, where that is not lowrank.
var loaders = map[string]string{"ksvd": "ksvd", "ism": "ism", "askls": "askls", "operator": "rkhs", "rkhs": "rkhs", "transport": "transport"}

// Open begins the load of a package of solvers: it reads the header into a struct. It reports
// false, and fails, if that cannot be, or if another package loads the method.
func (a *Archive) Open(family string, header any) bool {
	var of struct{ Method string }
	a.ReadHeader(&of)
	loader := cmp.Or(loaders[of.Method], "lowrank")
	if loader != family {
		a.Fail("header: a model of method %q: load it by %s.Load", of.Method, loader)
		return false
	}
	a.ReadHeader(header)
	return a.Err() == nil
}

// Has reports whether there is an array of that name.
func (a *Archive) Has(name string) bool {
	for _, v := range a.Arrays {
		if v.Name == a.prefix+name {
			return true
		}
	}
	return false
}

func (a *Archive) find(name string) array.Array {
	for _, v := range a.Arrays {
		if v.Name == a.prefix+name {
			return v
		}
	}
	a.Fail("array %s is missing", a.prefix+name)
	return array.Array{}
}

// Vector returns a vector of n finite numbers; n below 0 stands for any number.
func (a *Archive) Vector(name string, n int) []float64 {
	v := a.find(name)
	if len(v.Shape) != 1 || v.Ints != nil || !v.Sound() || n >= 0 && v.Shape[0] != n {
		a.Fail("array %s is %s, expected a vector of %s numbers", a.prefix+name, words(v), sizeWord(n))
		return nil
	}
	a.finite(v)
	return v.Floats
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
	v := a.find(name)
	if len(v.Shape) != 1 || v.Floats != nil || !v.Sound() || n >= 0 && v.Shape[0] != n {
		a.Fail("array %s is %s, expected a vector of %s whole numbers", a.prefix+name, words(v), sizeWord(n))
		return nil
	}
	return v.Ints
}

// Matrix returns a matrix of finite numbers; rows or cols below 0 stand for any
// number.
func (a *Archive) Matrix(name string, rows, cols int) blas64.General {
	v := a.find(name)
	if len(v.Shape) != 2 || !v.Sound() || rows >= 0 && v.Shape[0] != rows || cols >= 0 && v.Shape[1] != cols {
		a.Fail("array %s is %s, expected %s×%s", a.prefix+name, words(v), sizeWord(rows), sizeWord(cols))
		return blas64.General{Stride: 1}
	}
	a.finite(v)
	return blas64.General{Rows: v.Shape[0], Cols: v.Shape[1], Stride: max(1, v.Shape[1]), Data: v.Floats}
}

// finite refuses numbers that no fit gives.
func (a *Archive) finite(of array.Array) {
	for i, v := range of.Floats {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			a.Fail("number %d of array %s is %v", i, of.Name, v)
			return
		}
	}
}

// words describes an array.
func words(a array.Array) string {
	kind, n := "numbers", len(a.Floats)
	if a.Ints != nil {
		kind, n = "whole numbers", len(a.Ints)
	}
	if len(a.Shape) == 2 {
		return fmt.Sprintf("%d×%d with %d %s", a.Shape[0], a.Shape[1], n, kind)
	}
	return fmt.Sprintf("%d %s", n, kind)
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
