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

// kindName returns the name of a kind of message.
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

// maxArrowMeta bounds the size of the metadata of a message.
const maxArrowMeta = 64 << 20

// continuation begins a message; Arrow before 0.15 omits it.
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

// errMisplaced reports a message of some kind in a position where it is not allowed.
func errMisplaced(kind byte) error {
	return fmt.Errorf("a %s does not belong here", kindName(kind))
}

// readMeta reads a message from r up to its body, which must not be longer than room. It returns
// the number of bytes read. At the end mark of the stream it returns io.EOF, and errUnmarked at the
// end of the input.
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
		return m, n, fault.New("the metadata version %d is older than Arrow 0.8 and not supported", version+1).WithRemedy("write the file anew")
	}
	m.kind = root.byte(1)
	m.bodySize = root.int64(3)
	if m.bodySize < 0 || m.bodySize > room-n {
		return m, n, fmt.Errorf("a message claims a body of %d bytes, which are not there", m.bodySize)
	}
	return m, n, nil
}

// readLength reads the length of the metadata, which precedes it.
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

// errCut reports that a stream ends within a message or before its schema.
var errCut = fmt.Errorf("the stream ends within a message: it was cut, or is still being written")

// errUnmarked reports that a stream ends between messages without an end mark. The format does not
// require one, and some writers omit it, so truncation at this point cannot be detected.
var errUnmarked = fmt.Errorf("the stream ends without its end mark")

// cutShort maps an end of file inside a message to errCut.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// batchOf returns the record batch in a message; for a dictionary, the batch of its values.
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
