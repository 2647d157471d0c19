// Package report turns the results of commands into JSON, text and HTML. A result is a list of fields, which each
// command defines once. Keys are declared with their documentation, see [Key], from which `nystream help json` is
// generated.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Field is a part of a result: a field of a JSON object, a line of text, or both.
type Field struct {
	Key   *Key   // nil for a line of text alone
	Value any    // in JSON; floating-point numbers that are not finite become null
	Label string // "" for JSON alone; without a key, a line that continues the previous one
	Text  string // of the line
	Wide  bool   // the text starts in the column of labels
	// Warning marks a reason to doubt the result. Warnings come last in the text, coloured on a terminal.
	Warning bool
}

// line reports whether the field is a line of text.
func (f *Field) line() bool { return f.Key == nil || f.Label != "" }

// Report is a result.
type Report struct {
	Title string // the first line of the text
	// Head is a JSON object without its closing brace, with fields that come first; nil for none.
	Head   json.RawMessage
	Fields []Field
}

// Show adds a field for JSON and text.
func (r *Report) Show(key *Key, value any, label, format string, args ...any) {
	switch v := value.(type) {
	case float64:
		value = Number(v)
	case []float64:
		value = Numbers(v)
	}
	r.Fields = append(r.Fields, Field{Key: key, Value: value, Label: label, Text: fmt.Sprintf(format, args...)})
}

// Put adds a field for JSON alone.
func (r *Report) Put(key *Key, value any) { r.Show(key, value, "", "") }

// PutSome is Put, except for values without information: NaN, "", nil, an empty list or map, false and 0.
// A floating-point 0 is information.
func (r *Report) PutSome(key *Key, value any) {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return
		}
	case reflect.Slice, reflect.Map:
		if v.Len() == 0 {
			return
		}
	default:
		if !v.IsValid() || v.IsZero() {
			return
		}
	}
	r.Put(key, value)
}

// Add adds a line of text alone.
func (r *Report) Add(label, format string, args ...any) { r.Show(nil, nil, label, format, args...) }

// AddWide adds a line of text that starts in the column of labels.
func (r *Report) AddWide(text string) { r.Fields = append(r.Fields, Field{Text: text, Wide: true}) }

// MarshalJSON writes the fields with a key as one object.
func (r *Report) MarshalJSON() ([]byte, error) {
	b := bytes.NewBuffer(slices.Clip(r.Head))
	if len(r.Head) == 0 {
		b.WriteByte('{')
	}
	for _, f := range r.Fields {
		if f.Key == nil {
			continue
		}
		text, err := json.Marshal(f.Value)
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:%s", f.Key.name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
