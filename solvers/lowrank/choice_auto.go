package lowrank

// affordable is the part of the work of a fit that [ChoiceAuto] may take.
const affordable = 0.155

// The work of steps, in multiplications with additions as fast as those of products of
// matrices: what an entry takes besides its inner product, two norms of a matrix for each
// of its entries, a decomposition of a k×k matrix divided by k³, a pass over a few rows in
// memory, and any fit at least. `go run ./bench/accuracy -only landmarks`
// measures shares of fits: all but the smallest are within a factor of 1.5.
const (
	entryWork         = 24
	normWork          = 100
	decompositionWork = 12
	sweepWork         = 8e6
	leastWork         = 1e8
)

// decided returns the chooser with ChoiceAuto replaced by what it stands for. Pivots are for
// positive semi-definite kernels: of others one may leave nothing. Of few rows the pool is all,
// since a part misses the rare ones: pivots then take up to a quarter of the fit.
func (c chooser) decided() chooser {
	if c.choice != ChoiceAuto {
		return c
	}
	most := affordable * c.fitWork()
	all := max(candidatesAtLeast, candidatesPerLandmark*int64(c.landmarks))
	if c.rows <= fewPools*all && c.rows > int64(c.landmarks) {
		c.pool, c.choice = c.rows, ChoiceDeterminantal
		if c.definite && c.work() > most {
			c.choice = ChoicePivoted
		}
		if c.definite || c.work() <= most {
			return c
		}
	}
	for _, choice := range []LandmarkChoice{ChoiceDeterminantal, ChoicePivoted} {
		c.choice = choice
		for eighths := int64(8); eighths >= 4 && (c.definite || choice == ChoiceDeterminantal); eighths-- {
			if c.pool = min(c.rows, all) * eighths / 8; c.pool > int64(c.landmarks) && c.work() <= most {
				return c
			}
		}
	}
	c.choice, c.pool = ChoiceUniform, 0
	return c
}

// fewPools is how many pools the rows are at most for all of them to be candidates.
const fewPools = 2

// fitWork returns the work of a fit: the entries, the triangular factor, the core of all
// directions or of those that are carried on a sample of rows, and the error estimate with its
// norms. Triangular factors are half as fast as products. (Where all rows are core points a
// choice that counted those that are carried would look at so few rows that errors on abalone at
// rank 250 were a third larger.)
func (c chooser) fitWork() float64 {
	columns := c.landmarks
	if c.core < c.rows {
		columns = leadingColumns(c.columns, c.landmarks, c.landmarks)
	}
	n, l, t, r := float64(c.rows), float64(c.landmarks), float64(c.core), float64(columns)
	sample := float64(sampleRows(c.rows, int64(c.landmarks)))
	entry := float64(c.dimension + entryWork)
	small := 6*t*l*l + 2.5*decompositionWork*l*l*l
	if r < l {
		small = t*r*(l+1.5*r) + decompositionWork*r*r*r + 4*l*l*r + 5*l*l*l
	}
	return leastWork + n*l*(entry+2*l) + t*t*(entry+r)/2 + small + sample*sample*(entry+normWork)
}

// work returns the work of a determinantal or pivoted choice.
func (c chooser) work() float64 {
	m, k, l := float64(c.reservoir()), float64(c.vectors()), float64(c.landmarks)
	entry := float64(c.dimension + entryWork)
	if c.choice == ChoicePivoted {
		return m*l*(entry+l/2) + (2+l/64)*sweepWork
	}
	q := float64(c.probes())
	return m*m*(entry/2+q) + m*q*(2*q+k) + 2*decompositionWork*q*q*q + 1.5*m*k*l + l/k*(3+k/64)*sweepWork
}
