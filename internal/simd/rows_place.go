//go:build !noasm && (amd64 || arm64)

package simd

// place returns the address of v[i], nil if v is nil.
func place(v []float64, i int) *float64 {
	if v == nil {
		return nil
	}
	return &v[i]
}
