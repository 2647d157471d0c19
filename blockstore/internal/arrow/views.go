package arrow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
)

// viewBytes is the size of a view of a text: its length in 4 bytes, and the text if it fits in 12.
// A longer text is replaced by its first 4 bytes, the index of a data buffer and the offset in it.
const viewBytes = 16

// view refers to a text that does not fit in its view.
type view struct {
	value, buffer int
	from, length  int64
}

var errViews = errors.New("a text lies outside its buffers")

// loadViews loads texts: short ones from the views, others in buffer order.
func (s *scratch) loadViews(f *field, a *values, at int64, n int) error {
	raw, err := a.buffers.read(a.first+1, at*viewBytes, int64(n)*viewBytes, &s.raw)
	if err != nil {
		return err
	}
	order := binary.LittleEndian
	s.Texts = column.Resized(s.Texts, n)
	clear(s.Texts) // texts of nulls
	var long []view
	sum := int64(0)
	for i := range n {
		if !s.valid(i) {
			continue
		}
		b := raw[i*viewBytes:]
		v := view{i, int(int32(order.Uint32(b[8:]))), int64(int32(order.Uint32(b[12:]))), int64(int32(order.Uint32(b)))}
		switch {
		case v.length >= 0 && v.length <= 12:
			s.Texts[i] = string(b[4 : 4+v.length])
			continue
		case v.length < 0 || v.buffer < 0 || v.buffer >= a.data:
			return errViews
		}
		if sum += v.length; sum > compression.MaxBytes {
			return fmt.Errorf("%d bytes of text in %d rows", sum, n)
		}
		long = append(long, v)
	}
	slices.SortFunc(long, func(a, b view) int { return cmp.Or(a.buffer-b.buffer, cmp.Compare(a.from, b.from)) })
	for _, v := range long { // ascending, since seeking backwards in a compressed buffer unpacks it again
		if raw, err = a.buffers.read(a.first+2+v.buffer, v.from, v.length, &s.raw); err != nil {
			return err
		}
		s.Texts[v.value] = string(raw)
	}
	return nil
}
