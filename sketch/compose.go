package sketch

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
)

// accumulator is the constraint on the parts of [Both] and [List].
type accumulator[A any] interface {
	state
	Merge(later A) error
	Reset()
}

// state is the serial form of an accumulator.
type state interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// accumulatorName returns the name of an accumulator, or its Go type if it has none.
func accumulatorName(part any) string {
	if n, is := part.(interface{ Name() string }); is {
		return n.Name()
	}
	return fmt.Sprintf("%T", part)
}

// Both folds blocks into two accumulators in one pass.
type Both[A accumulator[A], B accumulator[B]] struct {
	A A
	B B
}

// Merge merges each part of later into that of b.
func (b *Both[A, B]) Merge(later *Both[A, B]) error {
	if err := b.A.Merge(later.A); err != nil {
		return err
	}
	return b.B.Merge(later.B)
}

// Reset resets both parts.
func (b *Both[A, B]) Reset() {
	b.A.Reset()
	b.B.Reset()
}

// Name identifies states of this accumulator by the names of its parts.
func (b *Both[A, B]) Name() string {
	return "both(" + accumulatorName(b.A) + ", " + accumulatorName(b.B) + ")"
}

// MarshalBinary writes the state of each part, preceded by its length.
func (b *Both[A, B]) MarshalBinary() ([]byte, error) { return marshalParts([]state{b.A, b.B}) }

// UnmarshalBinary reads a state that MarshalBinary wrote. On error neither part changes.
func (b *Both[A, B]) UnmarshalBinary(data []byte) error {
	return unmarshalParts(data, []state{b.A, b.B})
}

// List folds blocks into several accumulators of one type. Only lists of equal length merge.
type List[A accumulator[A]] []A

// Merge merges each part of later into that of l.
func (l List[A]) Merge(later List[A]) error {
	if len(later) != len(l) {
		return fmt.Errorf("cannot merge a list of %d accumulators with one of %d", len(l), len(later))
	}
	for i, a := range l {
		if err := a.Merge(later[i]); err != nil {
			return err
		}
	}
	return nil
}

// Reset resets all parts.
func (l List[A]) Reset() {
	for _, a := range l {
		a.Reset()
	}
}

// Name identifies states of this accumulator by the name of its first part.
func (l List[A]) Name() string {
	if len(l) == 0 {
		return "list"
	}
	return "list(" + accumulatorName(l[0]) + ")"
}

// MarshalBinary writes the state of each part, preceded by its length.
func (l List[A]) MarshalBinary() ([]byte, error) { return marshalParts(l.states()) }

// UnmarshalBinary reads a state of a list of the same length and shapes. On error no part changes.
func (l List[A]) UnmarshalBinary(data []byte) error { return unmarshalParts(data, l.states()) }

func (l List[A]) states() []state {
	parts := make([]state, len(l))
	for i, a := range l {
		parts[i] = a
	}
	return parts
}

func marshalParts(parts []state) ([]byte, error) {
	out := []byte{}
	for _, p := range parts {
		data, err := p.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out = append(binary.LittleEndian.AppendUint64(out, uint64(len(data))), data...)
	}
	return out, nil
}

// unmarshalParts reads the states of all parts. On error it restores them.
func unmarshalParts(data []byte, parts []state) error {
	before, err := marshalParts(parts)
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
			return errors.New("the state of several accumulators is cut short")
		}
		n := 8 + binary.LittleEndian.Uint64(data)
		if err := p.UnmarshalBinary(data[8:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	if len(data) > 0 {
		return fmt.Errorf("%d bytes follow the state of several accumulators", len(data))
	}
	return nil
}
