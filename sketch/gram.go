package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Gram accumulates the p×q product XᵀY of two tall matrices that are seen in
// blocks of rows. With Y = X it is the Gram matrix of the columns of X. A Gram
// matrix knows small singular values only to √ε·σ₁; where they matter use [QR].
type Gram struct {
	sum blas64.General // p×q
}

// NewGram returns the zero product of matrices of p and q columns, at least 1
// each.
func NewGram(p, q int) *Gram {
	if p < 1 || q < 1 {
		panic(fmt.Sprintf("sketch: NewGram of %d and %d columns", p, q))
	}
	return &Gram{sum: matrix.New(p, q)}
}

// Matrix returns XᵀY for all rows seen. The result is the caller's. If x and y
// were the same in every Add it is symmetric to the last bit.
func (g *Gram) Matrix() blas64.General { return matrix.Clone(g.sum) }

// Add adds the product of the blocks x (B×p), transposed, and y (B×q). Cost
// B·p·q multiply-adds, or half of that if x and y are the same memory.
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
		if err := firstInFactors(x, y); err != nil {
			return err
		}
	}
	matrix.Axpy(1, product.Data, g.sum.Data)
	return checkOverflow("Gram matrix", g.sum)
}

// firstInFactors names the first entry that is not finite. Every entry of x and y
// is in the sums of a row or a column of XᵀY, so there is none if XᵀY is finite.
func firstInFactors(x, y blas64.General) error {
	if err := CheckFinite(x); err != nil {
		return fmt.Errorf("left factor: %w", err)
	}
	if err := CheckFinite(y); err != nil {
		return fmt.Errorf("right factor: %w", err)
	}
	return nil
}

// transposedProduct sets dst to XᵀY. The matrix with itself takes half of the
// operations and gives the same bits.
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

// Merge adds the product of later. later must not be used afterwards.
func (g *Gram) Merge(later *Gram) error {
	if later.sum.Rows != g.sum.Rows || later.sum.Cols != g.sum.Cols {
		return fmt.Errorf("cannot merge a %d×%d Gram matrix with one of %d×%d", g.sum.Rows, g.sum.Cols, later.sum.Rows, later.sum.Cols)
	}
	matrix.Axpy(1, later.sum.Data, g.sum.Data)
	return checkOverflow("Gram matrix", g.sum)
}

// Reset makes the product zero.
func (g *Gram) Reset() { clear(g.sum.Data) }

// Name names the states of this accumulator, whatever its type is called.
func (g *Gram) Name() string { return "gram" }

// MarshalBinary writes shape p, q and the entries row by row.
func (g *Gram) MarshalBinary() ([]byte, error) {
	data := newState(kindGram, uint64(g.sum.Rows), uint64(g.sum.Cols))
	return appendFloats(data, g.sum.Data), nil
}

// UnmarshalBinary reads what MarshalBinary of a Gram of the same p and q wrote.
func (g *Gram) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindGram, 2)
	if err != nil {
		return err
	}
	if err := sameShape("rows", shape[0], g.sum.Rows); err != nil {
		return err
	}
	if err := sameShape("columns", shape[1], g.sum.Cols); err != nil {
		return err
	}
	if err := values.need(len(g.sum.Data)); err != nil {
		return err
	}
	sum := matrix.New(g.sum.Rows, g.sum.Cols)
	if err := values.read(sum.Data); err != nil {
		return err
	}
	g.sum = sum
	return nil
}
