package report

import (
	"encoding/json"
	"math"

	"github.com/nystream/nystream/internal/matrix"
)

// Number is a float64 that is null in JSON when it is not finite.
type Number float64

// MarshalJSON writes a finite Number, or null.
func (v Number) MarshalJSON() ([]byte, error) {
	if f := float64(v); !matrix.IsFinite(f) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (v *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}

// Numbers converts numbers for a report.
func Numbers(v []float64) []Number {
	out := make([]Number, len(v))
	for i, x := range v {
		out[i] = Number(x)
	}
	return out
}

// Optional returns v, or nil for NaN, so that JSON omits an unknown value.
func Optional(v float64) *Number {
	if math.IsNaN(v) {
		return nil
	}
	n := Number(v)
	return &n
}
