package graphs

import (
	"math"
	"slices"
	"testing"
)

var testModel = PowerLaw{Nodes: 20003, Blocks: 7, Exponent: 2.5, Within: 0.8, Seed: 3}

func TestModelRefuses(t *testing.T) {
	for _, change := range []func(*PowerLaw){
		func(m *PowerLaw) { m.Nodes = 13 },
		func(m *PowerLaw) { m.Blocks = 0 },
		func(m *PowerLaw) { m.Exponent = 2 },
		func(m *PowerLaw) { m.Exponent = math.NaN() },
		func(m *PowerLaw) { m.Within = -0.1 },
		func(m *PowerLaw) { m.Within = math.NaN() },
	} {
		m := testModel
		change(&m)
		if _, err := NewGenerator(m); err == nil {
			t.Errorf("%+v is taken", m)
		}
	}
}

// TestSmallestModel has two nodes in each community.
func TestSmallestModel(t *testing.T) {
	g, err := NewGenerator(PowerLaw{Nodes: 4, Blocks: 2, Exponent: 2.01, Within: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(100) {
		src, dst := g.Edge(i)
		if src == dst || g.Label(src) != g.Label(dst) {
			t.Fatalf("edge %d: %d to %d", i, src, dst)
		}
	}
}

func TestEdgesFollowTheModel(t *testing.T) {
	g, err := NewGenerator(testModel)
	if err != nil {
		t.Fatal(err)
	}
	const edges = 400_000
	out, in := make([]float64, g.Nodes), make([]float64, g.Nodes)
	within := 0.0
	for i := range int64(edges) {
		src, dst := g.Edge(i)
		if src == dst || src < 0 || dst < 0 || src >= int64(g.Nodes) || dst >= int64(g.Nodes) {
			t.Fatalf("edge %d: %d to %d", i, src, dst)
		}
		out[src]++
		in[dst]++
		if g.Label(src) == g.Label(dst) {
			within++
		}
	}
	// An edge that is not bound to its community may still stay by chance.
	want := g.Within + (1-g.Within)/float64(g.Blocks)
	if got := within / edges; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/edges) {
		t.Errorf("a share of %v stays within its community, want %v", got, want)
	}
	for name, degrees := range map[string][]float64{"out": out, "in": in} {
		if got := hill(degrees, 400); math.Abs(got-g.Exponent) > 0.2 {
			t.Errorf("%s-degrees have the exponent %v, want %v", name, got, g.Exponent)
		}
	}
	if c := correlation(out, in); math.Abs(c) > 0.1 {
		t.Errorf("out- and in-degrees have the correlation %v", c)
	}
}

// hill estimates the exponent of a density by its k largest values (Hill 1975).
func hill(x []float64, k int) float64 {
	x = slices.Clone(x)
	slices.SortFunc(x, func(a, b float64) int { return int(b - a) })
	sum := 0.0
	for _, v := range x[:k] {
		sum += math.Log(v / x[k])
	}
	return 1 + float64(k)/sum
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, xx, yy, xy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		xx += x[i] * x[i]
		yy += y[i] * y[i]
		xy += x[i] * y[i]
	}
	return (xy - sx*sy/n) / math.Sqrt((xx-sx*sx/n)*(yy-sy*sy/n))
}

func TestCommunitiesHaveEqualSizes(t *testing.T) {
	g, err := NewGenerator(testModel)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, g.Blocks)
	for v := range int64(g.Nodes) {
		sizes[g.Label(v)]++
	}
	if slices.Max(sizes)-slices.Min(sizes) > 1 {
		t.Error(sizes)
	}
}
