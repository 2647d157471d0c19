package transport

import (
	"context"
	"testing"

	"github.com/nystream/nystream/stream"
)

// TestStages: larger ε first ends at the same plan, in fewer rounds where ε is small.
func TestStages(t *testing.T) {
	t.Parallel()
	x, y := colours(60, 3), colours(50, 4)
	fit := func(from float64) *Fit {
		f, err := Exact{Sinkhorn{Epsilon: 0.02, InitialEpsilon: from, Iterations: 5000, MarginalTol: 1e-7}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	cold, warm := fit(0), fit(5)
	t.Logf("%d iterations, and with stages %d, of which %d with the last", cold.Iterations, warm.Iterations, len(warm.History))
	near(t, "the value", warm.Value, cold.Value, 1e-6)
	if cold.NotConverged || warm.NotConverged || warm.Iterations >= cold.Iterations || len(cold.History) != cold.Iterations {
		t.Errorf("%d iterations with a history of %d, and with stages %d; unsettled %v and %v",
			cold.Iterations, len(cold.History), warm.Iterations, cold.NotConverged, warm.NotConverged)
	}
	if len(warm.History) >= warm.Iterations {
		t.Errorf("no stage is in %d iterations: %d are of the last", warm.Iterations, len(warm.History))
	}
}
