package basis

import (
	"errors"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// TestRawNamesRows: an error names a row with NaN, whether or not the kernel is bounded, and a row whose linear kernel
// overflows.
func TestRawNamesRows(t *testing.T) {
	for text, rows := range map[string][]float64{"rbf(gamma=1)": {1, math.NaN()}, "matern32(length=1)": {1, math.NaN()},
		"rq(length=1)": {1, math.NaN()}, "linear": {1, math.MaxFloat64}} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		m := &Map{Tiles: tiles.Plain(k), Landmarks: NewPanel(matrix.Of([]float64{0, 2}, 2, 1), []int64{0, 1}, nil)}
		err = m.Raw("x")(matrix.New(2, 2), matrix.Of(rows, 2, 1), input.Numbers{From: 7})
		if bad := new(stream.DataError); !errors.As(err, &bad) || bad.Row != 8 {
			t.Errorf("%s: error %v, want one of row 8", text, err)
		}
	}
}
