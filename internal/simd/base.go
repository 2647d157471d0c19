package simd

// Base is the function of two columns that is summed over the columns of two rows.
type Base uint8

const (
	// Product is x·p.
	Product Base = iota
	// Square is the squared difference, which gives the squared distance.
	Square
	// Absolute is the absolute difference, which gives the L1 distance.
	Absolute
)
