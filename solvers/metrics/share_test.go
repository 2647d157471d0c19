package metrics

import (
	"math"
	"testing"
)

// TestShareError: the ends of Wilson's interval are the proportions q two standard errors √(q(1 − q)/n) away from the
// observed one. The farther end is 2·ShareError away.
func TestShareError(t *testing.T) {
	for _, n := range []float64{1, 12, 60, 2000, 1e9} {
		for _, p := range []float64{0, 1 / n, 0.07, 0.5, 0.93, 1} {
			arm := 0.0
			for _, end := range []float64{0, 1} {
				near, far := p, end // bisect for the end two standard errors away
				for range 200 {
					q := (near + far) / 2
					if math.Abs(q-p) <= 2*math.Sqrt(q*(1-q)/n) {
						near = q
					} else {
						far = q
					}
				}
				arm = max(arm, math.Abs(near-p))
			}
			if got := ShareError(p, n); math.Abs(2*got-arm) > 1e-7*arm {
				t.Errorf("share %v of %v: standard error %v, and Wilson's interval ends %v away", p, n, got, arm)
			}
		}
	}
	if got := ShareError(0, 60); got != 2.0/64 {
		t.Errorf("no error among 60 rows: standard error %v", got)
	}
	if !math.IsNaN(ShareError(0.5, 0)) {
		t.Error("a share of nothing has a standard error")
	}
}
