package solvers_test

import (
	"errors"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestEngineMemory: every method refuses a fit whose plan exceeds the memory of the engine before it reads a row, and
// accepts one that fits.
func TestEngineMemory(t *testing.T) {
	x := normalRows(1, 2)
	eachRow(t, func(t *testing.T, f family, r row) {
		if testing.Short() && r.has(fresh) {
			return
		}
		k := r.kernelOr(t, kernelgen.RBF(0.7))
		counted := passcount.New(stream.FromMatrix("x", x))
		d, err := f.dataOf(t, r, counted, counted)
		if err != nil {
			t.Fatal(err)
		}
		before := counted.Passes()
		var over *stream.OverBudgetError
		if _, err := fitOf(t.Context(), stream.Engine{Memory: model.RuntimeBytes}, r.method, d, k); !errors.As(err, &over) {
			t.Errorf("within the memory of the program: %v", err)
		}
		if n := counted.Passes() - before; n > 0 {
			t.Errorf("%d passes before the fit is refused", n)
		}
		if over == nil {
			return
		}
		if _, err := fitOf(t.Context(), stream.Engine{Memory: over.Need}, r.method, d, k); err != nil {
			t.Errorf("within its need: %v", err)
		}
		if _, err := fitOf(t.Context(), stream.Engine{Memory: math.MaxInt64}, r.method, d, k); err != nil {
			t.Error(err)
		}
	})
}
