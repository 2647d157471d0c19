package sketch

import (
	"fmt"
	"hash/fnv"
	"io"

	"gonum.org/v1/gonum/blas/blas64"
)

// ExplicitSketch names the four operators of a streamed sketch of an m×n matrix
// A, in the letters of paper 1, Algorithms 1 and 4.
type ExplicitSketch struct {
	C *RowSign // for the range, n rows: Y = A·C
	H *RowSign // for the co-range, m rows: X = Aᵀ·H
	O *RowSign // for the core from the left, m rows
	S *RowSign // for the core from the right, n rows: Z = Oᵀ·A·S
}

// Explicit accumulates the sketch of an m×n matrix that lies on disk and is
// read in row blocks: range, co-range and core (paper 1, Algorithms 1 and 4;
// Tropp, Yurtsever, Udell and Cevher 2019, "Streaming low-rank matrix
// approximation with an application to scientific simulation"). Every entry of A
// is taken exactly once. The tall range Y is not kept, only its R factor and
// OᵀY, which is what the core solve needs; a row of Y is a function of the row of
// A. Memory is n·(columns of H) numbers for X and small matrices.
type Explicit struct {
	cols    int
	with    ExplicitSketch
	rangeR  *QR            // of Y, C.Cols columns
	rangeO  blas64.General // OᵀY, O.Cols × C.Cols
	corange blas64.General // Xᵀ, H.Cols × n
	core    blas64.General // Z, O.Cols × S.Cols
}

// NewExplicit returns the sketch of a matrix of no rows and n ≥ 1 columns.
func NewExplicit(n int, with ExplicitSketch) *Explicit {
	if n < 1 {
		panic(fmt.Sprintf("sketch: NewExplicit of %d columns", n))
	}
	return &Explicit{
		cols:    n,
		with:    with,
		rangeR:  NewQR(with.C.Cols),
		rangeO:  newMatrix(with.O.Cols, with.C.Cols),
		corange: newMatrix(with.H.Cols, n),
		core:    newMatrix(with.O.Cols, with.S.Cols),
	}
}

// Rows returns the number of rows of A seen.
func (e *Explicit) Rows() int64 { return e.rangeR.Rows() }

// R returns the R factor of Y = A·C, square and upper triangular. The result is
// the caller's.
func (e *Explicit) R() blas64.General { return e.rangeR.R() }

// OY returns OᵀY, of O.Cols × C.Cols. The result is the caller's.
func (e *Explicit) OY() blas64.General { return clone(e.rangeO) }

// XT returns Xᵀ = HᵀA, of H.Cols × n. It shares memory with the accumulator and
// is valid until the next Add or Merge; the caller must not modify it.
func (e *Explicit) XT() blas64.General { return e.corange }

// Z returns the core OᵀAS, of O.Cols × S.Cols. The result is the caller's.
func (e *Explicit) Z() blas64.General { return clone(e.core) }

// Add takes in the rows start, start+1, … of A; block is B×n. Cost about
// B·n·(C.NNZ + S.NNZ + H.NNZ) operations and that of [QR.Add].
func (e *Explicit) Add(start int64, block blas64.General) error {
	checkShape("the block of Explicit.Add", block, block.Rows, e.cols)
	if err := CheckFinite(block); err != nil {
		return err
	}
	if err := e.addRange(start, block); err != nil {
		return err
	}
	e.addCore(start, block)
	e.with.H.MulLeft(e.corange, start, block)
	return e.checkOverflow()
}

// addRange folds in Y = block·C.
func (e *Explicit) addRange(start int64, block blas64.General) error {
	s := borrow()
	defer s.giveBack()
	y := matrix(&s.product, block.Rows, e.with.C.Cols)
	e.with.C.MulRight(y, block)
	if err := checkOverflow("range A·C", y); err != nil {
		return err
	}
	e.with.O.MulLeft(e.rangeO, start, y)
	return e.rangeR.Add(y)
}

// addCore folds in Oᵀ·(block·S).
func (e *Explicit) addCore(start int64, block blas64.General) {
	s := borrow()
	defer s.giveBack()
	t := matrix(&s.product, block.Rows, e.with.S.Cols)
	e.with.S.MulRight(t, block)
	e.with.O.MulLeft(e.core, start, t)
}

// Merge takes in the rows that later has seen. later must not be used
// afterwards.
func (e *Explicit) Merge(later *Explicit) error {
	if later.cols != e.cols || later.operators() != e.operators() {
		return fmt.Errorf("sketch: cannot merge sketches of matrices of %d and %d columns made by operators %x and %x", e.cols, later.cols, e.operators(), later.operators())
	}
	if err := e.rangeR.Merge(later.rangeR); err != nil {
		return err
	}
	axpy(1, later.rangeO.Data, e.rangeO.Data)
	axpy(1, later.corange.Data, e.corange.Data)
	axpy(1, later.core.Data, e.core.Data)
	return e.checkOverflow()
}

func (e *Explicit) checkOverflow() error {
	if err := checkOverflow("sketch OᵀAC", e.rangeO); err != nil {
		return err
	}
	if err := checkOverflow("co-range HᵀA", e.corange); err != nil {
		return err
	}
	return checkOverflow("core OᵀAS", e.core)
}

// operators returns a number that tells operators apart.
func (e *Explicit) operators() uint64 {
	h := fnv.New64a()
	for _, s := range []*RowSign{e.with.C, e.with.H, e.with.O, e.with.S} {
		io.WriteString(h, fmt.Sprintf("%d %d %d %q\n", s.Cols, s.NNZ, s.Seed, s.Purpose)) // never fails
	}
	return h.Sum64()
}

// MarshalBinary writes shape n, operators, rows and the values R factor (as
// [QR.MarshalBinary] does), OᵀY, Xᵀ and Z. The second number is a digest of the
// four operators.
func (e *Explicit) MarshalBinary() ([]byte, error) {
	data := newState(kindExplicit, uint64(e.cols), e.operators(), uint64(e.Rows()))
	data = e.rangeR.appendR(data)
	data = appendFloats(data, e.rangeO.Data)
	data = appendFloats(data, e.corange.Data)
	return appendFloats(data, e.core.Data), nil
}

// UnmarshalBinary reads what MarshalBinary of an Explicit with the same columns
// and operators wrote.
func (e *Explicit) UnmarshalBinary(data []byte) error {
	shape, values, err := openState(data, kindExplicit, 3)
	if err != nil {
		return err
	}
	if err := sameShape("columns", shape[0], e.cols); err != nil {
		return err
	}
	if shape[1] != e.operators() {
		return fmt.Errorf("sketch: the state was made by other operators (digest %x, want %x): other widths, nonzeros or seed", shape[1], e.operators())
	}
	c := e.with.C.Cols
	if err := values.need(trapezoid(shape[2], c) + len(e.rangeO.Data) + len(e.corange.Data) + len(e.core.Data)); err != nil {
		return err
	}
	r := NewExplicit(e.cols, e.with)
	if r.rangeR, err = readR(values, shape[2], c); err != nil {
		return err
	}
	for _, m := range []blas64.General{r.rangeO, r.corange, r.core} {
		if err := values.read(m.Data); err != nil {
			return err
		}
	}
	*e = *r
	return nil
}
