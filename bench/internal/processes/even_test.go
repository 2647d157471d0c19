package processes

import (
	"math"
	"testing"

	"github.com/nystream/nystream/stream"
)

// Averages over rows that are spread evenly are those of the distribution, far closer than √n.
func TestEvenIsLikeDrawn(t *testing.T) {
	const n, rho = 100_000, 0.3
	square := stream.NewMatrix(n, 2)
	EvenSquare(square, 0)
	x, y := stream.NewMatrix(n, 1), stream.NewMatrix(n, 1)
	EvenMixture(x, y, 0, rho)
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
	}{{"x²", squares, 4. / 3}, {"x²y²", product, 16. / 9}, {"x² of the mixture", xx, 1 + rho*rho}, {"xy of the mixture", xy, -1}} {
		if math.Abs(c.got-c.want) > 3e-4 {
			t.Errorf("the mean of %s is %v, want %v", c.name, c.got, c.want)
		}
	}
	tail := stream.NewMatrix(10, 2)
	if EvenSquare(tail, n-10); tail.Data[19] != square.Data[2*n-1] {
		t.Error("a row depends on where a block begins")
	}
}
