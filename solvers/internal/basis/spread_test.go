package basis

import (
	"math"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// TestSpread: the spread of a constant plus a small difference, in any unit; equal entries have spread 0.
func TestSpread(t *testing.T) {
	for _, unit := range []float64{1, 1e200, 1e-200} {
		a := matrix.New(2, 2)
		for i := range a.Data {
			a.Data[i] = unit
		}
		if s := Spread(a); !math.IsNaN(s) {
			t.Errorf("equal entries of %g have the spread %v", unit, s)
		}
		a.Data[0], a.Data[1], a.Data[2], a.Data[3] = unit, unit, unit, unit*(1+4e-9) // centred ±1e-9
		if s := Spread(a); math.Abs(s/1e-9-1) > 1e-6 {
			t.Errorf("the spread is %v in the unit %g", s, unit)
		}
	}
	if SpreadWarning(kernelgen.Linear(), 1e-9) == nil || SpreadWarning(kernelgen.Linear(), 1e-7) != nil ||
		SpreadWarning(kernelgen.Linear(), math.NaN()) != nil || SpreadWarning(kernelgen.Linear(), 0) == nil {
		t.Error("warnings at another spread")
	}
}

// TestSetOrigin: the origin is the median of each column, for kernels that allow an origin.
func TestSetOrigin(t *testing.T) {
	rows := matrix.New(4, 2)
	copy(rows.Data, []float64{1, 5, 1e300, 6, 2, 7, 3, 8})
	shifts := tiles.Plain(kernelgen.Linear())
	SetOrigin(shifts, rows)
	if !slices.Equal(shifts.Origin(), []float64{2, 6}) {
		t.Errorf("the origin is %v", shifts.Origin())
	}
	still, same := tiles.Plain(kernelgen.RBF(1)), tiles.Plain(kernelgen.Linear())
	SetOrigin(still, rows)
	SetOrigin(same, matrix.Rows(rows, 1, 1))
	if still.Origin() != nil || same.Origin() != nil {
		t.Error("rbf, or a row alone, has an origin")
	}
}
