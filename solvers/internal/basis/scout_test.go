package basis

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// scoutChoice is a choice with a scout among n rows.
func scoutChoice(n int) Landmarks {
	return Landmarks{Rows: int64(n), Rule: RulePivoted, Features: 10, Count: 40, Seed: 3, Definite: true, Scout: true}
}

// scoutedRows returns the numbers of the candidates of x after a scout, and the uniform ones.
func scoutedRows(t *testing.T, e stream.Engine, l Landmarks, k kernelgen.Kernel, x blas64.General) (all, uniform []int64) {
	t.Helper()
	uniform, err := l.Candidates("test")
	if err != nil {
		t.Fatal(err)
	}
	src := stream.FromMatrix("x", x)
	panels, err := Gather(t.Context(), src, Set{Numbers: uniform})
	if err != nil {
		t.Fatal(err)
	}
	found, err := l.Scouted(t.Context(), e, tiles.Plain(k), src, panels[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range found.Number {
		if !slices.Equal(matrix.Row(found.Rows, i), matrix.Row(x, int(r))) {
			t.Fatalf("candidate %d is not row %d", i, r)
		}
	}
	return found.Number, uniform
}

// denseScout returns the candidates by residuals from a dense solution, and logarithms of the ratio −ln(u)/d².
func denseScout(k kernelgen.Kernel, x blas64.General, l Landmarks, uniform []int64) []int64 {
	first := NewPanel(x, matrix.Numbers(x.Rows), nil).Select(uniform)
	first = first.Pick(first.Leading(32, l.Seed))
	w, y := kernelMatrix(k, first.Rows, first.Rows), kernelMatrix(k, x, first.Rows)
	d, random := make([]float64, x.Rows), sketch.NewRandom(l.Seed, "candidates by residual")
	left := matrix.Clone(y)
	for p := range w.Rows { // elimination without pivots
		for i := range left.Rows {
			row := matrix.Row(left, i)
			ratio := row[p] / matrix.Row(w, p)[p]
			d[i] -= row[p] * ratio
			matrix.Axpy(-ratio, slices.Clone(matrix.Row(w, p))[p+1:], row[p+1:])
		}
		for q := p + 1; q < w.Rows; q++ {
			ratio := matrix.Row(w, q)[p] / matrix.Row(w, p)[p]
			matrix.Axpy(-ratio, slices.Clone(matrix.Row(w, p))[p:], matrix.Row(w, q)[p:])
		}
	}
	key, order := make([]float64, x.Rows), make([]int64, x.Rows)
	for i := range x.Rows {
		d[i] += kernelMatrix(k, matrix.Rows(x, i, 1), matrix.Rows(x, i, 1)).Data[0]
		draws := random.At(uint64(i))
		key[i], order[i] = math.Log(-math.Log1p(-draws.Float64()))-2*math.Log(max(0, d[i])), int64(i)
	}
	slices.SortFunc(order, func(a, b int64) int { return cmp.Compare(key[a], key[b]) })
	return Union(uniform, order[:512])
}

// TestScoutAgainstDense: the candidates are those of the rule, in the unit of any magnitude.
func TestScoutAgainstDense(t *testing.T) {
	x := clusters(2500, 6, 5)
	for i := 100; i < 2500; i += 500 {
		blas64.Scal(30, dense.Vector(matrix.Row(x, i)))
	}
	l := scoutChoice(x.Rows)
	for _, text := range []string{"rbf(gamma=2)", "laplace(gamma=0.5)", "poly(degree=3,gamma=1)", "poly(degree=3,gamma=1) + 0.1*rbf(gamma=2)"} {
		k := parseKernel(t, text)
		got, uniform := scoutedRows(t, stream.Engine{}, l, k, x)
		if want := denseScout(k, x, l, uniform); !slices.Equal(got, want) {
			t.Errorf("%s: %d candidates, want %d, %d in common", text, len(got), len(want), len(want)-len(Without(want, got)))
		}
		for _, e := range []stream.Engine{{Threads: 1, BlockRows: 64}, {Threads: 3, BlockRows: 128}} {
			if again, _ := scoutedRows(t, e, l, k, x); !slices.Equal(got, again) {
				t.Errorf("%s: other candidates with %d threads", text, e.Threads)
			}
		}
	}
	wide := filled(2500, 60, func(i, j int) float64 { return math.Sin(float64(7*i+j*j)) + float64(i%600)/600 })
	want, _ := scoutedRows(t, stream.Engine{}, l, kernelgen.Linear(), wide)
	for _, unit := range []float64{0x1p-450, 0x1p450} {
		scaled := matrix.Clone(wide)
		dense.Scale(unit, scaled)
		if got, _ := scoutedRows(t, stream.Engine{}, l, kernelgen.Linear(), scaled); !slices.Equal(got, want) {
			t.Errorf("in a unit of %g: other candidates", unit)
		}
	}
}

// TestScoutFinds rows that a uniform sample misses, and nothing where 32 rows span all.
func TestScoutFinds(t *testing.T) {
	x := clusters(5000, 3, 5)
	rare := []int64{17, 818, 2919, 4100}
	for i, r := range rare {
		row := matrix.Row(x, int(r))
		row[i%3] = 40 + 20*float64(i)
	}
	l := scoutChoice(x.Rows)
	for _, text := range []string{"rbf(gamma=1)", "poly(degree=5,gamma=1)"} {
		if got, _ := scoutedRows(t, stream.Engine{}, l, parseKernel(t, text), x); len(Without(rare, got)) > 0 {
			t.Errorf("%s: rows %d are no candidates", text, Without(rare, got))
		}
	}
	if got, uniform := scoutedRows(t, stream.Engine{}, l, kernelgen.Linear(), matrix.New(5000, 3)); len(got) != len(uniform) {
		t.Errorf("%d candidates of rows that are zero", len(got))
	}
}

// TestScoutNeeds: a scout is refused where it has no meaning, and not made where all rows are candidates.
func TestScoutNeeds(t *testing.T) {
	k := kernelgen.RBF(1)
	for _, c := range []struct {
		change func(l *Landmarks)
		bad    bool
		passes int
	}{
		{func(*Landmarks) {}, false, 1},
		{func(l *Landmarks) { l.Scout = false }, false, 0},
		{func(l *Landmarks) { l.Rule = RuleUniform }, true, 0},
		{func(l *Landmarks) { l.Definite = false }, true, 1},
		{func(l *Landmarks) { l.Rows = 1024 }, false, 0},
		{func(l *Landmarks) { l.Rows, l.Rule = 40, RuleUniform }, false, 0}, // all rows are landmarks
		{func(l *Landmarks) { l.Rows, l.Rule = 1, RuleAuto }, false, 0},
	} {
		l := scoutChoice(5000)
		c.change(&l)
		l = l.Resolve()
		l.Count = int(min(l.Rows, int64(l.Count)))
		err := l.CheckScout(k)
		if (err != nil) != c.bad || l.Passes() != c.passes {
			t.Errorf("%+v: error %v, %d passes", l, err, l.Passes())
		}
		if silent := len(l.ScoutNotes()) == 0; err == nil && l.Scout && silent != l.Scouts() {
			t.Errorf("%+v: notes %q", l, l.ScoutNotes())
		}
	}
}
