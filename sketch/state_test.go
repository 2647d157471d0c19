package sketch_test

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
)

// state is the interface of all accumulators.
type state interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// fresh returns an empty accumulator of every kind.
func fresh(t testing.TB) []state {
	by, err := sketch.NewWhitening(blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{2, 1, 1, 0, 2, 1, 0, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return []state{sketch.NewQR(3), sketch.NewPairQR(2), sketch.NewGram(2, 3), sketch.NewColumnSums(3), sketch.NewPriority(4, 3),
		sketch.NewWhitenedGram(by)}
}

// filled returns the serial form of a non-empty accumulator of every kind.
func filled(t testing.TB) [][]byte {
	t.Helper()
	all := fresh(t)
	block := randomBlock(5, 3, 1)
	narrow := randomBlock(5, 2, 2)
	errs := []error{
		all[0].(*sketch.QR).Add(block),
		all[1].(*sketch.PairQR).Add(narrow, []int{1, 4}, randomBlock(2, 2, 3)),
		all[2].(*sketch.Gram).Add(narrow, block),
		all[3].(*sketch.ColumnSums).Add(block),
		all[4].(*sketch.Priority).Add(0, []float64{1, 5, 4, 3, 2}, block),
		all[5].(*sketch.WhitenedGram).Add(block),
	}
	var states [][]byte
	for i, a := range all {
		data, err := a.MarshalBinary()
		if err != nil || errs[i] != nil {
			t.Fatal(err, errs[i])
		}
		states = append(states, data)
	}
	return states
}

func TestStateLayout(t *testing.T) {
	q := sketch.NewQR(2)
	if err := q.Add(blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{-3, 5}}); err != nil {
		t.Fatal(err)
	}
	got, err := q.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	want := []byte("NySk\x01\x00\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00")
	for _, v := range []float64{3, -5} {
		want = binary.LittleEndian.AppendUint64(want, math.Float64bits(v))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("state\n%x, want\n%x", got, want)
	}
}

func TestStatesAreNotMixedUp(t *testing.T) {
	for i, data := range filled(t) {
		for j, a := range fresh(t) {
			if err := a.UnmarshalBinary(data); (err == nil) != (i == j) {
				t.Errorf("state of kind %d read as kind %d: %v", i+1, j+1, err)
			}
		}
	}
}

func TestStateRefusesNonFinite(t *testing.T) {
	for i, data := range filled(t) {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			binary.LittleEndian.PutUint64(data[len(data)-8:], math.Float64bits(bad))
			if err := fresh(t)[i].UnmarshalBinary(data); err == nil {
				t.Errorf("kind %d: a state with %v was read", i+1, bad)
			}
		}
	}
}

func TestStateRefusesNegativeDiagonal(t *testing.T) {
	data := filled(t)[0]
	const diagonal = 8 + 2*8
	data[diagonal+7] |= 0x80 // the sign bit
	if err := sketch.NewQR(3).UnmarshalBinary(data); err == nil {
		t.Error("an R factor that is not in canonical form was read")
	}
}

func TestStateRefusesCounts(t *testing.T) {
	for i := range 2 { // a full triangle is valid for any larger number of rows
		full := fresh(t)[i]
		switch a := full.(type) {
		case *sketch.QR:
			_ = a.Add(randomBlock(9, 3, 1))
		case *sketch.PairQR:
			_ = a.Add(randomBlock(9, 2, 1), []int{0, 1, 2, 3}, randomBlock(4, 2, 2))
		}
		data, _ := full.MarshalBinary()
		data[8+8+7] = 0x80 // 2⁶³ rows
		if err := fresh(t)[i].UnmarshalBinary(data); err == nil {
			t.Errorf("kind %d: a state of 2⁶³ rows was read", i+1)
		}
	}
}

// A header that announces more values than follow must not cause a large allocation.
func TestStateAllocation(t *testing.T) {
	for i, data := range filled(t) {
		for at := 8; at+8 <= min(len(data), 32); at += 8 {
			for _, n := range []uint64{1 << 20, 1 << 31, 1 << 53, 1 << 63, math.MaxUint64} {
				damaged := bytes.Clone(data)
				binary.LittleEndian.PutUint64(damaged[at:], n)
				a := fresh(t)[i]
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := a.UnmarshalBinary(damaged)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 1<<16 {
					t.Errorf("kind %d, %d at byte %d: %d bytes were allocated (error %v)", i+1, n, at, used, err)
				}
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for i, data := range filled(f) {
		f.Add(i, data)
	}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		all := fresh(t)
		a := all[uint(kind)%uint(len(all))]
		if a.UnmarshalBinary(data) != nil {
			return
		}
		again, err := a.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("a state was accepted that is written as another: %x, %x, %v", data, again, err)
		}
	})
}
