package sparse

// PickRows returns the matrix of some rows, in the order of their numbers' list. Cost: the
// memory of the result.
func (c *CSR) PickRows(rows []int64) *CSR {
	p := &CSR{Rows: len(rows), Cols: c.Cols, Start: make([]int64, len(rows)+1)}
	for i, r := range rows {
		index, value := c.Row(int(r))
		p.Index = append(p.Index, index...)
		p.Value = append(p.Value, value...)
		p.Start[i+1] = int64(len(p.Index))
	}
	return p
}

// Induced returns the part of a square matrix between some nodes, which ascend: the graph
// that they induce, numbered anew. Cost: 4 bytes for each column besides the result.
func (c *CSR) Induced(nodes []int64) *CSR {
	c.mustBeSquare("the part between some nodes")
	place := make([]int32, c.Cols) // 1 + number among the nodes
	for i, node := range nodes {
		place[node] = int32(i) + 1
	}
	p := &CSR{Rows: len(nodes), Cols: len(nodes), Start: make([]int64, len(nodes)+1)}
	for i, node := range nodes {
		index, value := c.Row(int(node))
		for e, j := range index {
			if place[j] == 0 {
				continue
			}
			p.Index = append(p.Index, place[j]-1)
			if value != nil {
				p.Value = append(p.Value, value[e])
			}
		}
		p.Start[i+1] = int64(len(p.Index))
	}
	return p
}
