package simd

// multiplyGo is the reference of multiply: a row of x against four columns of a group, like the
// strips of tile_go.go.
func (p *panel) multiplyGo(c, x operand) {
	var row [panelSteps]float64
	for i := range c.rows {
		xs := row[:p.steps]
		for k := range xs {
			xs[k] = x.data[i*x.row+k*x.col]
		}
		p.multiplyRowGo(c.data[i*c.row:][:c.cols], xs)
	}
}

func (p *panel) multiplyRowGo(dst, x []float64) {
	for j := 0; j < len(dst); j += stripLanes {
		var sums [stripLanes]float64
		if p.add {
			copy(sums[:], dst[j:])
		}
		p.addProducts(&sums, x, j/Lanes*p.group+j%Lanes)
		copy(dst[j:], sums[:])
	}
}

// addProducts adds x_k times four columns of the panel, in ascending k.
func (p *panel) addProducts(sums *[stripLanes]float64, x []float64, at int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	for k, a := range x {
		q := p.data[at+k*p.step:][:stripLanes:stripLanes]
		s0 += float64(a * q[0])
		s1 += float64(a * q[1])
		s2 += float64(a * q[2])
		s3 += float64(a * q[3])
	}
	*sums = [stripLanes]float64{s0, s1, s2, s3}
}
