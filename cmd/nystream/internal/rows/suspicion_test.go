package rows

import (
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
)

// A warning names the column that dominates distances; none if all columns are alike, constant or overflow.
func TestHeavyColumn(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		scales [3]float64
		want   string
	}{
		{[3]float64{1, 3, 1}, ""},
		{[3]float64{1, 5, 1}, "column b makes up 92."},
		{[3]float64{1, 1e8, 2}, "column b makes up 99.9 % of the squared distance between rows, of the first 50, so"},
		{[3]float64{1e9, 1, 2}, "column a"},
		{[3]float64{1, 1, 1e9}, "column c"},
		{[3]float64{1e9, 1e9, 1}, ""},
		{[3]float64{1, 1e200, 2}, ""}, // its variance is not finite
		{[3]float64{0, 1, 0}, ""},     // the others are constant
	} {
		x := matrix.New(50, 3)
		for i := range 50 {
			for j := range 3 {
				x.Data[i*3+j] = c.scales[j] * math.Sin(float64(i*(j+2)))
			}
		}
		x.Data[7] = math.NaN()
		if got := HeavyColumn(names, x); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q", c.scales, got)
		}
	}
	if got := HeavyColumn([]string{"a"}, matrix.New(9, 1)); got != "" {
		t.Error(got)
	}
}
