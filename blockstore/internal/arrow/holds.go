package arrow

import (
	"cmp"
	"io"
	"slices"
	"unsafe"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// decoderBytes is about the memory of a decoder of compressed buffers: windows and tables.
const decoderBytes = 4 << 20

// measuredBatches is the number of batches inspected for the memory estimate, of those with the most
// rows and of those with the most bytes.
const measuredBatches = 64

// memoryUse estimates the memory of a reader of the chosen columns: one compressed batch, except for
// buffers unpacked in pieces, and the dictionaries. Uncompressed batches take next to nothing.
type memoryUse struct {
	fields  []field
	packed  int64           // size of the largest compressed buffer
	blocks  map[int]int64   // maximal memory of each buffer
	lists   map[int64]int64 // sizes of dictionaries, by id
	batches bool            // some batches are compressed
}

func newMemoryUse(s *schema, c *column.Choice) *memoryUse {
	w := &memoryUse{blocks: map[int]int64{}, lists: map[int64]int64{}}
	w.fields = s.chosenFields(c)
	return w
}

// bytes returns the total.
func (w *memoryUse) bytes() int64 {
	sum := w.packed
	if len(w.blocks) > 0 {
		sum += decoderBytes
	}
	for _, n := range w.blocks {
		sum += n
	}
	for _, n := range w.lists {
		sum += n
	}
	return sum
}

// batch adds the chosen buffers of a batch if they are compressed.
func (w *memoryUse) batch(table flatTable, b *ipcBuffers) error {
	if b.codec == plain {
		return nil
	}
	w.batches = true
	for i := range w.fields {
		f := &w.fields[i]
		a, err := f.arrayIn(table, b, nil)
		if err == nil {
			err = w.array(f, &a, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// buffersOf is the number of buffers of an array by layout, without those of elements. An unread
// field counts as an enclosing structure.
var buffersOf = [...]int{unreadLayout: 1, wordLayout: 2, textLayout: 3, viewLayout: 2, fixedLayout: 1, listLayout: 2, dictLayout: 2, fixedBytesLayout: 2}

// array adds the buffers of an array.
func (w *memoryUse) array(f *field, a *values, b *ipcBuffers) error {
	for i := a.first; i < a.first+buffersOf[f.layout]+a.data && i < b.table.n; i++ {
		h, err := b.head(i)
		if err != nil {
			return err
		}
		if h.stored {
			continue
		}
		if !h.inPieces {
			w.packed = max(w.packed, h.length)
		}
		w.blocks[i] = max(w.blocks[i], h.readBytes)
	}
	for i := range a.enclosing {
		if err := w.array(&f.parents[i], &a.enclosing[i], b); err != nil {
			return err
		}
	}
	if a.child == nil {
		return nil
	}
	return w.array(f.child, a.child, b)
}

// dictionary adds the values of a dictionary if a chosen field uses it.
func (w *memoryUse) dictionary(m *message) error {
	head, ok := flatRoot(m.meta).table(2)
	if !ok {
		return nil // reading reports the error
	}
	f := dictionaryField(w.fields, head.int64(0))
	if f == nil {
		return nil
	}
	batch, err := m.batchOf()
	if err != nil {
		return err
	}
	b, err := newIPCBuffers(batch, m, nil)
	if err != nil {
		return err
	}
	a, err := f.child.arrayIn(batch, b, nil)
	if err != nil || a.length > compression.MaxBytes/8 {
		return err
	}
	n := entryBytes * a.length
	if f.child.layout == textLayout && a.first+2 < b.table.n {
		text, err := b.size(a.first + 2)
		if err != nil {
			return err
		}
		n += text
	}
	w.lists[head.int64(0)] += n
	if b.codec == plain {
		return nil
	}
	return w.array(f.child, &a, b)
}

// readerCost returns the number of rows that a reader skips when it begins in the middle, and its
// memory. It inspects the headers of the largest batches and of their chosen buffers, and ignores
// damage, which reading reports.
func (t *table) readerCost(c *column.Choice) (seekCost, readerBytes int64) {
	file, err := t.stamp.OpenAnytime()
	if err != nil {
		return 1, 0 // opening reports the error
	}
	defer file.Close()
	w := newMemoryUse(t.index.schema, c)
	for _, e := range t.index.heaviest() {
		if fault.Guard(t.Path, func() error { return t.weigh(w, file, e) }) != nil {
			break
		}
	}
	seekCost = 1
	for _, e := range t.index.entries {
		if w.batches {
			seekCost = max(seekCost, e.rows)
		}
	}
	for _, f := range w.fields {
		if f.inNested {
			readerBytes += nestedElements * 16
		}
	}
	return seekCost, readerBytes + w.bytes() + t.columnBytes(len(w.fields))
}

// columnBytes returns the memory of a reader for the given number of columns, with a tile of one of
// them, and for the headers of two batches: the previous one is garbage while the next is read.
func (t *table) columnBytes(columns int) int64 {
	head := int64(0)
	for _, e := range t.index.entries {
		head = max(head, e.body-e.at)
	}
	return int64(columns)*int64(unsafe.Sizeof(columnReader{})+unsafe.Sizeof(field{})) + 2*head + 8*tileRows
}

// heaviest returns all dictionaries, and the batches with the most rows and the most bytes.
func (x *index) heaviest() (list []*entry) {
	var batches []*entry
	for i := range x.entries {
		if e := &x.entries[i]; e.kind == batchMessage {
			batches = append(batches, e)
		} else {
			list = append(list, e)
		}
	}
	for _, by := range []func(e *entry) int64{
		func(e *entry) int64 { return e.rows },
		func(e *entry) int64 { return e.bodySize },
	} {
		slices.SortStableFunc(batches, func(a, b *entry) int { return cmp.Compare(by(b), by(a)) })
		list = append(list, batches[:min(len(batches), measuredBatches)]...)
	}
	return list
}

// weigh adds a message.
func (t *table) weigh(w *memoryUse, file io.ReaderAt, e *entry) error {
	m, err := e.message(file)
	if err != nil {
		return err
	}
	if e.kind == dictionaryMessage {
		return w.dictionary(m)
	}
	b, err := newBatch(m, e.first, nil, nil)
	if err != nil {
		return err
	}
	return w.batch(b.table, b.buffers)
}
