package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// forFit returns the engine for the passes of a fit. Its states belong to the method with its parameters,
// the kernel and the facts of the data.
func forFit(e stream.Engine, method any, d Data, k kernelgen.Kernel) stream.Engine {
	if e.Run == nil {
		return e
	}
	fit, facts := &describer{}, &describer{}
	fit.add("method", reflect.ValueOf(method))
	fit.line("kernel", k.String())
	facts.add("facts", reflect.ValueOf(d.Facts()))
	return e.For(fit.text()).Given([]byte(facts.text()))
}

// ForModel returns the engine for passes over rows whose results depend on a model. States of passes with
// another model are refused.
func ForModel(e stream.Engine, m Model) (stream.Engine, error) {
	if e.Run == nil {
		return e, nil
	}
	a, err := m.Save()
	if err != nil {
		return e, err
	}
	w := &describer{}
	w.add("model", reflect.ValueOf([]any{a.Header, a.Arrays}))
	return e.For("model " + hash(w.text())), nil
}

// describer writes values down as lines of a path and a value, with all digits of numbers.
type describer struct{ lines []string }

// text returns all lines.
func (w *describer) text() string { return strings.Join(w.lines, "\n") }

func (w *describer) line(path, value string) { w.lines = append(w.lines, path+" "+value) }

// longest is the number of elements of the longest slice that is written down: a longer one is hashed.
const longest = 16

// The types that add knows: texts describe kernels and maps.
var (
	kernelType = reflect.TypeFor[kernelgen.Kernel]()
	mapType    = reflect.TypeFor[kernelgen.Map]()
	sourceType = reflect.TypeFor[stream.Source]()
)

// add writes down a value, and all that it holds. A source stands for its columns and the number of its
// rows: states have a fingerprint of the rows. Fields named Memory are limits of a plan, whose
// choice names itself.
func (w *describer) add(path string, v reflect.Value) {
	switch {
	case !v.IsValid():
		w.line(path, "nil")
	case v.CanInterface() && (v.Type() == kernelType || v.Type() == mapType):
		w.line(path, fmt.Sprint(v.Interface()))
	case v.CanInterface() && v.Kind() != reflect.Interface && v.Type().Implements(sourceType):
		info := v.Interface().(stream.Source).Info()
		w.line(path, fmt.Sprintf("source of %d rows, columns %s", info.Rows, hash(strings.Join(info.Columns, "\n"))))
	default:
		w.addKind(path, v)
	}
}

// addKind writes down a value that does not describe itself.
func (w *describer) addKind(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		w.add(path, v.Elem())
	case reflect.Struct:
		w.line(path, v.Type().String())
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Memory" {
				w.add(name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		w.addList(path, v)
	default:
		w.line(path, scalar(v))
	}
}

// addList writes down the elements of a list, or a hash of many.
func (w *describer) addList(path string, v reflect.Value) {
	if v.Len() <= longest {
		w.line(path, fmt.Sprintf("%d elements", v.Len()))
		for i := range v.Len() {
			w.add(path+" "+strconv.Itoa(i), v.Index(i))
		}
		return
	}
	sum, part := sha256.New(), &describer{}
	for i := range v.Len() {
		part.add("", v.Index(i))
		for _, line := range part.lines {
			fmt.Fprintln(sum, line)
		}
		part.lines = part.lines[:0]
	}
	w.line(path, fmt.Sprintf("%d elements %x", v.Len(), sum.Sum(nil)))
}

// scalar returns the text of a value that holds no others: the bits of a number, the name of an enumeration.
func scalar(v reflect.Value) string {
	if named, ok := interfaceOf(v).(fmt.Stringer); ok {
		return named.String()
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	}
	panic(fmt.Sprintf("model: a %v cannot decide a fit", v.Type()))
}

// interfaceOf returns a value of an exported field, or nil.
func interfaceOf(v reflect.Value) any {
	if v.CanInterface() {
		return v.Interface()
	}
	return nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
