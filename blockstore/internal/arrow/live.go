package arrow

import (
	"bytes"
	"context"
	"io"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// live reads the messages of a stream from a pipe, one after another. The current message is
// completely in memory: a batch of the size that its writer chose.
type live struct {
	in         *file.Live
	at         int64  // offset of the next message
	retainFrom int64  // bytes from here on are retained; -1: those from at on
	rows       int64  // in the batches before it
	unmarked   func() // called if the stream ends without its end mark
	limit      func() column.Limit
	memory     *memoryUse // memory of the dictionaries and of the batches so far
}

// check returns an error if a message, its unpacked content and the earlier ones exceed the memory
// limit.
func (l *live) check(bytes int64) error {
	err := l.limit().Check("a batch of the stream", bytes+l.memory.bytes(), "the rows of a batch where the stream is written")
	if err == nil {
		return nil
	}
	return fault.New("%w", err).WithRemedy("or save the stream and name the file, of which less is in memory")
}

// weigh adds the unpacked size of a message. b is its batch, nil for a dictionary.
func (l *live) weigh(m *message, b *batch) (err error) {
	if b != nil {
		err = l.memory.batch(b.table, b.buffers)
	} else {
		if head, ok := flatRoot(m.meta).table(2); ok && head.byte(2) == 0 { // it replaces another dictionary
			delete(l.memory.lists, head.int64(0))
		}
		err = l.memory.dictionary(m)
	}
	if err != nil {
		return err
	}
	return l.check(m.bodySize)
}

// message waits for a complete message and returns it with the offset of the next one. It returns
// the same message until at advances. The error may be file.ErrPause, or io.EOF at the end mark,
// which ends at next.
func (l *live) message() (m message, next int64, err error) {
	from := l.retainFrom
	if from < 0 {
		from = l.at
	}
	for need := 1; ; {
		window, ended := l.in.Await(from, int(l.at-from)+need)
		switch {
		case ended == file.ErrPause:
			return m, 0, ended
		case ended != nil && ended != io.EOF:
			return m, 0, fault.Reading(ended)
		}
		window = window[min(len(window), int(l.at-from)):]
		m, n, err := readMeta(bytes.NewReader(window), math.MaxInt64)
		whole := n + m.bodySize
		switch {
		case err == nil && whole <= int64(len(window)):
			m.body = bytes.NewReader(window[n:whole])
			return m, l.at + whole, nil
		case ended != nil && err == nil:
			return m, 0, errCut
		case ended != nil || err != nil && err != errCut:
			return m, l.at + n, err
		case whole > math.MaxInt32:
			return m, 0, fault.New("a message of %d bytes is too large for a pipe", whole).WithRemedy("write smaller batches, or save the stream and name the file")
		}
		if err == nil {
			if err := l.check(whole); err != nil {
				return m, 0, err
			}
			if l.limit().Of > 0 {
				l.in.Reserve(int(l.at-from) + int(whole))
			}
		}
		need = max(len(window)+1, int(whole)) // the length of the metadata comes first, then the length of the body
	}
}

// OpenLive reads the schema of a stream from a pipe, and its first rows if there are list columns:
// the first list determines their width. A batch that exceeds the memory limit is an error; 0 means
// no limit.
func OpenLive(ctx context.Context, path string, in *file.Live, memory int64) (column.Table, error) {
	t := &table{TableInfo: column.TableInfo{Path: path, Live: true, Rows: -1, Limit: column.Limit{Left: memory, Of: memory}}, stamp: in.Stamp(path, 0), index: &index{}}
	l := &live{in: in, limit: func() column.Limit { return t.Limit }, memory: &memoryUse{}}
	m, err := l.wait(ctx)
	if err == nil {
		t.index.schema, err = readSchema(&m)
	}
	if err == nil {
		t.index.begin = l.at
		err = t.liveWidths(ctx, l)
	}
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	t.Columns, t.Nested = t.index.schema.columns(), t.index.schema.nested
	return t, nil
}

// wait returns the next message, however long the input pauses, and advances past it. All bytes are
// retained.
func (l *live) wait(ctx context.Context) (m message, err error) {
	for {
		var next int64
		if m, next, err = l.message(); err != file.ErrPause {
			if l.at = next; err == errUnmarked && next == 0 {
				err = errCut
			}
			return m, err
		}
		if ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
	}
}

// liveWidths determines the widths of lists from the first batch with rows, which is read again
// later.
func (t *table) liveWidths(ctx context.Context, l *live) error {
	schema := t.index.schema
	for read := false; schema.needsWidths() && !read; {
		m, err := l.wait(ctx)
		if err == io.EOF || err == errUnmarked {
			break
		}
		if err != nil {
			return err
		}
		if m.kind != batchMessage {
			continue
		}
		if _, err := schema.check(&m); err != nil {
			return err
		}
		b, err := newBatch(&m, 0, dictionaries{}, new(workspace))
		if err == nil {
			read = b.rows > 0
			err = schema.learnWidths(t.Path, b)
		}
		if err != nil {
			return err
		}
	}
	schema.dropUnknown()
	return nil
}

// liveFeed returns a feed of the batches that arrive through f.
func (t *table) liveFeed(ctx context.Context, c *column.Choice, f *file.Live, found *column.TableInfo) *feed {
	l := &live{in: f, at: t.index.begin, retainFrom: -1, unmarked: func() { found.Unmarked = true }, limit: func() column.Limit { return found.Limit }, memory: newMemoryUse(t.index.schema, c)}
	return &feed{path: t.Path, index: t.index, file: file.NewReaderAt(ctx, f), closer: f, dicts: dictionaries{}, live: l}
}

// nextLive returns the next batch of a pipe, valid until the following call, or io.EOF after the
// last one. The error may be file.ErrPause.
func (f *feed) nextLive() (*batch, error) {
	for {
		m, next, err := f.live.message()
		switch err {
		case file.ErrPause:
			return nil, err
		case errUnmarked:
			f.live.unmarked()
			return nil, io.EOF
		case io.EOF:
			return nil, f.live.afterMark(f.path, next)
		}
		var b *batch
		if err == nil {
			b, err = f.take(&m)
		}
		if err != nil {
			return nil, fault.File(f.path, "the message at byte %d, behind row %d: %w", f.live.at, f.live.rows, fault.Damaged(err))
		}
		if f.live.at = next; b != nil {
			f.live.rows += b.rows
			return b, nil
		}
	}
}

// take reads a dictionary, or returns a batch.
func (f *feed) take(m *message) (*batch, error) {
	switch m.kind {
	case dictionaryMessage:
		if err := f.live.weigh(m, nil); err != nil {
			return nil, err
		}
		return nil, f.dicts.read(m, f.chosen, &f.space)
	case batchMessage:
		if _, err := f.index.schema.check(m); err != nil {
			return nil, err
		}
		b, err := newBatch(m, f.live.rows, f.dicts, &f.space)
		if err == nil {
			err = f.live.weigh(m, b)
		}
		return b, err
	}
	return nil, errMisplaced(m.kind)
}

// afterMark returns io.EOF if nothing follows the end mark, which ends at offset end.
func (l *live) afterMark(path string, end int64) error {
	mark := int(end - l.at)
	window, err := l.in.Await(l.at, mark+1)
	if len(window) > mark {
		return fault.File(path, "bytes follow the end mark of the stream at byte %d", end).WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	return err
}
