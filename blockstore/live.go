package blockstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// openLive opens a pipe whose rows are read as they arrive, or a copy of it if its format does not
// permit that.
func openLive(ctx context.Context, name string, pipe io.Reader, r fileOptions) (column.Table, error) {
	in := newLive(pipe)
	t, err := openLiveAs(ctx, name, in, r)
	if err != nil || !t.About().Live {
		return t, errors.Join(err, in.Close())
	}
	r.files.Reads.Live(in)
	return t, nil
}

// newLive starts reading a pipe. Closing it closes the pipe unless the caller owns that.
func newLive(pipe io.Reader) *file.Live {
	if c, ok := pipe.(io.Closer); ok {
		return file.NewLive(pipe, c.Close)
	}
	return file.NewLive(pipe, nil)
}

// openLiveAs detects the format by the first bytes and opens it.
func openLiveAs(ctx context.Context, name string, in *file.Live, r fileOptions) (column.Table, error) {
	copied := func() (column.Table, error) { return openPipe(ctx, name, in.Reader(ctx), r) }
	head, _, err := in.Head(ctx, formats.HeadLength, func(head []byte) bool {
		return len(head) >= 8 || bytes.IndexByte(head, '\n') >= 0
	})
	if err != nil || len(head) == 0 {
		return copied() // it reports the error
	}
	found, reason := formats.ByMagic(string(head[:min(len(head), formats.HeadLength)]))
	switch {
	case reason != nil:
		return copied()
	case found == formats.ArrowStream && (r.format == "" || r.format == found):
		t, err := arrow.OpenLive(ctx, name, in, r.csv.Memory)
		return ofFormat(t, err, found)
	case found == formats.NPY && (r.format == "" || r.format == found) && r.array == "":
		t, err := npy.OpenLive(ctx, name, in)
		if err == npy.ErrFortran {
			return copied()
		}
		return ofFormat(t, err, found)
	case found != "" && found != formats.UTF16 && !formats.IsCompressed(found), r.format != "" && !formats.IsText(r.format), r.learn:
		return copied()
	}
	plain := in
	switch {
	case formats.IsCompressed(found):
		unpacked, err := compression.NewReader(found, in.Reader(ctx))
		if err != nil {
			return nil, fault.File(name, "%w", err)
		}
		plain = newLive(decoded{r.encoding.NewReader(unpacked), in})
	case found == formats.UTF16 || !r.encoding.IsUTF8():
		plain = newLive(decoded{r.encoding.NewReader(in.Reader(ctx)), in})
	}
	t, err := openLiveText(ctx, name, plain, r)
	if err != nil || !t.About().Live {
		plain.Stop()
	}
	return ofFormat(t, err, cmp.Or(r.format, "text"))
}

// decoded is the decoded text of a pipe. Closing it closes the pipe.
type decoded struct {
	io.Reader
	io.Closer
}

// openLiveText opens text that is read as it arrives. Its first lines determine the columns.
func openLiveText(ctx context.Context, name string, in *file.Live, r fileOptions) (column.Table, error) {
	head, whole, err := in.Head(ctx, text.HeadSize, func(head []byte) bool {
		lines := 1
		if r.format == formats.CSV || r.format == "" && !bytes.HasPrefix(head, []byte{'{'}) {
			lines = 2 // a header and a row
		}
		return text.EnoughLines(head, lines, r.csv)
	})
	if err != nil {
		return nil, fault.File(name, "nothing can be read: %w", err)
	}
	if !whole {
		head = text.WholeLines(head)
	}
	head = bytes.Clone(head) // the window moves
	r.csv.Partial = !whole
	source := text.LiveInput(name, head, in)
	if r.format == "" {
		if found, err := formats.SniffIn(source.File, name); err == nil && formats.IsText(found) {
			r.format = found
		}
	}
	t, err := openText(ctx, source, r)
	if err == nil {
		text.Live(t, r.words)
	}
	return t, err
}
