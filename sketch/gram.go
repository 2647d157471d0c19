package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Gram accumulates the p×q product XᵀY of two tall matrices that arrive in blocks of rows. With Y =
// X it is the Gram matrix of the columns of X. A Gram matrix resolves singular values only down to
// √ε·σ₁; use [QR] if smaller ones matter.
type Gram struct {
	sum blas64.General // p×q
}

// NewGram returns a zero p×q product. p and q must be at least 1.
func NewGram(p, q int) *Gram {
	if p < 1 || q < 1 {
		panic(fmt.Sprintf("sketch: NewGram of %d and %d columns", p, q))
	}
	return &Gram{sum: matrix.New(p, q)}
}

// Matrix returns a copy of XᵀY for all rows added. It is exactly symmetric if x and y were the same
// in every Add.
func (g *Gram) Matrix() blas64.General { return matrix.Clone(g.sum) }

// Add adds xᵀy for blocks x (B×p) and y (B×q). Cost: B·p·q multiply-adds, or half of that if x and
// y are the same memory.
func (g *Gram) Add(x, y blas64.General) error {
	checkShape("x of Gram.Add", x, x.Rows, g.sum.Rows)
	checkShape("y of Gram.Add", y, x.Rows, g.sum.Cols)
	if x.Rows == 0 {
		return nil
	}
	s := borrow()
	defer s.giveBack()
	product := matrix.Reuse(&s.product, g.sum.Rows, g.sum.Cols)
	s.transposedProduct(product, x, y)
	if CheckFinite(product) != nil {
		if err := checkFactors(x, y); err != nil {
			return err
		}
	}
	matrix.Axpy(1, product.Data, g.sum.Data)
	return checkOverflow("Gram matrix", g.sum)
}

// checkFactors returns an error for the first entry of x or y that is not finite. A finite XᵀY
// needs no such check, since every entry of x and y contributes to a sum in it.
func checkFactors(x, y blas64.General) error {
	if err := CheckFinite(x); err != nil {
		return fmt.Errorf("left factor: %w", err)
	}
	if err := CheckFinite(y); err != nil {
		return fmt.Errorf("right factor: %w", err)
	}
	return nil
}

// transposedProduct sets dst to XᵀY. If x and y are the same memory it does half of the operations,
// with the same bits.
func (s *scratch) transposedProduct(dst, x, y blas64.General) {
	switch {
	case simd.Active() == simd.Go:
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, x, y, 0, dst)
	case &x.Data[0] == &y.Data[0] && x.Stride == y.Stride && x.Cols == y.Cols:
		s.cholesky.gramInto(dst, x)
	default:
		simd.Gemm(blas.Trans, blas.NoTrans, 1, x, y, 0, dst)
	}
}

// gramInto sets dst to XᵀX.
func (c *cholesky) gramInto(dst, x blas64.General) {
	c.g.Reset(x.Cols, x.Cols)
	c.addGram(x, nil, false)
	for i := range x.Cols {
		copy(matrix.Row(dst, i)[i:], c.g.Row(i)[i:])
		for j := range i {
			matrix.Row(dst, i)[j] = matrix.Row(dst, j)[i]
		}
	}
}

// Merge adds the product of later, which must not be used afterwards.
func (g *Gram) Merge(later *Gram) error {
	if later.sum.Rows != g.sum.Rows || later.sum.Cols != g.sum.Cols {
		return fmt.Errorf("cannot merge a %d×%d Gram matrix with one of %d×%d", g.sum.Rows, g.sum.Cols, later.sum.Rows, later.sum.Cols)
	}
	matrix.Axpy(1, later.sum.Data, g.sum.Data)
	return checkOverflow("Gram matrix", g.sum)
}

// Reset sets the product to zero.
func (g *Gram) Reset() { clear(g.sum.Data) }

// Name identifies states of this accumulator, independently of the Go type.
func (g *Gram) Name() string { return "gram" }

// MarshalBinary writes p, q and the entries row by row.
func (g *Gram) MarshalBinary() ([]byte, error) {
	data := newState(kindGram, uint64(g.sum.Rows), uint64(g.sum.Cols))
	return appendFloats(data, g.sum.Data), nil
}

// UnmarshalBinary reads a state of the same p and q that MarshalBinary wrote.
func (g *Gram) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindGram, 2)
	if err != nil {
		return err
	}
	if err := checkCount("rows", shape[0], g.sum.Rows); err != nil {
		return err
	}
	if err := checkCount("columns", shape[1], g.sum.Cols); err != nil {
		return err
	}
	if err := values.checkLength(len(g.sum.Data)); err != nil {
		return err
	}
	sum := matrix.New(g.sum.Rows, g.sum.Cols)
	if err := values.read(sum.Data); err != nil {
		return err
	}
	g.sum = sum
	return nil
}
