package lowrank

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// TestAccumulatorConformance tests the accumulator of a range that keeps rows, and that of S³SPSD, which records the
// rows touched by its sketch: none in some blocks.
func TestAccumulatorConformance(t *testing.T) {
	const cols = 3
	newRange := func() *sketchState[*sketch.QR] {
		return &sketchState[*sketch.QR]{A: sketch.NewQR(cols), B: &sketch.Both[*sketch.ColumnSums, *sketch.Priority]{A: sketch.NewColumnSums(1), B: sketch.NewPriority(4, 2)}}
	}
	conformance.Run(t, newRange, func(block int64) *sketchState[*sketch.QR] {
		s := newRange()
		priority := rowsOfBlock(block, 5, 1).Data // negative priorities are not kept
		if err := errors.Join(s.A.Add(rowsOfBlock(block, 5, cols)), s.B.A.Add(rowsOfBlock(block, 5, 1)), s.B.B.Add(block*5, priority, rowsOfBlock(block, 5, 2))); err != nil {
			t.Fatal(err)
		}
		return s
	}, 11)
	signs, err := sketch.NewSparseSign(60, cols, 2, 1, "C")
	if err != nil {
		t.Fatal(err)
	}
	newState := func() *rangeState { return &rangeState{A: sketch.NewPairQR(cols), B: newRange().B} }
	conformance.Run(t, newState, func(block int64) *rangeState {
		s := newState()
		marked, rows := signs.MarkedRows(block*5, block*5+5)
		if err := errors.Join(s.A.Add(rowsOfBlock(block, 5, cols), marked, rows), s.B.A.Add(rowsOfBlock(block, 5, 1))); err != nil {
			t.Fatal(err)
		}
		return s
	}, 11)
}

// rowsOfBlock returns the rows of a block.
func rowsOfBlock(block int64, rows, cols int) blas64.General {
	r, x := rand.New(rand.NewPCG(uint64(block), 0)), matrix.New(rows, cols)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}
