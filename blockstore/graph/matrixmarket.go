package graph

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
)

// marketBanner is the first word of a Matrix Market file.
const marketBanner = "%%MatrixMarket"

// isMatrixMarket reports whether a text begins like a Matrix Market file.
func isMatrixMarket(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(text.ByteOrderMark))
	return len(head) >= len(marketBanner) && strings.EqualFold(string(head[:len(marketBanner)]), marketBanner)
}

// market is the reader of a Matrix Market file.
type market struct {
	*reader
	symmetric                    bool
	pattern                      bool  // the file holds no values
	nodes                        int64 // rows and columns
	announced                    int64 // announced number of entries
	belowDiagonal, aboveDiagonal bool  // whether entries below and above the diagonal occurred
}

// readMatrixMarket reads a coordinate matrix.
func readMatrixMarket(in *document, o Options) (*Graph, error) {
	if o.Nodes != nil {
		return nil, fault.New("a Matrix Market file says itself which nodes there are, 1 to n").WithRemedy("leave the list of nodes out")
	}
	if o.Header {
		return nil, fault.New("a Matrix Market file has no names of columns").WithRemedy("leave `Layout.Header` out")
	}
	if o.Source+o.Target != "" || o.Weight != "" && o.Weight != noWeight {
		return nil, fault.New("a Matrix Market file has no columns to choose from").WithRemedy("leave source, target and weight out")
	}
	banner, _, _ := bytes.Cut(in.head, []byte{'\n'})
	m, err := newMarket(in, strings.Fields(strings.ToLower(string(banner))), o)
	if err != nil {
		return nil, text.AtLine(err, 1)
	}
	if err := m.readSize(); err != nil {
		return nil, err
	}
	if err := m.readAll(); err != nil {
		return nil, err
	}
	g, err := m.graph(int(m.nodes), nil)
	if err != nil {
		return nil, err
	}
	g.IDs = make([]int64, m.nodes)
	for i := range g.IDs {
		g.IDs[i] = int64(i) + 1
	}
	return g, nil
}

// newMarket parses the first line.
func newMarket(in *document, banner []string, o Options) (*market, error) {
	if len(banner) != 5 || banner[1] != "matrix" {
		return nil, fault.New("it is no first line of a Matrix Market file").
			WithRemedy("make it %%%%MatrixMarket matrix coordinate real general, " +
				"or say integer or pattern, or symmetric")
	}
	layout, field, symmetry := banner[2], banner[3], banner[4]
	switch {
	case layout == "array":
		return nil, fault.New("it is a dense matrix (array), and a graph is read from the coordinate format").WithRemedy("write it from a sparse matrix")
	case layout != "coordinate":
		return nil, fault.New("the format %q is not known, only coordinate", layout).WithRemedy("write it so")
	case field != "real" && field != "integer" && field != "pattern" && field != "double":
		return nil, fault.New("values of the kind %q are not read", field).WithRemedy("write real, integer or pattern")
	case symmetry != "general" && symmetry != "symmetric":
		return nil, fault.New("the symmetry %q is not read", symmetry).
			WithRemedy("write the matrix as general or symmetric")
	}
	pattern := field == "pattern"
	r, err := newReader(in, text.WhiteSpace, !pattern && o.Weight != noWeight, o)
	if err != nil {
		return nil, err
	}
	symmetric := symmetry == "symmetric"
	r.edges.mirror = r.edges.mirror || symmetric
	return &market{reader: r, symmetric: symmetric, pattern: pattern}, nil
}

// readSize reads the line with the numbers of rows, columns and entries.
func (m *market) readSize() error {
	cells, err := m.lines.Next()
	if err == io.EOF {
		return fault.New("the file ends before the line with its size").WithKind(stream.Damaged).
			WithRemedy("make or fetch it again")
	}
	if err != nil {
		return err
	}
	size := [3]int64{}
	for k := range size {
		ok := len(cells) == len(size)
		if ok {
			size[k], ok = nodeInteger(cells[k])
		}
		if !ok || size[k] < 0 {
			return m.lines.Here(fault.New("the first line after the comments should hold three integers: rows, columns and entries").
				WithRemedy("mend it"))
		}
	}
	switch {
	case size[0] != size[1]:
		return m.lines.Here(fault.New("the matrix has %d rows and %d columns; the adjacency matrix of a graph is square", size[0], size[1]).WithRemedy("make it so"))
	case size[0] >= math.MaxInt32:
		return m.lines.Here(errManyNodes)
	}
	m.nodes, m.announced = size[0], size[2]
	return nil
}

// readAll reads the entries.
func (m *market) readAll() error {
	for {
		cells, err := m.lines.Next()
		if err == io.EOF {
			return m.checkEnd()
		}
		if err != nil {
			return err
		}
		if err := m.entry(cells); err != nil {
			return m.lines.Here(err)
		}
	}
}

// maxIdleNodes bounds the nodes without entries that a file may announce, so that a few bytes cannot
// request gigabytes.
const maxIdleNodes = 1 << 22

// checkEnd compares the number of entries with the announced one.
func (m *market) checkEnd() error {
	if m.edges.edges != m.announced {
		return fault.New("the file ends after %d entries, but promises %d", m.edges.edges, m.announced).WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	if m.nodes > max(maxIdleNodes, 4*m.edges.edges) {
		return fault.New("the file promises %d nodes for %d entries, so most rows are empty", m.nodes, m.edges.edges).
			WithRemedy("number the nodes without gaps")
	}
	return m.checkLimit(m.nodes, 0)
}

// entry adds an entry.
func (m *market) entry(cells [][]byte) error {
	width := 3
	if m.pattern {
		width = 2
	}
	if len(cells) != width {
		return fault.New("%d numbers, but an entry has %d here", len(cells), width).WithRemedy("mend the line")
	}
	if m.edges.edges == m.announced {
		return fault.New("there are more entries than the %d promised: the size line is wrong, or two files were joined", m.announced).
			WithRemedy("mend it")
	}
	i, err := m.index(cells[0])
	if err != nil {
		return err
	}
	j, err := m.index(cells[1])
	if err != nil {
		return err
	}
	weight := 1.0
	if !m.pattern {
		if weight, err = m.weight(cells[2]); err != nil {
			return err
		}
	}
	if err := m.checkTriangle(i, j); err != nil {
		return err
	}
	m.edges.add(i, j, weight)
	if m.edges.full() {
		return m.checkLimit(min(m.nodes, 2*m.edges.edges), 0)
	}
	return nil
}

// index parses the number of a row or column, counted from 1.
func (m *market) index(cell []byte) (int32, error) {
	v, ok := nodeInteger(cell)
	if !ok || v < 1 || v > m.nodes {
		return 0, fault.New("the row or column %q is none of 1 to %d", fault.Shorten(cell), m.nodes).
			WithRemedy("mend the line")
	}
	return int32(v - 1), nil
}

// checkTriangle returns an error if a symmetric matrix has entries on both sides of its diagonal,
// since each entry stands for two.
func (m *market) checkTriangle(i, j int32) error {
	m.belowDiagonal, m.aboveDiagonal = m.belowDiagonal || i > j, m.aboveDiagonal || i < j
	if m.symmetric && m.belowDiagonal && m.aboveDiagonal {
		return fault.New("a symmetric matrix lists one side of its diagonal, and this entry is on the other").
			WithRemedy("if both are listed, call the matrix general")
	}
	return nil
}
