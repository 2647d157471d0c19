package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// values is the array of one field in one batch.
type values struct {
	length    int64
	nulls     int64 // as stated in the header
	first     int   // index of the first buffer
	data      int   // number of data buffers of views, after its two own buffers
	buffers   *ipcBuffers
	child     *values
	dict      *dictionary
	enclosing []values // enclosing structures, of the same length
}

// errShort reports that a buffer is shorter than its array.
var errShort = errors.New("a buffer is shorter than the array that is in it")

// ipcBuffers holds the buffers of a message. Uncompressed buffers are read in pieces, and large
// compressed ones unpacked in pieces: no batch is ever completely in memory.
type ipcBuffers struct {
	body          io.ReaderAt
	bodySize      int64
	table         flatVector // offset and length of each buffer
	codec         codec
	heads         map[int]bufferHead
	unpacked      map[int][]byte
	openPieces    map[int]*pieces
	unpackedBytes int64 // bytes of unpacked
	space         *workspace
}

// bufferHead describes the storage of a buffer.
type bufferHead struct {
	at, length int64 // in the body, after its head
	size       int64 // unpacked size
	stored     bool  // not compressed
	inPieces   bool
	readBytes  int64 // memory for reading it, except for the packed bytes
}

// workspace is the memory for unpacking compressed buffers. Successive batches reuse it.
type workspace struct {
	compression.Unpacker
	packed []byte
	blocks map[int][]byte // by buffer index
	pieces map[int]*pieces
}

// block returns n bytes of memory for buffer i.
func (m *workspace) block(i int, n int64) []byte {
	if int64(cap(m.blocks[i])) < n {
		if m.blocks == nil {
			m.blocks = map[int][]byte{}
		}
		delete(m.blocks, i) // the old block may be freed before the new one is allocated
		m.blocks[i] = make([]byte, n)
	}
	return m.blocks[i][:n]
}

// piecesOf returns a decompressor of buffer i in pieces.
func (m *workspace) piecesOf(i int, c codec) (p *pieces, err error) {
	if p = m.pieces[i]; p != nil {
		return p, nil
	}
	p = &pieces{}
	if c == zstdFrames {
		p.reader, err = compression.NewZstdFrames()
	} else {
		p.reader = compression.NewLZ4Frames()
	}
	if err != nil {
		return nil, err
	}
	if m.pieces == nil {
		m.pieces = map[int]*pieces{}
	}
	m.pieces[i] = p
	return p, nil
}

// Close releases the decoders.
func (m *workspace) Close() {
	m.Unpacker.Close()
	for _, p := range m.pieces {
		p.reader.Close()
	}
}

// codec is the compression of buffers.
type codec uint8

const (
	plain codec = iota
	lz4Frames
	zstdFrames
)

// newIPCBuffers returns the buffers of a record batch in the body of m. They are valid until space
// is used for another batch.
func newIPCBuffers(batch flatTable, m *message, space *workspace) (*ipcBuffers, error) {
	b := &ipcBuffers{body: m.body, bodySize: m.bodySize, table: batch.vector(2, 16), space: space}
	if c, ok := batch.table(3); ok {
		switch codec := c.byte(0); codec {
		case 0:
			b.codec = lz4Frames
		case 1:
			b.codec = zstdFrames
		default:
			return nil, fmt.Errorf("the compression %d is not known", codec)
		}
		b.heads, b.unpacked, b.openPieces = map[int]bufferHead{}, map[int][]byte{}, map[int]*pieces{}
	}
	for i := range b.table.n {
		offset, length := b.table.int64(i, 0), b.table.int64(i, 8)
		if offset < 0 || length < 0 || offset > b.bodySize || length > b.bodySize-offset {
			return nil, fmt.Errorf("buffer %d has %d bytes at %d of a body of %d", i, length, offset, b.bodySize)
		}
	}
	return b, nil
}

// head returns the description of buffer i. A compressed buffer starts with its length as an i64
// (-1: not compressed), followed by a frame.
func (b *ipcBuffers) head(i int) (h bufferHead, err error) {
	if i >= b.table.n {
		return h, fmt.Errorf("there are only %d buffers", b.table.n)
	}
	at, length := b.table.int64(i, 0), b.table.int64(i, 8)
	if b.codec == plain || length == 0 {
		return bufferHead{at: at, length: length, size: length, stored: true}, nil
	}
	if h, ok := b.heads[i]; ok {
		return h, nil
	}
	var head [8 + compression.FrameHead]byte
	n := min(length, int64(len(head)))
	if n < 8 {
		return h, errShort
	}
	if _, err := b.body.ReadAt(head[:n], at); err != nil {
		return h, cutShort(err)
	}
	h = bufferHead{at: at + 8, length: length - 8, size: int64(binary.LittleEndian.Uint64(head[:]))}
	switch {
	case h.size == -1:
		h.size, h.stored = h.length, true
	case h.size < 0 || h.size>>15 > h.length:
		return h, fmt.Errorf("buffer %d claims %d bytes in %d", i, h.size, h.length)
	default:
		h.choose(b.codec, head[8:n])
	}
	if !h.stored && !h.inPieces && h.size > compression.MaxBytes {
		return h, fault.New("buffer %d has %d bytes that cannot be unpacked in pieces; the limit is %d", i, h.size, compression.MaxBytes).
			WithRemedy("write smaller batches")
	}
	b.heads[i] = h
	return h, nil
}

