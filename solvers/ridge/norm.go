package ridge

// constantFeatures is the largest eigenvalue of the centered Gram matrix, relative to the trace of the uncentered one,
// below which it is rounding error.
const constantFeatures = 1e-13

// norm returns the largest eigenvalue of the centered Gram matrix of the features: penalties are relative to it. If
// features are constant up to rounding, as for equal rows, it returns the trace of the uncentered matrix.
func (n *normalEquations) norm() float64 {
	trace, value := 0.0, make([]float64, 1)
	for i := range n.right.Rows {
		n.row(value, i, i)
		trace += value[0]
	}
	if v := largestEigenvalue(n.upper(0)); v > constantFeatures*trace {
		return v
	}
	return trace
}
