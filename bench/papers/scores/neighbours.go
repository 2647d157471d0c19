package scores

import (
	"slices"

	"github.com/nystream/nystream/stream"
)

// candidate is a node that may become a neighbour; the smaller one is better.
type candidate struct {
	score float64
	node  int32
}

// before orders candidates. No two of one node are equal.
func (c candidate) before(o candidate) bool {
	return c.score < o.score || c.score == o.score && c.node < o.node
}

// neighbours keeps the best few candidates of each node, as many as its degree,
// in a heap with the worst of them on top. Different nodes may be offered
// candidates at the same time.
type neighbours struct {
	best [][]candidate
}

func newNeighbours(degrees []int) *neighbours {
	total := 0
	for _, k := range degrees {
		total += k
	}
	room := make([]candidate, total)
	n := &neighbours{best: make([][]candidate, len(degrees))}
	for i, k := range degrees {
		n.best[i], room = room[0:0:k], room[k:]
	}
	return n
}

// offer takes in a candidate if it is among the best.
func (n *neighbours) offer(node int, c candidate) {
	heap := n.best[node]
	if len(heap) < cap(heap) {
		heap = append(heap, c)
		n.best[node] = heap
		up(heap)
		return
	}
	if len(heap) > 0 && c.before(heap[0]) {
		heap[0] = c
		down(heap)
	}
}

// up moves the last candidate to its place.
func up(heap []candidate) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !heap[parent].before(heap[i]) {
			return
		}
		heap[parent], heap[i] = heap[i], heap[parent]
		i = parent
	}
}

// down moves the first candidate to its place.
func down(heap []candidate) {
	for i := 0; ; {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(heap) && heap[worst].before(heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}

// graph returns the adjacency matrix of the neighbours found.
func (n *neighbours) graph() *stream.CSR {
	g := &stream.CSR{Rows: len(n.best), Cols: len(n.best), Start: make([]int64, len(n.best)+1)}
	for i, list := range n.best {
		first := len(g.Index)
		for _, c := range list {
			g.Index = append(g.Index, c.node)
		}
		slices.Sort(g.Index[first:])
		g.Start[i+1] = int64(len(g.Index))
	}
	return g
}
