package ridge

// constantFeatures is the size of a centered Gram matrix, relative to that with the means, below which it is
// nothing but rounding.
const constantFeatures = 1e-13

// norm returns the largest eigenvalue of the centered Gram matrix of features, which penalties are relative to. Of
// features that are constant but for rounding, as those of equal rows are, it is the trace of the other one.
func (n *normal) norm() float64 {
	trace, value := 0.0, make([]float64, 1)
	for i := range n.right.Rows {
		n.row(value, i, i)
		trace += value[0]
	}
	if v := largest(n.upper(0)); v > constantFeatures*trace {
		return v
	}
	return trace
}
