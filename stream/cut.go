package stream

import "math"

// blockRange is a range of blocks, first ≤ block < end.
type blockRange struct{ first, end int64 }

// allBlocks covers every block of a source of any length.
var allBlocks = []blockRange{{0, math.MaxInt64}}

// cutBlocks returns the blocks of one part, counted from 1, of a pass over blocks blocks. Parts
// begin at multiples of a power of two that is at most a quarter of a part. So the state of a part
// has few subtrees, and sizes differ by at most a quarter. If there are more parts than blocks,
// some are empty.
func cutBlocks(blocks int64, part, parts int) blockRange {
	unit := int64(1)
	for 8*unit*int64(parts) <= blocks {
		unit *= 2
	}
	units := (blocks + unit - 1) / unit
	edge := func(k int) int64 {
		whole, rest := units/int64(parts), units%int64(parts) // their product may overflow
		return min(blocks, (whole*int64(k)+rest*int64(k)/int64(parts))*unit)
	}
	return blockRange{edge(part - 1), edge(part)}
}

// uncovered returns the blocks of r that no node covers. The nodes are in order and do not overlap.
func (r blockRange) uncovered(seen []node) []blockRange {
	var gaps []blockRange
	next := r.first
	for _, n := range seen {
		if n.last() < next {
			continue
		}
		if n.first() >= r.end {
			break
		}
		if n.first() > next {
			gaps = append(gaps, blockRange{next, n.first()})
		}
		next = n.last() + 1
	}
	if next < r.end {
		gaps = append(gaps, blockRange{next, r.end})
	}
	return gaps
}
