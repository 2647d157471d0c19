package rkhs

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// farthest accumulates the pairs of whose kernel the features leave most, w_i·(k(x_i, x_i) −
// ‖f(x_i)‖² + l(y_i, y_i) − ‖g(y_i)‖²): a few rows unlike all landmarks may be most of an error,
// and a uniform sample would seldom have them.
type farthest struct {
	most int
	list []leftPair // as sort has it once cut
}

// leftPair is a pair and how much is left of it.
type leftPair struct {
	pair int64
	left float64
}

// least returns what a pair must leave to be among them.
func (f *farthest) least() float64 {
	if len(f.list) < f.most || f.most == 0 {
		return 0
	}
	return f.list[f.most-1].left
}

// add puts a pair behind the others, before the next cut.
func (f *farthest) add(pair int64, left float64) { f.list = append(f.list, leftPair{pair, left}) }

// cut keeps the first of the pairs, by descending left and ascending number.
func (f *farthest) cut() {
	slices.SortFunc(f.list, func(a, b leftPair) int { return cmp.Or(cmp.Compare(b.left, a.left), cmp.Compare(a.pair, b.pair)) })
	f.list = f.list[:min(f.most, len(f.list))]
}

// Merge takes in those of later.
func (f *farthest) Merge(later *farthest) error {
	f.list = append(f.list, later.list...)
	f.cut()
	return nil
}

// Reset forgets all.
func (f *farthest) Reset() { f.list = f.list[:0] }

// MarshalBinary writes the pairs and what is left of them.
func (f *farthest) MarshalBinary() ([]byte, error) {
	var data []byte
	for _, p := range f.list {
		data = binary.LittleEndian.AppendUint64(data, uint64(p.pair))
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(p.left))
	}
	return data, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (f *farthest) UnmarshalBinary(data []byte) error {
	if len(data)%16 != 0 || len(data)/16 > f.most {
		return errors.New("rkhs: a state of pairs is damaged")
	}
	f.list = nil
	for ; len(data) > 0; data = data[16:] {
		p := leftPair{int64(binary.LittleEndian.Uint64(data)), math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))}
		if last := len(f.list) - 1; p.pair < 0 || !(p.left > 0) || last >= 0 && !(p.left <= f.list[last].left) {
			return errors.New("rkhs: a state of pairs is damaged")
		}
		f.list = append(f.list, p)
	}
	return nil
}
