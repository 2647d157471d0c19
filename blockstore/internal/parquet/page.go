package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// pages reads pages of a file. It owns the memory for decoding pages, which columns read in turn
// share.
type pages struct {
	path        string
	file        io.ReaderAt
	closer      io.Closer // nil if the file is closed elsewhere
	window      []byte
	at          int64 // offset of the window in the file
	windowBytes int   // bytes of the file in the window
	packed      []byte
	unpack      compression.Unpacker
	tile        tile
	held        int64 // size of the pages in memory
	limit       int64 // its limit
}

// newPages returns a reader of pages of the file of t, which it does not close. The pages in memory
// at one time, one per column, are limited to a multiple of the file size, so that a small file
// cannot claim much memory.
func newPages(t *table, file io.ReaderAt) *pages {
	return &pages{path: t.Path, file: file, window: make([]byte, 512), limit: maxPageBytes + 16*t.stamp.Size}
}

// close releases the memory and the decompressors.
func (p *pages) close() error {
	p.unpack.Close()
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}

// maxHeaderBytes bounds the size of a page header.
const maxHeaderBytes = 1 << 20

// header reads the page header at offset, before end, and returns the offset of the page body.
func (p *pages) header(offset, end int64) (h format.PageHeader, body int64, err error) {
	for {
		window := p.window[:min(int64(len(p.window)), end-offset)]
		p.windowBytes = 0
		if _, err := p.file.ReadAt(window, offset); err != nil {
			return h, 0, err
		}
		p.at, p.windowBytes = offset, len(window)
		n, err := thriftLength(window)
		if errors.Is(err, errThriftShort) && len(window) == len(p.window) && len(window) < maxHeaderBytes {
			p.window = make([]byte, 2*len(p.window))
			continue
		}
		if err != nil {
			return h, 0, fault.New("its header is damaged: %w", err)
		}
		if err := decodeThrift(window[:n], &h); err != nil {
			return h, 0, fault.New("its header is damaged: %w", err)
		}
		return h, offset + int64(n), checkPage(&h, end-offset-int64(n))
	}
}

// checkPage returns an error for a header whose page does not fit in room bytes.
func checkPage(h *format.PageHeader, room int64) error {
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || size < 0 || packed > room {
		return fmt.Errorf("its header claims %d bytes, %d unpacked, of %d that are left", packed, size, room)
	}
	if packed > maxPageBytes || size > maxPageBytes {
		return fault.New("it has %d bytes, %d unpacked; the limit is %d", packed, size, maxPageBytes).WithRemedy("write the file with smaller pages")
	}
	return nil
}

// pageCounts returns the numbers of entries and rows in a data page.
func pageCounts(h *format.PageHeader, flat bool) (entries, rows int64, err error) {
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		entries = int64(h.DataPageHeader.V.NumValues)
		rows = -1 // not stated
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		entries = int64(h.DataPageHeaderV2.V.NumValues)
		rows = int64(h.DataPageHeaderV2.V.NumRows)
		if rows < 0 || rows > entries || flat && rows != entries {
			return 0, 0, fmt.Errorf("its header claims %d rows in %d values", rows, entries)
		}
	default:
		return 0, 0, fmt.Errorf("its header has no type of page")
	}
	if entries < 0 {
		return 0, 0, fmt.Errorf("its header claims %d values", entries)
	}
	if flat {
		rows = entries
	}
	return entries, rows, nil
}

// body reads and decompresses the page at offset into buffer, which it may grow. The first prefix
// bytes of the page are not compressed (the levels of version 2).
func (p *pages) body(h *format.PageHeader, offset int64, codec format.CompressionCodec, prefix int, buffer []byte) ([]byte, error) {
	packed, size := int(h.CompressedPageSize), int(h.UncompressedPageSize)
	if prefix < 0 || prefix > packed || prefix > size {
		return nil, fmt.Errorf("its levels of %d bytes do not fit in it", prefix)
	}
	if codec == format.Uncompressed || packed == prefix {
		if packed != size {
			return nil, fault.New("%w: %d bytes, %d in the header", compression.ErrSize, packed, size)
		}
		buffer, err := p.withLength(buffer, packed)
		if err != nil {
			return nil, err
		}
		return buffer, p.load(h, offset, buffer)
	}
	if err := checkRatio(codec, packed-prefix, size-prefix); err != nil {
		return nil, err
	}
	collectBefore(int64(packed - cap(p.packed)))
	p.packed = column.Resized(p.packed, packed)
	if err := p.load(h, offset, p.packed); err != nil {
		return nil, err
	}
	buffer, err := p.withLength(buffer, size)
	if err != nil {
		return nil, err
	}
	copy(buffer, p.packed[:prefix])
	if err := unpackers[codec](&p.unpack, buffer[prefix:], p.packed[prefix:]); err != nil {
		return nil, fault.New("it cannot be unpacked (%s): %w", nameOf(codec), compression.Failed(err))
	}
	return buffer, nil
}

// withLength returns buffer with length n, within the memory limit.
func (p *pages) withLength(buffer []byte, n int) ([]byte, error) {
	if more := int64(n - cap(buffer)); more > 0 {
		if p.held+more > p.limit {
			return nil, fault.New("the pages of the chosen columns have more than %d bytes", p.limit).
				WithRemedy("choose fewer columns, or write the file with smaller pages")
		}
		p.held += more
		collectBefore(more)
	}
	return column.Resized(buffer, n), nil
}

// collectBefore runs the garbage collector before a large allocation. Pages of a reader that has
// ended may be as large, and the concurrent collector would come too late for them.
func collectBefore(bytes int64) {
	const many = 32 << 20
	if bytes >= many {
		runtime.GC()
	}
}

// load reads the bytes of a page into b and verifies its checksum. A checksum of zero counts as
// none, since the library does not distinguish them. Bytes that were read with the header are not
// read again.
func (p *pages) load(h *format.PageHeader, offset int64, b []byte) error {
	n := 0
	if from := offset - p.at; from >= 0 && from < int64(p.windowBytes) {
		n = copy(b, p.window[from:p.windowBytes])
	}
	if n < len(b) {
		if _, err := p.file.ReadAt(b[n:], offset+int64(n)); err != nil {
			return err
		}
	}
	if h.CRC != 0 && crc32.ChecksumIEEE(b) != uint32(h.CRC) {
		return errors.New("its checksum does not fit: it is damaged")
	}
	return nil
}
