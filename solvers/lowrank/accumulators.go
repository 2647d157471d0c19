package lowrank

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// both folds blocks into two accumulators at once.
type both[A stream.Accumulator[A], B stream.Accumulator[B]] struct {
	a A
	b B
}

// Merge merges each part.
func (s *both[A, B]) Merge(later *both[A, B]) error {
	return firstError(s.a.Merge(later.a), s.b.Merge(later.b))
}

// Reset makes both parts as good as new.
func (s *both[A, B]) Reset() {
	any(s.a).(stream.Resetter).Reset()
	any(s.b).(stream.Resetter).Reset()
}

// MarshalBinary writes each part behind its length.
func (s *both[A, B]) MarshalBinary() ([]byte, error) { return marshalParts(s.a, s.b) }

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *both[A, B]) UnmarshalBinary(data []byte) error { return unmarshalParts(data, s.a, s.b) }

// state is a part of an accumulator that can be written and read.
type state interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func marshalParts(parts ...state) ([]byte, error) {
	var out []byte
	for _, p := range parts {
		data, err := p.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out = append(binary.LittleEndian.AppendUint64(out, uint64(len(data))), data...)
	}
	return out, nil
}

// unmarshalParts reads all parts, or changes none of them.
func unmarshalParts(data []byte, parts ...state) error {
	before, err := marshalParts(parts...)
	if err != nil {
		return err
	}
	if err = readParts(data, parts); err != nil {
		return errors.Join(err, readParts(before, parts))
	}
	return nil
}

func readParts(data []byte, parts []state) error {
	for _, p := range parts {
		if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
			return errors.New("lowrank: accumulator state is cut short")
		}
		n := 8 + binary.LittleEndian.Uint64(data)
		if err := p.UnmarshalBinary(data[8:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	if len(data) > 0 {
		return fmt.Errorf("lowrank: %d bytes follow the accumulator state", len(data))
	}
	return nil
}

// factorSet folds the embeddings of one or two sides into triangular factors.
type factorSet struct{ factors []*sketch.QR }

func newFactorSet(sides []*Embedding) *factorSet {
	s := &factorSet{}
	for _, side := range sides {
		s.factors = append(s.factors, sketch.NewQR(side.Rank()))
	}
	return s
}

// matrices are the triangular factors.
func (s *factorSet) matrices() []blas64.General {
	var out []blas64.General
	for _, f := range s.factors {
		out = append(out, f.R())
	}
	return out
}

// Merge merges each factor.
func (s *factorSet) Merge(later *factorSet) error {
	for i, f := range s.factors {
		if err := f.Merge(later.factors[i]); err != nil {
			return err
		}
	}
	return nil
}

// MarshalBinary writes each factor behind its length.
func (s *factorSet) MarshalBinary() ([]byte, error) {
	return marshalParts(s.parts()...)
}

// UnmarshalBinary reads what MarshalBinary wrote into a set of the same shape.
func (s *factorSet) UnmarshalBinary(data []byte) error {
	return unmarshalParts(data, s.parts()...)
}

func (s *factorSet) parts() []state {
	parts := make([]state, len(s.factors))
	for i, f := range s.factors {
		parts[i] = f
	}
	return parts
}

// matrixSum is a small matrix to which every block adds something, and may
// count its rows.
type matrixSum struct {
	blas64.General
	rows int64
}

func newMatrixSum(rows, cols int) *matrixSum {
	return &matrixSum{General: stream.NewMatrix(rows, cols)}
}

// Merge adds the sum over later blocks.
func (s *matrixSum) Merge(later *matrixSum) error {
	for i, v := range later.Data {
		s.Data[i] += v
	}
	s.rows += later.rows
	return nil
}

// MarshalBinary writes the count of rows and the numbers, as many as both sides
// know.
func (s *matrixSum) MarshalBinary() ([]byte, error) {
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+8*len(s.Data)), uint64(s.rows))
	for _, v := range s.Data {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote into a sum of the same shape.
func (s *matrixSum) UnmarshalBinary(data []byte) error {
	if len(data) != 8+8*len(s.Data) {
		return fmt.Errorf("lowrank: a sum of %d×%d numbers cannot have %d bytes", s.Rows, s.Cols, len(data))
	}
	s.rows = int64(binary.LittleEndian.Uint64(data))
	for i := range s.Data {
		s.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8+8*i:]))
	}
	return nil
}
