package blockstore

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// openPipe opens what can be read only from front to back. An Arrow stream is
// read as it comes; text, compressed or not, is copied to a store first,
// because its columns are known only at its end.
func openPipe(ctx context.Context, name string, pipe io.Reader, r reading) (column.Table, error) {
	in := bufio.NewReaderSize(pipe, 64<<10)
	head, err := in.Peek(formats.HeadLength)
	if len(head) == 0 {
		if err == io.EOF {
			return nil, fault.File(name, "there is nothing to read; did what writes to it fail?")
		}
		return nil, fault.File(name, "nothing can be read: %w", err)
	}
	found, remedy := formats.ByMagic(string(head))
	if remedy != "" {
		return nil, fault.File(name, "%s", remedy)
	}
	switch {
	case found == formats.ArrowStream && (r.format == "" || r.format == found):
		return arrow.OpenStream(in, name, arrow.Limits{Memory: r.memory, Spools: r.spools})
	case formats.IsCompressed(found):
		plain, err := compression.NewReader(found, in)
		if err != nil {
			return nil, fault.File(name, "%w", err)
		}
		defer plain.Close()
		return openUnseekable(ctx, name, plain, r)
	case found != "" && found != formats.UTF16:
		return nil, fault.File(name, "a file of the format %s cannot be read through a pipe; save it and name the file, or pipe text or an Arrow stream", found)
	}
	return openUnseekable(ctx, name, in, r)
}

// openCompressed opens text that was compressed as a whole. The name without
// its last extension tells what text it is, or its first bytes do.
func openCompressed(ctx context.Context, path, found string, r reading) (column.Table, error) {
	bare := strings.ToLower(strings.TrimSuffix(path, filepath.Ext(path)))
	if r.format == "" {
		if r.format = formats.ByExtension(filepath.Ext(bare)); r.format == formats.CSV {
			r.format = "" // its first bytes may say otherwise
		}
	}
	if r.format != "" && !formats.IsText(r.format) {
		return nil, fault.File(path, "only text (.csv, .tsv, .libsvm) is read compressed as a whole; decompress it first")
	}
	return openCopied(ctx, path, r, func(in io.Reader) (io.ReadCloser, error) { return compression.NewReader(found, in) })
}

// openCopied opens a copy of the text that unpack makes of a file.
func openCopied(ctx context.Context, path string, r reading, unpack func(in io.Reader) (io.ReadCloser, error)) (column.Table, error) {
	f, stamp, err := file.OpenStamped(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := unpack(bufio.NewReaderSize(io.NewSectionReader(f, 0, stamp.Size), 1<<20))
	if err != nil {
		return nil, fault.File(path, "%w", err)
	}
	defer plain.Close()
	t, err := openUnseekable(ctx, path, plain, r)
	if err = stamp.Settle(f, err); err != nil {
		if spooled, ok := t.(*store.Table); ok && spooled != nil {
			err = errors.Join(err, spooled.Discard())
		}
		return nil, err
	}
	return t, nil
}

// openUnseekable copies text to a temporary file, finds out about it, and copies its
// rows to a store that goes when the process ends.
func openUnseekable(ctx context.Context, name string, in io.Reader, r reading) (column.Table, error) {
	if r.format != "" && !formats.IsText(r.format) {
		return nil, fault.File(name, "the format %s is not read here, only text and Arrow streams; save it and name the file", r.format)
	}
	stamp, err := file.Copy(ctx, r.spools, name, name, r.encoding.NewReader(in))
	if err != nil {
		return nil, err
	}
	f, err := stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	t, err := openCopy(ctx, text.Input{Path: name, File: f, Stamp: stamp}, r)
	if err != nil || t.About().Stored {
		return t, errors.Join(err, stamp.Discard())
	}
	return t, nil
}

// openCopy opens the copy of a text. If all its columns can be kept they are copied to a
// store, which is quicker to read again.
func openCopy(ctx context.Context, in text.Input, r reading) (column.Table, error) {
	if r.format == "" {
		// What is no text by its first bytes is left to the reader of text, which says why.
		switch found, err := formats.SniffIn(in.File, in.Path); {
		case err == nil && !formats.IsText(found):
			return nil, fault.File(in.Path, "it holds a file of the format %s, and only text is read compressed as a whole; decompress it first", found)
		case err == nil:
			r.format = found
		}
	}
	plain, err := openText(ctx, in, r)
	if err != nil {
		return nil, err
	}
	about := plain.About()
	if slices.ContainsFunc(about.Columns, func(c column.Info) bool { return !c.Kind.Keepable() || c.Verbatim }) {
		return plain, nil
	}
	var t *store.Table
	src, err := column.ChooseInexact(plain, nil, upTo(0, len(about.Columns)), column.InexactRound)
	if err == nil {
		t, err = store.Copy(ctx, src, r.spools)
	}
	var bad *fault.DataError
	if errors.As(err, &bad) {
		return plain, nil // perhaps nobody asks for the column
	}
	if err != nil {
		return nil, err
	}
	t.Scans, t.Stored = 2, true
	t.Aside, t.AsideReason, t.Spoiled, t.Lossy = about.Aside, about.AsideReason, about.Spoiled, about.Lossy
	for i, c := range about.Columns {
		t.Columns[i].Meaning = c.Meaning
	}
	return t, nil
}
