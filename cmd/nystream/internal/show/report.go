package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// Report is a result: the fields of a JSON object, in order, and lines for people.
type Report struct {
	Text
	fields []field
}

type field struct {
	key   string
	value any
}

// Put adds a field of the JSON object. Floating-point numbers are null unless they are finite.
func (r *Report) Put(key string, value any) {
	switch v := value.(type) {
	case float64:
		value = Number(v)
	case []float64:
		value = Numbers(v)
	}
	r.fields = append(r.fields, field{key, value})
}

// PutSome is Put, except for what tells nothing: NaN, "", nil, an empty list, false and whole numbers of 0.
func (r *Report) PutSome(key string, value any) {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return
		}
	case reflect.Slice:
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

// MarshalJSON writes the fields.
func (r *Report) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for _, f := range r.fields {
		text, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",%q:%s", f.key, text)
	}
	return append([]byte{'{'}, append(b.Bytes()[min(1, b.Len()):], '}')...), nil
}
