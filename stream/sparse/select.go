package sparse

// PickRows returns the matrix of the given rows, in the given order. Cost: the memory of the
// result.
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

// Induced returns the rows and columns of the given ascending nodes of a square matrix, renumbered:
// the induced subgraph. Cost: the result and 4 bytes per column.
func (c *CSR) Induced(nodes []int64) *CSR {
	c.mustBeSquare("the part between some nodes")
	place := make([]int32, c.Cols) // 1 + index among nodes, 0 for other columns
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
