package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// A form is what becomes of a row of float64 before it is rounded to float32.
type form int

const (
	asItIs    form = iota
	centred        // less the centre: distances do not see it, rounding does
	ofUnitLen      // divided by its length
	inDouble       // not rounded: the base is computed in float64
	numForms
)

// SinglePanel is a [Panel] in float32, for [Kernel.FillSingle]. It is read-only
// and safe for use by several goroutines. It takes 4·rows·cols bytes, twice or
// three times that for kernels that mix distances, products and cosines, and twice
// that for divergences.
type SinglePanel struct {
	rows, cols int
	bases      baseSet
	centre     []float64
	forms      [numForms]simd.PackedRows[float32]
	packed     [numPreparations]simd.Packed // as in Panel, of bases in float64
}

// PackSingle copies rows into a panel for the tiles of k in float32. centre is a
// row in the middle of the data, nil for zero: distances are computed between
// rows from which it was subtracted in float64, so that data far from the origin
// keep their digits. Inner products and cosines are of the rows as they are, and
// divergences are in float64. It panics if the centre is not as long as the rows or
// the kernel is not plain ([Kernel.CheckPlain]). The kernel need not be resolved.
func (k Kernel) PackSingle(rows blas64.General, centre []float64) *SinglePanel {
	k.mustBePlain()
	if centre == nil {
		centre = make([]float64, rows.Cols)
	}
	if len(centre) != rows.Cols {
		panic(fmt.Sprintf("kernelgen: centre of length %d for rows of length %d", len(centre), rows.Cols))
	}
	set := k.bases()
	p := &SinglePanel{rows: rows.Rows, cols: rows.Cols, bases: set, centre: centre,
		packed: packAll(rows, set.inDouble())}
	for b := range set.each {
		if f := b.spec().form; f != inDouble && p.forms[f].Rows() == 0 {
			m := denseSingle(make([]float32, rows.Rows*rows.Cols), rows.Rows, rows.Cols)
			narrowRows(m, rows, f, centre, new(Workspace))
			p.forms[f] = simd.PackRows(m)
		}
	}
	return p
}

// Rows returns the number of rows in the panel: the number of columns of its tiles.
func (p *SinglePanel) Rows() int { return p.rows }

// narrowRows rounds rows to float32 in the given form.
func narrowRows(dst simd.Matrix[float32], x blas64.General, f form, centre []float64, w *Workspace) {
	if f == ofUnitLen {
		x = w.unitBlock(x)
	}
	for i := range x.Rows {
		out := dst.Data[i*dst.Stride:][:x.Cols]
		if f == centred {
			simd.Narrow(out, simd.Row(x, i), centre)
		} else {
			narrow(out, simd.Row(x, i))
		}
	}
}

// narrow rounds to float32.
func narrow(dst []float32, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = float32(src[i])
	}
}

// denseSingle returns a matrix without gaps over data.
func denseSingle(data []float32, rows, cols int) simd.Matrix[float32] {
	return simd.Matrix[float32]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
