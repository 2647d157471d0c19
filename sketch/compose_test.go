package sketch_test

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

func TestSumConformance(t *testing.T) {
	conformance.Run(t, func() *sketch.Sum { return sketch.NewSum(4, 3) }, func(block int64) *sketch.Sum {
		s := sketch.NewSum(4, 3)
		copy(s.Data, random(4, 3, uint64(block)).RawMatrix().Data)
		s.Data[5] *= math.Pow(10, float64(block)) // makes the order of summation matter
		s.Count = block + 1
		return s
	}, 11)
}

func TestListConformance(t *testing.T) {
	newAcc := func() sketch.List[*sketch.QR] { return sketch.List[*sketch.QR]{sketch.NewQR(2), sketch.NewQR(4)} }
	conformance.Run(t, newAcc, func(block int64) sketch.List[*sketch.QR] {
		l := newAcc()
		for _, f := range l {
			if err := f.Add(general(random(9, f.Cols(), uint64(block)), 0, 9)); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}, 11)
}

func TestBothConformance(t *testing.T) {
	type both = sketch.Both[*sketch.Sum, *sketch.Both[*sketch.QR, *sketch.ColumnSums]]
	newAcc := func() *both {
		return &both{A: sketch.NewSum(1, 2), B: &sketch.Both[*sketch.QR, *sketch.ColumnSums]{A: sketch.NewQR(3), B: sketch.NewColumnSums(3)}}
	}
	conformance.Run(t, newAcc, func(block int64) *both {
		acc, x := newAcc(), general(random(9, 3, uint64(block)), 0, 9)
		acc.A.Data[0], acc.A.Count = x.Data[0], int64(x.Rows)
		if err := acc.B.A.Add(x); err != nil {
			t.Fatal(err)
		}
		if err := acc.B.B.Add(x); err != nil {
			t.Fatal(err)
		}
		return acc
	}, 11)
}

// Accumulators of different shapes do not merge.
func TestMergeOfOtherShapes(t *testing.T) {
	if err := sketch.NewSum(2, 3).Merge(sketch.NewSum(3, 2)); err == nil {
		t.Error("sums of 2×3 and 3×2 numbers are merged")
	}
	one := sketch.List[*sketch.QR]{sketch.NewQR(2)}
	for _, other := range []sketch.List[*sketch.QR]{{}, {sketch.NewQR(2), sketch.NewQR(2)}, {sketch.NewQR(3)}} {
		if err := one.Merge(other); err == nil {
			t.Errorf("a list of 1 is merged with one of %d", len(other))
		}
	}
}
