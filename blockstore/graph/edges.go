package graph

import (
	"io"
	"iter"
	"math"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// edgeList holds the edges of a graph in the order read, between nodes numbered by first
// occurrence.
type edgeList struct {
	chunks    []edgeChunk
	weighted  bool
	mirror    bool // each edge also counts in the other direction
	dropLoops bool
	edges     int64
	loops     int64
}

// edgeChunk is a run of edges.
type edgeChunk struct {
	ends    [][2]int32 // source and target
	weights []float64  // nil if all are 1
}

// chunkEdges is the length of a full chunk. Unlike one growing slice, chunks are never copied.
const chunkEdges = 1 << 16

// add appends an edge.
func (l *edgeList) add(source, target int32, weight float64) {
	if l.full() {
		l.grow()
	}
	last := &l.chunks[len(l.chunks)-1]
	last.ends = append(last.ends, [2]int32{source, target})
	if l.weighted {
		last.weights = append(last.weights, weight)
	}
	l.edges++
	if source == target {
		l.loops++
	}
}

// full reports whether the next edge needs a new chunk.
func (l *edgeList) full() bool { return l.edges%chunkEdges == 0 }

// grow adds a chunk. The first chunk grows on demand.
func (l *edgeList) grow() {
	var chunk edgeChunk
	if l.edges > 0 {
		chunk.ends = make([][2]int32, 0, chunkEdges)
		if l.weighted {
			chunk.weights = make([]float64, 0, chunkEdges)
		}
	}
	l.chunks = append(l.chunks, chunk)
}

// entries returns the entries of the adjacency matrix. final maps nodes to their final numbers; nil
// is the identity.
func (l *edgeList) entries(final []int32) iter.Seq[sparse.Entry] {
	return func(yield func(sparse.Entry) bool) {
		for _, chunk := range l.chunks {
			for k, ends := range chunk.ends {
				e := sparse.Entry{Row: ends[0], Col: ends[1], Value: 1}
				if final != nil {
					e.Row, e.Col = final[e.Row], final[e.Col]
				}
				if l.weighted {
					e.Value = chunk.weights[k]
				}
				if !l.yield(e, yield) {
					return
				}
			}
		}
	}
}

// yield yields the entries of one edge.
func (l *edgeList) yield(e sparse.Entry, yield func(sparse.Entry) bool) bool {
	if e.Row == e.Col {
		return l.dropLoops || yield(e)
	}
	return yield(e) && (!l.mirror || yield(sparse.Entry{Row: e.Col, Col: e.Row, Value: e.Value}))
}

// count returns the number of entries.
func (l *edgeList) count() int64 {
	n := l.edges - l.loops
	if l.mirror {
		n *= 2
	}
	if !l.dropLoops {
		n += l.loops
	}
	return n
}

// reader is the common part of the readers of edge lists and Matrix Market files.
type reader struct {
	options Options
	lines   *text.Records
	edges   edgeList
	guess   *weightGuess // nil if the weights have a name
}

// newReader returns a reader. It returns an error if options contradict each other or the file.
func newReader(in *document, delimiter rune, weighted bool, o Options) (*reader, error) {
	if o.Simple && weighted {
		return nil, fault.New("only edges without weights can be made to count once").WithRemedy("leave the weights out (-), or let them add up")
	}
	r := &reader{
		options: o,
		lines:   in.records(delimiter),
		edges:   edgeList{weighted: weighted, mirror: o.Undirected, dropLoops: o.SelfLoops == DropSelfLoops},
	}
	return r, nil
}

// weight reads the weight of an edge.
func (r *reader) weight(cell []byte) (float64, error) {
	v, err := text.NumberCell(cell)
	switch {
	case err != nil:
		return 0, fault.New("weight: %w", err)
	case text.IsInexact(cell):
		return 0, fault.New("the weight %s lies between two float64 numbers, which hold all integers only up to 2^53", fault.Shorten(cell)).
			WithRemedy("write it with a point to have it rounded")
	case math.IsNaN(v):
		return 0, fault.New("the weight is missing").WithRemedy("give it a number, or remove the line")
	case math.IsInf(v, 0):
		return 0, fault.New("the weight %q is infinite", fault.Shorten(cell)).WithRemedy("give it a finite number")
	case v < 0 && r.options.Degrees != sparse.NoDegreeScaling:
		return 0, fault.New("the weight %v is negative, and degrees need weights that are not", v).
			WithRemedy("leave the scaling by degrees out, or change the weights")
	}
	return v, nil
}

// bytes estimates the peak memory: the list of edges, the matrix, its transpose without values if
// there are none, and the later steps. Repeated edges give the matrix values even without weights.
// Nodes take 100 bytes each, with their tables.
func (r *reader) bytes(nodes, textBytes int64) int64 {
	edge, entry := int64(8), int64(12+4)
	if r.edges.weighted {
		edge, entry = 16, 12+12
	}
	if r.options.SelfLoops == AddSelfLoops {
		entry += 12
	}
	if r.options.Degrees != sparse.NoDegreeScaling {
		entry += 8
	}
	if r.edges.mirror {
		entry *= 2
	}
	return r.edges.edges*(edge+entry) + nodes*100 + textBytes
}

// checkLimit returns an error if the memory so far exceeds Options.Limit.
func (r *reader) checkLimit(nodes, textBytes int64) error {
	if need := r.bytes(nodes, textBytes); r.options.Limit > 0 && need > r.options.Limit {
		return fault.New("%d edges between %d nodes or more: %w", r.edges.edges, nodes, &stream.OverBudgetError{Need: need, Limit: r.options.Limit})
	}
	return nil
}

// graph returns the graph of the edges. It releases the list of edges.
func (r *reader) graph(nodes int, final []int32) (*Graph, error) {
	a, err := sparse.NewCSR(nodes, nodes, r.edges.entries(final))
	if err != nil {
		return nil, err
	}
	g := &Graph{
		Weighted:       r.edges.weighted,
		GuessedWeights: r.guess.result(),
		Edges:          r.edges.edges,
		Duplicates:     r.edges.count() - a.NNZ(),
		SelfLoops:      r.edges.loops,
	}
	r.edges = edgeList{}
	if r.options.SelfLoops == AddSelfLoops {
		a = a.AddIdentity()
	}
	if r.options.Simple {
		a.Value = nil
	}
	g.Adjacency, err = a.ScaledByDegrees(r.options.Degrees)
	return g, err
}

// readEdges reads an edge list.
func readEdges(in *document, o Options) (*Graph, error) {
	delimiter, err := in.delimiter()
	if err != nil {
		return nil, err
	}
	first, second, err := firstRecords(in, delimiter, "edges")
	if err != nil {
		return nil, err
	}
	columns, err := o.columns(first, second, delimiter)
	if err != nil {
		return nil, err
	}
	r, err := newReader(in, delimiter, columns.weight >= 0, o)
	if err != nil {
		return nil, err
	}
	if columns.guessed {
		r.guess = new(weightGuess)
	}
	nodes := newNodeTable()
	if err := nodes.list(o.Nodes); err != nil {
		return nil, err
	}
	if err := r.readAll(columns, nodes); err != nil {
		return nil, err
	}
	final := nodes.order(len(o.Nodes))
	g, err := r.graph(nodes.len(), final)
	if err != nil {
		return nil, err
	}
	g.IDs, g.Names, g.MixedIDWarning = nodes.ids, nodes.names, nodes.mixedWarning()
	return g, nil
}

// list numbers nodes given in advance.
func (t *nodeTable) list(ids []string) error {
	for i, id := range ids {
		n, err := t.number([]byte(id))
		if err != nil {
			return fault.New("list of nodes, entry %d (counted from 0): %w", i, err)
		}
		if int(n) != i {
			return fault.New("list of nodes, entry %d (counted from 0): %q is entry %d too", i, id, n).WithRemedy("list each node once")
		}
	}
	return nil
}

// readAll reads all edges.
func (r *reader) readAll(c edgeColumns, nodes *nodeTable) error {
	for header := c.header; ; header = false {
		cells, err := r.lines.Next()
		switch {
		case err == io.EOF && r.edges.edges == 0:
			return fault.New("the file holds a header but no edges").WithRemedy("is it the right file?")
		case err == io.EOF:
			return r.checkLimit(int64(nodes.len()), nodes.bytes)
		case err != nil:
			return err
		case header:
			continue
		case len(cells) != c.width:
			err = text.ErrRagged(len(cells), c.width, r.lines.Delimiter)
		default:
			err = r.edge(cells, c, nodes)
		}
		if err != nil {
			return r.lines.Here(err)
		}
	}
}

// edge adds the edge of one line.
func (r *reader) edge(cells [][]byte, c edgeColumns, nodes *nodeTable) error {
	source, err := nodes.number(cells[c.source])
	if err != nil {
		return err
	}
	target, err := nodes.number(cells[c.target])
	if err != nil {
		return err
	}
	weight := 1.0
	if c.weight >= 0 {
		if weight, err = r.weight(cells[c.weight]); err != nil {
			if _, bad := text.NumberCell(cells[c.weight]); bad != nil && r.edges.edges == 0 && !c.header {
				err = fault.New("%w, or say with `Layout.Header` that the line names the columns", err)
			}
			return err
		}
		if r.guess != nil {
			r.guess.observe(weight)
		}
	}
	r.edges.add(source, target, weight)
	if r.edges.full() {
		return r.checkLimit(int64(nodes.len()), nodes.bytes)
	}
	return nil
}
