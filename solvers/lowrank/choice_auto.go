package lowrank

// affordable is the part of the kernel entries of a fit that [RuleAuto] may evaluate, and
// affordableOfAll that of determinantal landmarks from all rows.
const (
	affordable      = 0.25
	affordableOfAll = 0.7
)

// drawEntries is how many kernel entries take the time of determinantal draws.
const drawEntries = 3e5

// decided returns the chooser with RuleAuto replaced by what it stands for. Pivots are for
// positive semi-definite kernels: of others one may leave nothing. Of few rows the pool is all,
// since a part misses the rare ones: pivots are affordable then.
func (c chooser) decided() chooser {
	if c.rule != RuleAuto {
		return c
	}
	fit := c.fitEntries()
	all := max(candidatesAtLeast, candidatesPerLandmark*int64(c.landmarks))
	if c.rows <= fewPools*all && c.rows > int64(c.landmarks) {
		c.pool, c.rule = c.rows, RuleDeterminantal
		if c.entries() <= affordableOfAll*fit {
			return c
		}
		if c.definite {
			c.rule = RulePivoted
			return c
		}
	}
	for _, rule := range []Rule{RuleDeterminantal, RulePivoted} {
		c.rule = rule
		for eighths := int64(8); eighths >= 4 && (c.definite || rule == RuleDeterminantal); eighths-- {
			if c.pool = min(c.rows, all) * eighths / 8; c.pool > int64(c.landmarks) && c.entries() <= affordable*fit {
				return c
			}
		}
	}
	c.rule, c.pool = RuleUniform, 0
	return c
}

// fewPools is how many pools the rows are at most for all of them to be candidates.
const fewPools = 2

// fitEntries returns the kernel entries of the pass and of the core.
func (c chooser) fitEntries() float64 {
	return float64(c.rows)*float64(c.landmarks) + float64(c.core)*float64(c.core)/2
}

// entries returns the kernel entries of a determinantal or pivoted choice.
func (c chooser) entries() float64 {
	m := float64(c.reservoir())
	if c.rule == RulePivoted {
		return m * float64(c.landmarks)
	}
	return m*m/2 + drawEntries
}
