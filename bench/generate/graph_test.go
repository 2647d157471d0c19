package main

import (
	"math"
	"slices"
	"testing"
)

func TestModelRefuses(t *testing.T) {
	for _, nodes := range []int{-1, 13, math.MaxInt32 + 1} {
		m := testModel
		m.nodes = nodes
		if _, err := newGenerator(m); err == nil {
			t.Errorf("%d nodes are taken", nodes)
		}
	}
}

// TestSmallestModel has two nodes in each community.
func TestSmallestModel(t *testing.T) {
	g, err := newGenerator(powerLaw{nodes: 4, blocks: 2, exponent: 2.01, within: 1, seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(100) {
		src, dst := g.edge(i)
		if src == dst || g.label(src) != g.label(dst) {
			t.Fatalf("edge %d: %d to %d", i, src, dst)
		}
	}
}

func TestEdgesFollowTheModel(t *testing.T) {
	g, err := newGenerator(testModel)
	if err != nil {
		t.Fatal(err)
	}
	const edges = 400_000
	out, in := make([]float64, g.nodes), make([]float64, g.nodes)
	within := 0.0
	for i := range int64(edges) {
		src, dst := g.edge(i)
		if src == dst || src < 0 || dst < 0 || src >= int64(g.nodes) || dst >= int64(g.nodes) {
			t.Fatalf("edge %d: %d to %d", i, src, dst)
		}
		out[src]++
		in[dst]++
		if g.label(src) == g.label(dst) {
			within++
		}
	}
	// An edge outside its community may still end there by chance.
	want := g.within + (1-g.within)/float64(g.blocks)
	if got := within / edges; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/edges) {
		t.Errorf("a share of %v stays within its community, want %v", got, want)
	}
	for name, degrees := range map[string][]float64{"out": out, "in": in} {
		if got := hill(degrees, 400); math.Abs(got-g.exponent) > 0.2 {
			t.Errorf("%s-degrees have the exponent %v, want %v", name, got, g.exponent)
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

// correlation returns Pearson's correlation coefficient.
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
	g, err := newGenerator(testModel)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, g.blocks)
	for v := range int64(g.nodes) {
		sizes[g.label(v)]++
	}
	if slices.Max(sizes)-slices.Min(sizes) > 1 {
		t.Error(sizes)
	}
}
