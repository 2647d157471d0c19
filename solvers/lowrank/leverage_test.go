package lowrank

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

func hasPrefix(err error, prefix string) bool { return strings.HasPrefix(err.Error(), prefix) }

// TestLeverageScores: on few rows they are the diagonal of K·(K + λI)⁻¹, λ the
// mean of the eigenvalues that count.
func TestLeverageScores(t *testing.T) {
	t.Parallel()
	const n, c, rank = 60, 15, 2 // 15/(4·ln 15) = 1.4
	x := clusters(n, 3, 2)
	for _, text := range []string{"rbf(gamma=3)", "1e180*rbf(gamma=3)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		tl := newTiles(k)
		got, err := tl.leverageScores(context.Background(), stream.Engine{}, panelOf(tl, x), c, 1)
		if err != nil {
			t.Fatal(err)
		}
		a := kernelMatrix(k, x, x)
		eig, err := newEigen("test matrix", a)
		if err != nil {
			t.Fatal(err)
		}
		ridge := 0.0
		for _, v := range eig.Values[rank:] {
			ridge += v / rank
		}
		var shifted, want mat.Dense
		shifted.CloneFrom(matDense(a))
		for i := range n {
			shifted.Set(i, i, shifted.At(i, i)+ridge)
		}
		if err := want.Solve(&shifted, matDense(a)); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if math.Abs(v-want.At(i, i)) > 1e-9 {
				t.Errorf("%s: score %d is %g, expected %g", text, i, v, want.At(i, i))
			}
		}
		if tl.unit != 1 {
			t.Errorf("%s: unit %g is left behind", text, tl.unit)
		}
	}
}

// TestLeverageScoresSampled: estimated from a fifth of the rows, scores are
// probabilities, and tell the few rows far away from the many near the centre.
func TestLeverageScoresSampled(t *testing.T) {
	t.Parallel()
	tl := newTiles(kernelgen.RBF(1))
	scores, err := tl.leverageScores(context.Background(), stream.Engine{}, panelOf(tl, unbalanced(400, 3)), 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	far, near := 0.0, 0.0
	for i, v := range scores {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("score %d is %g", i, v)
		}
		if i%50 == 0 {
			far += v / 8
		} else {
			near += v / 392
		}
	}
	if !(far > 10*near) {
		t.Errorf("mean score %g far away, %g near the centre", far, near)
	}
}

// TestLeverageRows: distinct rows; each is drawn first as often as its score
// says, and those without one come last.
func TestLeverageRows(t *testing.T) {
	t.Parallel()
	x := filled(40, 2, func(i, j int) float64 { return float64((i%4)*j) + float64((i%4)*(1-j))*1e-3 })
	tl := newTiles(kernelgen.Linear()) // rows 0, 4, … are zero
	for seed := range uint64(50) {
		rows, err := tl.leverageRows(context.Background(), stream.Engine{}, panelOf(tl, x), 35, seed)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for place, r := range rows {
			if seen[r] {
				t.Fatalf("row %d twice", r)
			}
			seen[r] = true
			if (r%4 == 0) != (place >= 30) {
				t.Fatalf("row %d in place %d", r, place)
			}
		}
	}
	zero := stream.NewMatrix(40, 2)
	rows, err := tl.leverageRows(context.Background(), stream.Engine{}, panelOf(tl, zero), 40, 1)
	if err != nil || len(rows) != 40 {
		t.Errorf("zero rows: %v, %v", rows, err)
	}
}

// TestLeverageProportion: the first of the rows drawn is row i with probability
// score i over their sum.
func TestLeverageProportion(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x := clusters(5, 3, 2)
	tl := newTiles(kernelgen.RBF(1))
	p := panelOf(tl, x)
	const draws = 1500
	count, expected := make([]float64, 5), make([]float64, 5)
	for seed := range uint64(draws) {
		scores, err := tl.leverageScores(context.Background(), stream.Engine{}, p, 1, seed) // from 4 rows of 5, so they depend on the seed
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range scores {
			sum += v
		}
		for i, v := range scores {
			expected[i] += v / sum
		}
		rows, err := tl.leverageRows(context.Background(), stream.Engine{}, p, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		count[rows[0]]++
	}
	for i := range count {
		if z := math.Abs(count[i]-expected[i]) / math.Sqrt(expected[i]); z > 5 {
			t.Errorf("row %d is drawn %g times, expected %g", i, count[i], expected[i])
		}
	}
}
