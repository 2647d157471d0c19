package paper5

import (
	"math"
	"testing"
)

// TestEvenIsLikeDrawn: averages over evenly spaced rows are those of the distribution, with errors far below 1/√n.
func TestEvenIsLikeDrawn(t *testing.T) {
	const n, rho = 100_000, 0.3
	square := evenSquare(n)
	x, y := evenMixture(n, rho)
	var squares, product, xx, xy float64
	for i := range n {
		a, b := square.Data[2*i], square.Data[2*i+1]
		squares += a * a / n
		product += a * a * b * b / n
		xx += x.Data[i] * x.Data[i] / n
		xy += x.Data[i] * y.Data[i] / n
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"x²", squares, 4. / 3}, {"x²y²", product, 16. / 9}, {"x² of the mixture", xx, 1 + rho*rho},
		{"xy of the mixture", xy, -1},
	} {
		if math.Abs(c.got-c.want) > 3e-4 {
			t.Errorf("the mean of %s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestFlow: the steps are small enough, the flow preserves the domain, and its corner is a fixed point.
func TestFlow(t *testing.T) {
	x, y := gyrePairs(12, 6, gyreSteps)
	_, half := gyrePairs(12, 6, gyreSteps/2)
	for i, v := range y.Data {
		if math.Abs(v-half.Data[i]) > 1e-7 {
			t.Errorf("half the steps move point %v by %g", x.Data[i/2*2:i/2*2+2], v-half.Data[i])
		}
		if most := 2 - float64(i%2); v < 0 || v > most {
			t.Errorf("point %d is carried out of the domain: %v", i/2, v)
		}
	}
	if a, b := gyreFlow(0, 0, 100); math.Abs(a) > 1e-12 || math.Abs(b) > 1e-12 {
		t.Errorf("the corner moved to %v, %v", a, b)
	}
}
