package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// Gaussian is an operator whose entries are independent standard normal
// numbers, not scaled. The number of rows is open: row i is a function of i and
// the fields alone. The fields must not be changed.
type Gaussian struct {
	Cols    int // columns
	Seed    uint64
	Purpose string // what the operator is for, see NewRandom
}

// NewGaussian returns an operator. It needs cols ≥ 1.
func NewGaussian(cols int, seed uint64, purpose string) (*Gaussian, error) {
	if cols < 1 {
		return nil, fmt.Errorf("sketch: a Gaussian operator of %d columns: must be at least 1", cols)
	}
	return &Gaussian{Cols: cols, Seed: seed, Purpose: purpose}, nil
}

// Row puts row i of the operator into dst, of length Cols.
func (g *Gaussian) Row(i int64, dst []float64) {
	g.row(NewRandom(g.Seed, g.Purpose), i, dst)
}

func (g *Gaussian) row(random Random, i int64, dst []float64) {
	random.normals(i, dst[:g.Cols])
}

// MulRight computes dst = m·C for m of B×n and dst of B×Cols, where the rows of
// C are 0..n-1. Each entry is summed in ascending order of the row of C. Cost
// B·n·Cols multiply-adds and n·Cols random draws.
func (g *Gaussian) MulRight(dst, m blas64.General) {
	checkShape("MulRight dst", dst, m.Rows, g.Cols)
	random := NewRandom(g.Seed, g.Purpose)
	entries := make([]float64, g.Cols)
	clearRows(dst)
	for l := range m.Cols {
		g.row(random, int64(l), entries)
		for i := range m.Rows {
			axpy(m.Data[i*m.Stride+l], entries, row(dst, i))
		}
	}
}

// MulLeft adds the product of C transposed, restricted to rows start, start+1,
// …, with m (B×n) to dst (Cols×n). Adding the row blocks of a matrix M in order
// gives CᵀM. Cost B·n·Cols multiply-adds.
func (g *Gaussian) MulLeft(dst blas64.General, start int64, m blas64.General) {
	checkShape("MulLeft dst", dst, g.Cols, m.Cols)
	random := NewRandom(g.Seed, g.Purpose)
	entries := make([]float64, g.Cols)
	for i := range m.Rows {
		g.row(random, start+int64(i), entries)
		for j, v := range entries {
			axpy(v, row(m, i), row(dst, j))
		}
	}
}

// Normals fills dst with independent standard normal numbers; row i is drawn at
// position i of the sequence.
func (r Random) Normals(dst blas64.General) {
	if dst.Cols == 0 {
		return
	}
	for i := range dst.Rows {
		r.normals(int64(i), row(dst, i))
	}
}

// normals fills dst with standard normal numbers drawn at a position.
func (r Random) normals(position int64, dst []float64) {
	draws := r.At(uint64(position))
	for j := range dst {
		dst[j] = draws.Normal()
	}
}

// Signs fills dst with independent numbers +1 or −1, equally likely; row i is drawn at
// position i of the sequence. It takes a fiftieth of the time of [Random.Normals], and sums
// of as many as a hundred rows are as good as normal.
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
