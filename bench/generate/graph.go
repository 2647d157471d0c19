package main

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/sketch"
)

// powerLaw is a directed Chung–Lu graph (Chung and Lu 2002) with planted communities, the edges drawn one by one with
// replacement. The communities have the same size, up to one node. In its community a node has independent ranks as a
// source and as a target. An edge starts at rank r with probability proportional to about r^(−1/(exponent−1)), and ends
// likewise, so the expected out- and in-degrees have power-law tails with this exponent. The target is in the source's
// community with probability within, else in any, drawn uniformly. There are no self-loops; edges may repeat.
type powerLaw struct {
	nodes, blocks int     // nodes and communities
	exponent      float64 // of the degrees, above 2: P(degree = k) ~ k^−exponent
	within        float64 // probability that an edge must stay in its community
	seed          uint64
}

// generator draws the edges of a graph. An edge depends on the model and its number alone. A place is a node before
// shuffling: place p is in community p mod blocks and has source rank p/blocks.
type generator struct {
	powerLaw
	edges sketch.Random
	node  []int32   // the node at each place
	place []int32   // the place of each node
	ends  [][]int32 // for each community, the source rank of the node with a given target rank
}

// newGenerator checks the number of nodes. A generator takes 12 bytes a node.
func newGenerator(m powerLaw) (*generator, error) {
	if m.nodes < 2*m.blocks || m.nodes > math.MaxInt32 {
		return nil, fmt.Errorf("%d nodes in %d communities: each needs at least 2 nodes, and the limit is %d nodes",
			m.nodes, m.blocks, math.MaxInt32)
	}
	g := &generator{
		powerLaw: m,
		edges:    sketch.NewRandom(m.seed, "power-law edges"),
		node:     shuffled(m.nodes, sketch.NewRandom(m.seed, "power-law names").At(0)),
		place:    make([]int32, m.nodes),
		ends:     make([][]int32, m.blocks),
	}
	for p, v := range g.node {
		g.place[v] = int32(p)
	}
	targets := sketch.NewRandom(m.seed, "power-law targets")
	for b := range g.ends {
		g.ends[b] = shuffled(g.size(b), targets.At(uint64(b)))
	}
	return g, nil
}

// shuffled returns a random order of 0..n-1 (Fisher and Yates 1938).
func shuffled(n int, d sketch.Draws) []int32 {
	order := make([]int32, n)
	for i := range order {
		j := d.Uint64n(uint64(i) + 1)
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order
}

// size returns the number of nodes in community b.
func (g *generator) size(b int) int { return (g.nodes - b + g.blocks - 1) / g.blocks }

// label returns the community of a node.
func (g *generator) label(v int64) int64 { return int64(g.place[v]) % int64(g.blocks) }

// edge returns edge number i.
func (g *generator) edge(i int64) (src, dst int64) {
	d := g.edges.At(uint64(i))
	from := int(d.Uint64n(uint64(g.blocks)))
	source := g.at(from, g.rank(from, &d))
	to := from
	if d.Float64() >= g.within {
		to = int(d.Uint64n(uint64(g.blocks)))
	}
	for {
		target := g.at(to, int(g.ends[to][g.rank(to, &d)]))
		if target != source {
			return int64(source), int64(target)
		}
	}
}

// at returns the node of a community with a given source rank.
func (g *generator) at(b, rank int) int32 { return g.node[rank*g.blocks+b] }

// rank draws a rank in community b by inverting the distribution function of the density x^(−1/(exponent−1)) on (0,
// size), rounded down.
func (g *generator) rank(b int, d *sketch.Draws) int {
	n := g.size(b)
	x := float64(n) * math.Pow(d.Float64(), (g.exponent-1)/(g.exponent-2))
	return min(int(x), n-1)
}
