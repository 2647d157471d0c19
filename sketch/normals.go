package sketch

import "gonum.org/v1/gonum/blas/blas64"

// Normals fills dst with independent standard normal numbers. Row i of dst comes from item i, see
// [Random.At].
func (r Random) Normals(dst blas64.General) {
	for i := range dst.Rows {
		draws := r.At(uint64(i))
		for j := range dst.Cols {
			dst.Data[i*dst.Stride+j] = draws.Normal()
		}
	}
}

// Signs fills dst with independent ±1, equally likely. Row i of dst comes from item i, see
// [Random.At]. It takes a fiftieth of the time of [Random.Normals]. Sums over a hundred rows or
// more are close to normal.
func (r Random) Signs(dst blas64.General) {
	for i := range dst.Rows {
		draws, bits := r.At(uint64(i)), uint64(0)
		for j := range dst.Cols {
			if j%64 == 0 {
				bits = draws.Uint64()
			}
			dst.Data[i*dst.Stride+j] = 1 - 2*float64(bits>>(j%64)&1)
		}
	}
}
