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

// Archive is a saved model: a header of words and numbers, and named arrays. [NewArchive] makes it of a
// file, a struct with tags, and [Archive.Open] reads it into one. An Archive remembers the first thing that
// is wrong: a Load opens it, checks what no tag says, and asks [Archive.Err] once.
type Archive struct {
	Header json.RawMessage
	Arrays []array.Array
	// Data says what rows the model takes, and Made how it came to be, in JSON of the program
	// that made its file; nil if nothing is said.
	Data, Made json.RawMessage
	// TakesPrepared says that rows come with the [Archive.Preparation] of the fit. Without it a Load
	// refuses a model of prepared rows.
	TakesPrepared bool

	part   bool   // of another archive
	prefix string // of its arrays there
	errs   *error // of a load, shared by the parts
}

// NewArchive returns the archive of a file, which is a struct or a pointer to one: its JSON is the header,
// and its fields with a tag `array` are the arrays, in this order, which share the memory of the fields. The package comment has the tags. The
// error names a number that JSON cannot hold.
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

// MarshalJSON returns the header. A model within another is a field of its header.
func (a *Archive) MarshalJSON() ([]byte, error) { return a.Header, nil }

// UnmarshalJSON sets the header.
func (a *Archive) UnmarshalJSON(text []byte) error {
	a.Header = bytes.Clone(text)
	return nil
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
		*first = fmt.Errorf(format, args...)
	}
}

// Check remembers an error, if it is one, as [Archive.Fail] does.
func (a *Archive) Check(err error) {
	if err != nil {
		a.Fail("%w", err)
	}
}

// Read reads the header and the arrays into a file, a pointer to a struct, and checks what its tags say. It
// forgets the errors of earlier loads, and fails unless rows are [Archive.TakesPrepared].
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

// loaders are the packages that load models of a method, where that is not lowrank.
var loaders = map[string]string{"ksvd": "ksvd", "ism": "ism", "askls": "askls", "operator": "rkhs", "transport": "transport", "ridge": "ridge"}

// Open begins the Load of a family: it is [Archive.Read] for the methods that this package of solvers loads.
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
	_ = json.Unmarshal(a.Header, &of) // the Load tells
	return loaderOf(of.Method)
}

func loaderOf(method string) string { return cmp.Or(loaders[method], "lowrank") }

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

// Names returns the names of all arrays.
func (a *Archive) Names() []string {
	names := make([]string, len(a.Arrays))
	for i, v := range a.Arrays {
		names[i] = v.Name
	}
	return names
}

// find returns the array of a name, of a model within another behind its prefix.
func (a *Archive) find(name string) (array.Array, bool) {
	i := slices.IndexFunc(a.Arrays, func(v array.Array) bool { return v.Name == a.prefix+name })
	if i < 0 {
		return array.Array{}, false
	}
	return a.Arrays[i], true
}
