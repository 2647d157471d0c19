package main

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/sketch"
)

// model is a directed Chung–Lu graph (Chung and Lu 2002) with planted
// communities, the edges drawn one by one with replacement. The communities
// have the same size, up to one node. In its community a node has one rank as
// a source and another, independent of it, as a target; an edge begins at rank
// r with probability proportional to about r^(−1/(exponent−1)), and ends
// likewise, which makes the tails of the expected out- and in-degrees those of
// a power law with this exponent. The target is in the source's community with
// probability within, else in any, drawn evenly. No edge leads from a node to
// itself; the same edge may come more than once.
type model struct {
	nodes, blocks int
	exponent      float64
	within        float64
	seed          uint64
}

// check says what is wrong with the model.
func (m model) check() error {
	switch {
	case m.blocks < 1 || m.nodes < 2*m.blocks || m.nodes > math.MaxInt32:
		return fmt.Errorf("%d nodes in %d communities: each needs two or more, and there are at most %d nodes", m.nodes, m.blocks, math.MaxInt32)
	case !(m.exponent >= 2.01 && m.exponent <= 100):
		return fmt.Errorf("an exponent of %v: it must be above 2 for the mean degree to exist, here from 2.01 to 100", m.exponent)
	case !(m.within >= 0 && m.within <= 1):
		return fmt.Errorf("a probability of %v", m.within)
	}
	return nil
}

// generator draws the edges of a model. The edge with a given number depends on
// the model and on nothing else. A place is a node before names are shuffled:
// place p is in community p mod blocks and has the rank p/blocks as a source.
type generator struct {
	model
	edges sketch.Stream
	node  []int32   // the node at each place
	place []int32   // the place of each node
	ends  [][]int32 // for each community, the source rank of the node with a given rank as a target
}

// newGenerator takes 12 bytes a node.
func newGenerator(m model) (*generator, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	g := &generator{
		model: m,
		edges: sketch.NewStream(m.seed, "power-law edges"),
		node:  shuffled(m.nodes, sketch.NewStream(m.seed, "power-law names").At(0)),
		place: make([]int32, m.nodes),
		ends:  make([][]int32, m.blocks),
	}
	for p, v := range g.node {
		g.place[v] = int32(p)
	}
	targets := sketch.NewStream(m.seed, "power-law targets")
	for b := range g.ends {
		g.ends[b] = shuffled(g.size(b), targets.At(uint64(b)))
	}
	return g, nil
}

// shuffled is a random order of 0..n-1 (Fisher and Yates 1938).
func shuffled(n int, d sketch.Draws) []int32 {
	order := make([]int32, n)
	for i := range order {
		j := d.Uint64n(uint64(i) + 1)
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order
}

// size is the number of nodes in community b.
func (g *generator) size(b int) int { return (g.nodes - b + g.blocks - 1) / g.blocks }

// label is the community of a node.
func (g *generator) label(v int64) int64 { return int64(g.place[v]) % int64(g.blocks) }

// edge is edge number i.
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

// at is the node of a community with a rank as a source.
func (g *generator) at(b, rank int) int32 { return g.node[rank*g.blocks+b] }

// rank draws a rank in community b, by inverting the distribution function of
// the density x^(−1/(exponent−1)) on (0, size): what falls on (r, r+1) is rank r.
func (g *generator) rank(b int, d *sketch.Draws) int {
	n := g.size(b)
	x := float64(n) * math.Pow(d.Float64(), (g.exponent-1)/(g.exponent-2))
	return min(int(x), n-1)
}
