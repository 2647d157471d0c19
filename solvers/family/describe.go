package family

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/nystream/nystream/solvers/model"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// forFit returns the engine for the passes of a fit. States are tied to the method and its parameters, the kernel and
// the facts of the data.
func forFit(e stream.Engine, method any, d model.Data, k kernelgen.Kernel) stream.Engine {
	if e.Run == nil {
		return e
	}
	fit, facts := &describer{}, &describer{}
	fit.add("method", reflect.ValueOf(method))
	fit.line("kernel", k.String())
	facts.add("facts", reflect.ValueOf(d.Facts()))
	return e.ForFit(fit.text()).WithInputs([]byte(facts.text()))
}

// ForModel returns the engine for passes whose results depend on a model. It refuses states of another model. It fails
// if the model cannot be saved.
func ForModel(e stream.Engine, m model.Model) (stream.Engine, error) {
	if e.Run == nil {
		return e, nil
	}
	a, err := m.Save()
	if err != nil {
		return e, err
	}
	w := &describer{}
	w.add("model", reflect.ValueOf([]any{a.Header, a.Arrays}))
	return e.ForFit("model " + hash(w.text())), nil
}

// describer serialises values as text: one line for each path and value. Floats are written with all digits.
type describer struct{ lines []string }

// text joins all lines.
func (w *describer) text() string { return strings.Join(w.lines, "\n") }

func (w *describer) line(path, value string) { w.lines = append(w.lines, path+" "+value) }

// longestList is the largest list that is written in full. Longer lists are hashed.
const longestList = 16

// These types are described specially: see [describer.add].
var (
	kernelType = reflect.TypeFor[kernelgen.Kernel]()
	mapType    = reflect.TypeFor[kernelgen.ElementMap]()
	sourceType = reflect.TypeFor[stream.Source]()
)

// add writes a value and everything it contains. Of a source it writes the columns and the number of rows; states carry
// a fingerprint of the rows themselves. It skips fields with the tag `states:"ignored"`. It panics for maps, functions
// and channels.
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

// addKind writes a value by its kind.
func (w *describer) addKind(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		w.add(path, v.Elem())
	case reflect.Struct:
		w.line(path, v.Type().String())
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Tag.Get("states") != "ignored" {
				w.add(field.Name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		w.addList(path, v)
	default:
		w.line(path, scalar(path, v))
	}
}

// addList writes the elements of a list, or their hash if there are more than longest.
func (w *describer) addList(path string, v reflect.Value) {
	if v.Len() <= longestList {
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

// scalar returns the text of a number, a boolean, a string or an enumeration. It panics for other kinds.
func scalar(path string, v reflect.Value) string {
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
	panic(fmt.Sprintf("model: %s is a %v, which states of passes cannot describe: "+
		"use numbers, text or a slice, or the tag states:\"ignored\" if it does not decide the fit", path, v.Type()))
}

// interfaceOf returns the value, or nil for an unexported field.
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
