package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/internal/matrix"
)

// forgery is a changed model.
type forgery struct {
	change string
	kind   string // the kind of change, without its position
	file   *archive.Archive
}

// forgeries returns copies of a model, each with one array or header field changed.
func forgeries(genuine *archive.Archive) (all []forgery) {
	for i := range genuine.Arrays {
		for name, change := range arrayChanges {
			if forged := changedArray(genuine, i, change); forged != nil {
				all = append(all, forgery{fmt.Sprintf("array %s %s", genuine.Arrays[i].Name, name), "array " + name, forged})
			}
		}
	}
	for _, meta := range changedHeaders(genuine.Meta) {
		all = append(all, forgery{meta.change, meta.kind, &archive.Archive{Meta: meta.text, Arrays: genuine.Arrays}})
	}
	slices.SortFunc(all, func(a, b forgery) int { return strings.Compare(a.change, b.change) })
	return all
}

// arrayChanges change array i of a model.
var arrayChanges = map[string]func(arrays []array.Array, i int) []array.Array{
	"dropped": func(arrays []array.Array, i int) []array.Array { return slices.Delete(arrays, i, i+1) },
	"with the numbers of the next": func(arrays []array.Array, i int) []array.Array {
		j := (i + 1) % len(arrays)
		arrays[i].Name, arrays[j].Name = arrays[j].Name, arrays[i].Name
		return arrays
	},
	"without its last row": func(arrays []array.Array, i int) []array.Array {
		a := &arrays[i]
		if a.Shape[0] == 0 {
			return nil
		}
		a.Shape[0]--
		n := product(a.Shape)
		a.Floats, a.Ints = a.Floats[:min(n, len(a.Floats))], a.Ints[:min(n, len(a.Ints))]
		return arrays
	},
	"with a column more": func(arrays []array.Array, i int) []array.Array {
		a := &arrays[i]
		if len(a.Shape) < 2 {
			return nil
		}
		a.Shape[1]++
		a.Floats = append(a.Floats, make([]float64, a.Shape[0])...)
		return arrays
	},
	"turned": func(arrays []array.Array, i int) []array.Array {
		if len(arrays[i].Shape) < 2 {
			return nil
		}
		slices.Reverse(arrays[i].Shape)
		return arrays
	},
	"flat": func(arrays []array.Array, i int) []array.Array {
		arrays[i].Shape = []int{product(arrays[i].Shape)}
		return arrays
	},
	"empty": func(arrays []array.Array, i int) []array.Array {
		a := &arrays[i]
		a.Shape[0] = 0
		a.Floats, a.Ints = a.Floats[:0], a.Ints[:0]
		return arrays
	},
	"of another type": func(arrays []array.Array, i int) []array.Array {
		a := &arrays[i]
		n := product(a.Shape)
		if a.Ints != nil {
			a.Ints, a.Floats = nil, make([]float64, n)
		} else {
			a.Shape, a.Floats, a.Ints = []int{n}, nil, make([]int64, n)
		}
		return arrays
	},
	"with NaN":         setNumber(0, math.NaN()),
	"with Inf":         setNumber(-1, math.Inf(1)),
	"with 1e300":       setNumber(0, 1e300),
	"with -1e300":      setNumber(-1, -1e300),
	"with 1e160":       setNumber(0, 1e160),
	"with -1":          setNumber(0, -1),
	"with 0":           setNumber(0, 0),
	"with the largest": setNumber(-1, math.MaxInt64),
	"with the least":   setNumber(0, math.MinInt64),
	"of nothing but 1e300": func(arrays []array.Array, i int) []array.Array {
		for k := range arrays[i].Floats {
			arrays[i].Floats[k] = 1e300
		}
		return arrays
	},
	"of nothing but 0": func(arrays []array.Array, i int) []array.Array {
		clear(arrays[i].Floats)
		clear(arrays[i].Ints)
		return arrays
	},
}

