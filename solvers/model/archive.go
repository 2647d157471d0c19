package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/kernelgen"
)

// Archive is a saved model: a header of words and numbers, and named arrays. [NewArchive] makes it from a file, which
// is a struct with tags, and [Archive.Open] reads it back. An Archive keeps the first error: a Load opens it, checks
// the conditions that no tag states, and calls [Archive.Err] once.
type Archive struct {
	Header json.RawMessage
	Arrays []array.Array
	// Data describes the rows of the model, and Provenance how it was made. Both are JSON of the program that
	// wrote the file, or nil.
	Data, Provenance json.RawMessage
	// TakesPrepared asserts that rows will come with the [Archive.Preparation] of the fit. Unless it is set, a Load
	// refuses a model of prepared rows.
	TakesPrepared bool

	part   bool   // the archive is part of another one
	prefix string // of the names of its arrays there
	errs   *error // of a load, shared by all parts
}

// NewArchive returns the archive of a file, which is a struct or a pointer to one. Its JSON is the header. Its fields
// with a tag `array` are the arrays, in this order; they share the memory of the fields. See the package comment for
// the tags. It fails, naming the field, if JSON cannot represent a number.
func NewArchive(file any) (*Archive, error) {
	text, err := json.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("model header: %w", err)
	}
	a := &Archive{Header: text}
	if v := reflect.Indirect(reflect.ValueOf(file)); v.Kind() == reflect.Struct {
		(&codec{archive: a}).file(v, "", sizes{})
	}
	return a, a.Err()
}

// MarshalJSON returns the header: within another model, it is a field of the header.
func (a *Archive) MarshalJSON() ([]byte, error) { return a.Header, nil }

// UnmarshalJSON sets the header.
func (a *Archive) UnmarshalJSON(text []byte) error {
	a.Header = bytes.Clone(text)
	return nil
}

// first returns the location of the first error, which all parts share.
func (a *Archive) first() *error {
	if a.errs == nil {
		a.errs = new(error)
	}
	return a.errs
}

// Err returns the first error recorded, or nil.
func (a *Archive) Err() error { return *a.first() }

// Fail records an error unless an earlier one is recorded.
func (a *Archive) Fail(format string, args ...any) {
	if first := a.first(); *first == nil {
		*first = fmt.Errorf(format, args...)
	}
}

// Check records err like [Archive.Fail], unless it is nil.
func (a *Archive) Check(err error) {
	if err != nil {
		a.Fail("%w", err)
	}
}

// Read reads the header and the arrays into file, a pointer to a struct, and checks the conditions in its tags. It
// clears the errors of earlier loads. It fails for a model of prepared rows unless [Archive.TakesPrepared] is set.
func (a *Archive) Read(file any) bool {
	if !a.part {
		a.errs = nil
	}
	a.checkPrepared()
	if err := json.Unmarshal(a.Header, file); err != nil {
		a.Fail("header: %w", err)
	}
	(&codec{archive: a, read: true}).file(reflect.ValueOf(file).Elem(), "", sizes{})
	return a.Err() == nil
}

// loaders maps methods to the packages that load their models. All others belong to lowrank.
var loaders = map[string]string{"ksvd": "ksvd", "ism": "ism", "askls": "askls", "operator": "rkhs", "transport": "transport", "ridge": "ridge"}

// Open begins the Load of a family: it is [Archive.Read], and fails for methods of other families.
func (a *Archive) Open(family string, file any) bool {
	var of struct{ Method string }
	a.Read(&of)
	if loader := loaderOf(of.Method); loader != family {
		a.Fail("header: this is a model of %s: load it by %s.Load or modelfile.Open", of.Method, loader)
		return false
	}
	return a.Read(file)
}

// Family returns the package of solvers that loads the model.
func (a *Archive) Family() string {
	var of struct{ Method string }
	_ = json.Unmarshal(a.Header, &of) // Load reports the error
	return loaderOf(of.Method)
}

func loaderOf(method string) string { return cmp.Or(loaders[method], "lowrank") }

// Kernel parses a kernel whose parameters are numbers. Custom kernels need their profiles.
func (a *Archive) Kernel(text string, profiles ...kernelgen.Profile) kernelgen.Kernel {
	k, err := kernelgen.Parse(text, profiles...)
	a.Check(err)
	if err == nil && !k.Resolved() {
		a.Fail("header: kernel %s has a word for a number, which a fit replaces", text)
	}
	return k
}

// Names returns the names of all arrays.
func (a *Archive) Names() []string {
	names := make([]string, len(a.Arrays))
	for i, v := range a.Arrays {
		names[i] = v.Name
	}
	return names
}

// find returns an array by name, with the prefix of the part.
func (a *Archive) find(name string) (array.Array, bool) {
	i := slices.IndexFunc(a.Arrays, func(v array.Array) bool { return v.Name == a.prefix+name })
	if i < 0 {
		return array.Array{}, false
	}
	return a.Arrays[i], true
}
