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
		f, err := Exact{Sinkhorn{Epsilon: 0.02, From: from, Rounds: 5000, Tolerance: 1e-7}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	cold, warm := fit(0), fit(5)
	t.Logf("%d rounds, and with stages %d after %d", cold.Rounds, warm.Rounds, warm.Before)
	near(t, "the value", warm.Value, cold.Value, 1e-6)
	if cold.Unsettled || warm.Unsettled || warm.Before == 0 || warm.Rounds+warm.Before >= cold.Rounds {
		t.Errorf("%d rounds, and with stages %d after %d; unsettled %v and %v", cold.Rounds, warm.Rounds, warm.Before, cold.Unsettled, warm.Unsettled)
	}
	if len(warm.History) != warm.Rounds {
		t.Errorf("a history of %d for %d rounds", len(warm.History), warm.Rounds)
	}
}