// product returns the number of values of a shape.
func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// setNumber stores v at an index, counted from the end if negative. Integer arrays get the nearest possible value.
func setNumber(at int, v float64) func([]array.Array, int) []array.Array {
	return func(arrays []array.Array, i int) []array.Array {
		a := &arrays[i]
		n := max(len(a.Floats), len(a.Ints))
		if n == 0 || a.Ints != nil && (!matrix.IsFinite(v) || math.Abs(v) > math.MaxInt64) {
			return nil
		}
		k := (at + n) % n
		switch {
		case a.Ints == nil:
			a.Floats[k] = v
		case v >= math.MaxInt64:
			a.Ints[k] = math.MaxInt64
		default:
			a.Ints[k] = int64(v)
		}
		return arrays
	}
}

// changedArray returns a copy of the model with one array changed, or nil if the change does not apply.
func changedArray(genuine *archive.Archive, i int, change func([]array.Array, int) []array.Array) *archive.Archive {
	arrays := slices.Clone(genuine.Arrays)
	for k := range arrays {
		a := &arrays[k]
		a.Shape, a.Floats, a.Ints = slices.Clone(a.Shape), slices.Clone(a.Floats), slices.Clone(a.Ints)
	}
	if arrays = change(arrays, i); arrays == nil {
		return nil
	}
	return &archive.Archive{Meta: genuine.Meta, Arrays: arrays}
}

// changedHeader is a header with a description of its change.
type changedHeader struct {
	change, kind string
	text         []byte
}

// fieldValues are tried in each field of a header.
var fieldValues = []string{"null", "0", "-1", "1", "7", "1e300", "4611686018427387904", `""`, `"x"`, "true", "false", "[]", "{}",
	`"rbf(gamma=median)"`, `"sne(gamma=1)"`, `"linear()"`, `"gaussian(sigma=1e-300)"`, `"poly(degree=9, gamma=1e300, coef0=1e300)"`, `"float32"`, `"lowrank"`, `"exact"`, `"exp"`, `"landmark"`}

// changedHeaders returns copies of a header, each with one field at any depth removed or replaced by a value of its
// type.
func changedHeaders(meta []byte) (all []changedHeader) {
	var fields orderedFields
	if err := json.Unmarshal(meta, &fields); err != nil {
		panic(err)
	}
	walkFields(fields, "", func(f orderedFields) []byte { return f.text() }, func(path, value string, text []byte) {
		all = append(all, changedHeader{fmt.Sprintf("header %s = %s", path, value), "field " + value, text})
	})
	return all
}

// orderedFields is a JSON object whose fields keep their order.
type orderedFields []orderedField

type orderedField struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (f *orderedFields) UnmarshalJSON(text []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for name, value := range values {
		*f = append(*f, orderedField{name, value})
	}
	slices.SortFunc(*f, func(a, b orderedField) int { return strings.Compare(a.name, b.name) })
	if i := slices.IndexFunc(*f, func(v orderedField) bool { return v.name == "data" }); i >= 0 { // the last, as in model files
		data := (*f)[i]
		*f = append(slices.Delete(*f, i, i+1), data)
	}
	return nil
}

// text writes the object.
func (f orderedFields) text() []byte {
	out := []byte("{")
	for i, v := range f {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", v.name, v.value)
	}
	return append(out, '}')
}

// walkFields passes every change of a field to found. whole rebuilds the header from the fields of this object.
func walkFields(fields orderedFields, path string, whole func(orderedFields) []byte, found func(path, value string, text []byte)) {
	for i, f := range fields {
		name := path + f.name
		found(name, "nothing", whole(slices.Delete(slices.Clone(fields), i, i+1)))
		with := func(value []byte) []byte {
			changed := slices.Clone(fields)
			changed[i].value = value
			return whole(changed)
		}
		for _, value := range fieldValues {
			if sameType(f.value, value) && string(f.value) != value {
				found(name, value, with([]byte(value)))
			}
		}
		if f.value[0] == '{' {
			var inner orderedFields
			if err := json.Unmarshal(f.value, &inner); err != nil {
				panic(err)
			}
			walkFields(inner, name+".", func(o orderedFields) []byte { return with(o.text()) }, found)
		}
	}
}

// sameType reports whether a JSON value has the type of another, or is null.
func sameType(of json.RawMessage, value string) bool {
	kind := func(c byte) byte {
		switch {
		case c == 't' || c == 'f':
			return 'b'
		case c == '-' || c >= '0' && c <= '9':
			return '0'
		}
		return c
	}
	return value == "null" || kind(of[0]) == kind(value[0])
}
