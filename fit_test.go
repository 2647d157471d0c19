package nystream_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream"
	"github.com/nystream/nystream/stream"
)

// TestToDense: a value that is not finite is named.
func TestToDense(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := mat.NewDense(5, 2, nil)
		x.Set(3, 1, v)
		_, err := nystream.ToDense(t.Context(), nystream.FromDense(x))
		var bad *stream.DataError
		if !errors.As(err, &bad) || bad.Row != 3 || bad.Column != "x1" {
			t.Errorf("%v: %v", v, err)
		}
	}
	if m, err := nystream.ToDense(t.Context(), nystream.FromDense(&mat.Dense{})); err != nil || !m.IsEmpty() {
		t.Errorf("no rows: %v, %v", m, err)
	}
}
