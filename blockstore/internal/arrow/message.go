package arrow

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// The kinds of messages of an IPC stream.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

// kindName returns what a message of some kind is.
func kindName(kind byte) string {
	switch kind {
	case schemaMessage:
		return "schema"
	case dictionaryMessage:
		return "dictionary"
	case batchMessage:
		return "batch"
	}
	return fmt.Sprintf("message of kind %d", kind)
}

// maxArrowMeta is the most that the metadata of a message may occupy.
const maxArrowMeta = 64 << 20

// continuation begins a message; before Arrow 0.15 it was left out.
const continuation = 0xffffffff

// message is a message of an IPC stream. Its body is read when needed.
//
//	continuation u32, length of the metadata u32, metadata, body
type message struct {
	kind     byte
	meta     []byte
	body     io.ReaderAt
	bodySize int64
}

// errMisplaced returns the error that a message of some kind is where none may be.
func errMisplaced(kind byte) error {
	return fmt.Errorf("a %s does not belong here", kindName(kind))
}

// readMeta reads the beginning of a message from r, up to its body, which
// must not be longer than room says. At the end
// mark of the stream it returns io.EOF, and how many bytes it has read; where there is
// nothing at all, errUnmarked.
func readMeta(r io.Reader, room int64) (m message, n int64, err error) {
	length, n, err := readLength(r)
	if err != nil {
		return m, n, err
	}
	if length > maxArrowMeta || length > room-n {
		return m, n, fmt.Errorf("a message claims %d bytes of metadata, which are not there", length)
	}
	m.meta = make([]byte, length)
	if _, err = io.ReadFull(r, m.meta); err != nil {
		return m, n, cutShort(err)
	}
	n += length
	root := flatRoot(m.meta)
	if version := root.int16(0); version < 3 {
		return m, n, fault.New("the metadata version %d is older than Arrow 0.8 and not supported", version+1).Do("write the file anew")
	}
	m.kind = root.byte(1)
	m.bodySize = root.int64(3)
	if m.bodySize < 0 || m.bodySize > room-n {
		return m, n, fmt.Errorf("a message claims a body of %d bytes, which are not there", m.bodySize)
	}
	return m, n, nil
}

// readLength reads what comes before the metadata: its length.
func readLength(r io.Reader) (length, n int64, err error) {
	var word [4]byte
	for range 2 {
		if _, err := io.ReadFull(r, word[:]); err == io.EOF && n == 0 {
			return 0, n, errUnmarked
		} else if err != nil {
			return 0, n, cutShort(err)
		}
		n += 4
		v := binary.LittleEndian.Uint32(word[:])
		if v == 0 {
			return 0, n, io.EOF
		}
		if v != continuation {
			return int64(v), n, nil
		}
	}
	return 0, n, fmt.Errorf("a message has no length")
}

// errCut reports that a stream ends within a message, or before its schema.
var errCut = fmt.Errorf("the stream ends within a message: it was cut, or is still being written")

// errUnmarked reports that a stream ends where the next message would begin, without an
// end mark. The format does not demand one, and some writers leave it out; a cut at that
// place would go unnoticed.
var errUnmarked = fmt.Errorf("the stream ends without its end mark")

// cutShort turns an end of file in the middle of things into errCut.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// batchOf returns the record batch in a message, that of the values for a
// dictionary.
func (m *message) batchOf() (flatTable, error) {
	batch, ok := flatRoot(m.meta).table(2)
	if ok && m.kind == dictionaryMessage {
		batch, ok = batch.table(1)
	}
	if !ok {
		return batch, fmt.Errorf("a message has no content")
	}
	return batch, nil
}
