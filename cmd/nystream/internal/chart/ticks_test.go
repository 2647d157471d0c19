package chart

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestTickLabels: an axis has three to nine ticks. Their labels differ, and are the values to a thousandth of a step.
func TestTickLabels(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, low, high float64) {
		seen, last, list := map[string]bool{}, math.NaN(), (ticks{}).Ticks(low, high)
		if len(list) < 3 || len(list) > 9 {
			t.Errorf("from %g to %g: %d ticks", low, high, len(list))
		}
		for _, tick := range list {
			shown, err := strconv.ParseFloat(tick.Label, 64)
			if seen[tick.Label] || err != nil || !math.IsNaN(last) && math.Abs(shown-tick.Value) > math.Abs(tick.Value-last)/500 {
				t.Errorf("from %g to %g: the tick at %g is labelled %q", low, high, tick.Value, tick.Label)
			}
			seen[tick.Label], last = true, tick.Value
		}
	}
	for _, span := range [][2]float64{{2.08, 2.14}, {0.053, 0.072}, {0, 1800}, {-1, 1}, {1e9, 1e9 + 10}, {1e-9, 2e-9}} {
		check(t, span[0], span[1])
	}
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		check(t, low, low+math.Pow(10, rapid.Float64Range(-3, 6).Draw(t, "size")))
	})
}
