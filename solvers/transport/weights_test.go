package transport

import (
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestMedianOfMasses: gamma=median equals that of the table in which a row of mass k occurs k times, for any unit.
func TestMedianOfMasses(t *testing.T) {
	x := matrix.New(40, 2)
	masses, numbers := make([]float64, 40), []int(nil)
	for i := range masses {
		x.Data[2*i], x.Data[2*i+1] = float64(i*i%17), float64(i)
		if masses[i] = float64(i % 3); masses[i] == 0 {
			x.Data[2*i] = 1e6
		}
		for range i % 3 {
			numbers = append(numbers, i)
		}
	}
	k, err := kernelgen.Parse("rbf(gamma=median)")
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(d *Data) string {
		r, err := family.Resolve(t.Context(), stream.Engine{}, d, k, 1)
		if err != nil {
			t.Fatal(err)
		}
		return r.String()
	}
	want := resolve(&Data{Sources: model.Sources{Left: stream.FromMatrix("copies", dense.PickRows(x, numbers))}})
	for _, unit := range []float64{1, 10, 1. / 64, 1e-200} {
		scaled := make([]float64, len(masses))
		for i, m := range masses {
			scaled[i] = m * unit
		}
		if got := resolve(&Data{Sources: model.Sources{Left: stream.FromMatrix("x", x)}, LeftWeights: scaled}); got != want {
			t.Errorf("masses times %v: %s, not %s", unit, got, want)
		}
	}
}
