// Package graphs draws synthetic directed graphs.
package graphs

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/sketch"
)

// PowerLaw is a directed Chung–Lu graph (Chung and Lu 2002) with planted
// communities, the edges drawn one by one with replacement. The communities
// have the same size, up to one node. In its community a node has one rank as
// a source and another, independent of it, as a target; an edge begins at rank
// r with probability proportional to about r^(−1/(Exponent−1)), and ends
// likewise, which makes the tails of the expected out- and in-degrees those of
// a power law with this exponent. The target is in the source's community with
// probability Within, else in any, drawn evenly. No edge leads from a node to
// itself; the same edge may come more than once.
type PowerLaw struct {
	Nodes, Blocks int     // nodes and communities
	Exponent      float64 // of the degrees, 2.01 to 100: P(degree = k) ~ k^−exponent
	Within        float64 // probability that an edge is bound to stay in its community
	Seed          uint64
}

// check says what is wrong with the model.
func (m PowerLaw) check() error {
	switch {
	case m.Blocks < 1 || m.Nodes < 2*m.Blocks || m.Nodes > math.MaxInt32:
		return fmt.Errorf("%d nodes in %d communities: each needs at least 2 nodes, and the limit is %d nodes",
			m.Nodes, m.Blocks, math.MaxInt32)
	case !(m.Exponent >= 2.01 && m.Exponent <= 100):
		return fmt.Errorf("exponent %v is outside 2.01 to 100; the mean degree exists above 2", m.Exponent)
	case !(m.Within >= 0 && m.Within <= 1):
		return fmt.Errorf("probability %v is outside 0 to 1", m.Within)
	}
	return nil
}

// Generator draws the edges of a graph. The edge with a given number depends on
// the model and on nothing else. A place is a node before names are shuffled:
// place p is in community p mod blocks and has the rank p/blocks as a source.
type Generator struct {
	PowerLaw
	edges sketch.Random
	node  []int32   // the node at each place
	place []int32   // the place of each node
	ends  [][]int32 // for each community, the source rank of the node with a given rank as a target
}

// NewGenerator checks the model. It takes 12 bytes a node.
func NewGenerator(m PowerLaw) (*Generator, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	g := &Generator{
		PowerLaw: m,
		edges:    sketch.NewRandom(m.Seed, "power-law edges"),
		node:     shuffled(m.Nodes, sketch.NewRandom(m.Seed, "power-law names").At(0)),
		place:    make([]int32, m.Nodes),
		ends:     make([][]int32, m.Blocks),
	}
	for p, v := range g.node {
		g.place[v] = int32(p)
	}
	targets := sketch.NewRandom(m.Seed, "power-law targets")
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
func (g *Generator) size(b int) int { return (g.Nodes - b + g.Blocks - 1) / g.Blocks }

// Label returns the community of a node.
func (g *Generator) Label(v int64) int64 { return int64(g.place[v]) % int64(g.Blocks) }

// Edge returns edge number i.
func (g *Generator) Edge(i int64) (src, dst int64) {
	d := g.edges.At(uint64(i))
	from := int(d.Uint64n(uint64(g.Blocks)))
	source := g.at(from, g.rank(from, &d))
	to := from
	if d.Float64() >= g.Within {
		to = int(d.Uint64n(uint64(g.Blocks)))
	}
	for {
		target := g.at(to, int(g.ends[to][g.rank(to, &d)]))
		if target != source {
			return int64(source), int64(target)
		}
	}
}

// at returns the node of a community with a rank as a source.
func (g *Generator) at(b, rank int) int32 { return g.node[rank*g.Blocks+b] }

// rank draws a rank in community b, by inverting the distribution function of
// the density x^(−1/(exponent−1)) on (0, size): what falls on (r, r+1) is rank r.
func (g *Generator) rank(b int, d *sketch.Draws) int {
	n := g.size(b)
	x := float64(n) * math.Pow(d.Float64(), (g.Exponent-1)/(g.Exponent-2))
	return min(int(x), n-1)
}