// choose decides whether a frame with this beginning is unpacked in pieces.
func (h *bufferHead) choose(c codec, frame []byte) {
	holds, ok := compression.LZ4FrameHolds(frame)
	if c == zstdFrames {
		holds, ok = compression.ZstdHolds(frame)
	}
	if h.readBytes = h.size; ok && worthPieces(h.size, holds) {
		h.readBytes, h.inPieces = holds, true
	}
}

// size returns the length of buffer i.
func (b *ipcBuffers) size(i int) (int64, error) {
	h, err := b.head(i)
	return h.size, err
}

// read returns n bytes of buffer i, starting at from. They are in scratch or in memory that lives
// as long as the batch.
func (b *ipcBuffers) read(i int, from, n int64, scratch *[]byte) ([]byte, error) {
	h, err := b.head(i)
	if err != nil {
		return nil, err
	}
	if from < 0 || n < 0 || from > h.size || n > h.size-from {
		return nil, errShort
	}
	if n == 0 { // an empty read at the end of the body would return io.EOF
		return nil, nil
	}
	if h.stored {
		*scratch = column.Resized(*scratch, int(n))
		_, err = b.body.ReadAt(*scratch, h.at+from)
		return *scratch, cutShort(err)
	}
	var data []byte
	if h.inPieces {
		data, err = b.piece(i, h, from, n)
	} else if data, err = b.unpack(i, h); err == nil {
		data = data[from : from+n]
	}
	if err != nil {
		return nil, fault.New("buffer %d: %w", i, err)
	}
	return data, nil
}

// piece unpacks n bytes of buffer i, starting at from.
func (b *ipcBuffers) piece(i int, h bufferHead, from, n int64) ([]byte, error) {
	p := b.openPieces[i]
	if p == nil {
		var err error
		if p, err = b.space.piecesOf(i, b.codec); err != nil {
			return nil, err
		}
		if err := p.begin(io.NewSectionReader(b.body, h.at, h.length), h.size); err != nil {
			return nil, err
		}
		b.openPieces[i] = p
	}
	return p.read(from, n)
}

// unpack unpacks the whole of buffer i.
func (b *ipcBuffers) unpack(i int, h bufferHead) ([]byte, error) {
	if data, ok := b.unpacked[i]; ok {
		return data, nil
	}
	if int64(cap(b.space.packed)) < h.length {
		b.space.packed = make([]byte, h.length)
	}
	packed := b.space.packed[:h.length]
	if _, err := b.body.ReadAt(packed, h.at); err != nil {
		return nil, cutShort(err)
	}
	if b.unpackedBytes += h.size; b.unpackedBytes > compression.MaxBytes+16*b.bodySize {
		return nil, fault.New("the chosen columns of a batch have more than %d bytes", compression.MaxBytes+16*b.bodySize).
			WithRemedy("choose fewer, or write smaller batches")
	}
	data := b.space.block(i, h.size)
	if err := b.unpackFrame(data, packed); err != nil {
		return nil, fault.New("it cannot be unpacked: %w", compression.Failed(err))
	}
	b.unpacked[i] = data
	return data, nil
}

func (b *ipcBuffers) unpackFrame(dst, src []byte) error {
	if b.codec == zstdFrames {
		return b.space.Zstd(dst, src)
	}
	return b.space.LZ4Frame(dst, src)
}

// arrayIn returns the array of field f in a record batch.
func (f *field) arrayIn(batch flatTable, buffers *ipcBuffers, dicts dictionaries) (values, error) {
	nodes := batch.vector(1, 16)
	if f.node >= nodes.n {
		return values{}, fmt.Errorf("there are only %d arrays", nodes.n)
	}
	a := values{length: nodes.int64(f.node, 0), first: f.buffer, buffers: buffers}
	a.nulls = nodes.int64(f.node, 8)
	if a.length < 0 || a.nulls > a.length {
		return a, fmt.Errorf("an array claims %d values, %d of them null", a.length, a.nulls)
	}
	for i := range f.parents {
		parent, err := f.parents[i].arrayIn(batch, buffers, nil)
		if err != nil {
			return a, err
		}
		a.enclosing = append(a.enclosing, parent)
	}
	counts := batch.vector(4, 8)
	for k := range f.views {
		a.first += int(counts.int64(k, 0))
	}
	switch f.layout {
	case viewLayout:
		a.data = int(counts.int64(f.views, 0))
	case dictLayout:
		a.dict = dicts[f.dict]
	case fixedLayout, listLayout:
		child, err := f.child.arrayIn(batch, buffers, nil)
		a.child = &child
		return a, err
	}
	return a, nil
}
