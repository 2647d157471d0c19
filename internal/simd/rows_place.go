//go:build !noasm && (amd64 || arm64)

package simd

// place is the place of v[i], nil where there is no v.
func place(v []float64, i int) *float64 {
	if v == nil {
		return nil
	}
	return &v[i]
}
