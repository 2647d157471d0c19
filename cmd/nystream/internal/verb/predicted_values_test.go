package verb

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// RMSE and R² equal those of exact arithmetic, far from 0 and in any unit.
func TestValueScore(t *testing.T) {
	t.Parallel()
	for _, offset := range []float64{0, 1e9, -1e12} {
		for _, unit := range []float64{1, 1e-200, 1e200} {
			s := &valueScore{}
			var numbers stream.Column
			values := matrix.New(3000, 1)
			for i := range values.Rows { // values are ±1/8 in turn, predictions 3/4 of that
				away := 0.125 * float64(1-i%2*2)
				numbers.Floats = append(numbers.Floats, (offset+away)*unit)
				values.Data[i] = (offset + 0.75*away) * unit
			}
			if err := s.compare(&numbers, values, "y", false); err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-9
			if unit != 1 {
				tolerance += 1e-14 * math.Abs(offset) // of the numbers themselves
			}
			if math.Abs(s.RMSE()/unit/0.03125-1) > tolerance || math.Abs(s.R2()-0.9375) > tolerance {
				t.Errorf("numbers around %g times %g: RMSE %v, R² %v; want %v and 0.9375", offset, unit, s.RMSE(), s.R2(), 0.03125*unit)
			}
		}
	}
}
