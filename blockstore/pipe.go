package blockstore

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// openPipe opens a copy of an input of any format that can be read only sequentially.
func openPipe(ctx context.Context, name string, pipe io.Reader, r fileOptions) (column.Table, error) {
	in := bufio.NewReaderSize(pipe, 64<<10)
	head, err := in.Peek(formats.HeadLength)
	if len(head) == 0 {
		if err == io.EOF {
			return nil, fault.File(name, "there is nothing to read").WithRemedy("did what writes to it fail?")
		}
		return nil, fault.File(name, "nothing can be read: %w", err)
	}
	found, reason := formats.ByMagic(string(head))
	if reason != nil {
		return nil, fault.File(name, "%w", reason)
	}
	switch {
	case found == formats.ArrowStream && (r.format == "" || r.format == found):
		t, err := openStored(ctx, name, in, r, func(f file.File, stamp file.Stamp) (column.Table, error) {
			return arrow.OpenFile(name, f, stamp)
		})
		return ofFormat(t, err, found)
	case formats.IsCompressed(found):
		plain, err := compression.NewReader(found, in)
		if err != nil {
			return nil, fault.File(name, "%w", err)
		}
		defer plain.Close()
		t, err := openUnseekable(ctx, name, plain, r)
		return ofFormat(t, err, cmp.Or(r.format, "text"))
	case found != "" && found != formats.UTF16:
		return openBinary(ctx, name, in, found, r)
	}
	t, err := openUnseekable(ctx, name, in, r)
	return ofFormat(t, err, cmp.Or(r.format, "text"))
}

// openBinary opens a copy of an input in a format other than text.
func openBinary(ctx context.Context, name string, in io.Reader, found string, r fileOptions) (column.Table, error) {
	switch {
	case r.format != "" && r.format != found:
		return nil, fault.File(name, "it is a file of the format %s, not %s", found, r.format).WithRemedy("name its format, or none")
	case r.array != "" && found != formats.NPZ:
		return nil, errNoArray(name, found)
	}
	t, err := openStored(ctx, name, in, r, func(f file.File, stamp file.Stamp) (column.Table, error) {
		switch found {
		case formats.Parquet:
			return parquet.OpenFile(ctx, name, f, stamp)
		case formats.Arrow:
			return arrow.OpenFile(name, f, stamp)
		case formats.NPY:
			return npy.OpenFile(name, f, stamp)
		case formats.NPZ:
			return npy.OpenArchiveFile(ctx, r.files, name, r.array, f, stamp)
		case formats.Store:
			return store.OpenFile(name, f, stamp)
		}
		return nil, fault.File(name, "there is no reader of the format %s", found)
	})
	return ofFormat(t, err, found)
}

// openCompressed opens text that was compressed as a whole. Its format follows from the name
// without the last extension, or from the first bytes.
func openCompressed(ctx context.Context, path, found string, r fileOptions) (column.Table, error) {
	bare := strings.ToLower(strings.TrimSuffix(path, filepath.Ext(path)))
	if r.format == "" {
		if r.format = formats.ByExtension(filepath.Ext(bare)); r.format == formats.CSV {
			r.format = "" // the first bytes may identify another format
		}
	}
	if r.format != "" && !formats.IsText(r.format) {
		return nil, fault.File(path, "only text (.csv, .tsv, .libsvm) is read compressed as a whole").WithRemedy("decompress it first")
	}
	return openCopied(ctx, path, r, func(in io.Reader) (io.ReadCloser, error) { return compression.NewReader(found, in) })
}

// openCopied opens a copy of the text that unpack decodes from a file.
func openCopied(ctx context.Context, path string, r fileOptions, unpack func(in io.Reader) (io.ReadCloser, error)) (column.Table, error) {
	f, stamp, err := r.files.Open(ctx, path)
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
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	return t, nil
}

// openUnseekable opens a copy of text in a temporary file, which vanishes when the process ends.
func openUnseekable(ctx context.Context, name string, in io.Reader, r fileOptions) (column.Table, error) {
	if r.format != "" && !formats.IsText(r.format) {
		return nil, fault.File(name, "the format %s is not read here, only text and Arrow streams", r.format).WithRemedy("save it and name the file")
	}
	return openStored(ctx, name, r.encoding.NewReader(in), r, func(f file.File, stamp file.Stamp) (column.Table, error) {
		in := text.Input{Path: name, File: f, Stamp: stamp}
		if r.format == "" {
			// The text reader reports the problem if the first bytes are not text.
			switch found, err := formats.SniffIn(f, name); {
			case err == nil && !formats.IsText(found):
				return nil, fault.File(name, "it holds a file of the format %s, and only text is read compressed as a whole", found).
					WithRemedy("decompress it first")
			case err == nil:
				r.format = found
			}
		}
		return openText(ctx, in, r)
	})
}

// openStored copies in to a temporary file and opens that with open.
func openStored(ctx context.Context, name string, in io.Reader, r fileOptions,
	open func(f file.File, stamp file.Stamp) (column.Table, error)) (column.Table, error) {
	stamp, err := r.files.Copy(ctx, name, name, in)
	if err != nil {
		return nil, err
	}
	f, err := stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	t, err := open(f, stamp)
	if err != nil {
		return nil, errors.Join(err, stamp.Discard())
	}
	return t, nil
}
