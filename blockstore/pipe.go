package blockstore

import (
	"bufio"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// zstdWindow is the most that decompressing a zstd file may hold in memory.
const zstdWindow = 128 << 20

// openPipe opens what can be read only from front to back. An Arrow stream is
// read as it comes; text, compressed or not, is copied to a store first,
// because its columns are known only at its end.
func openPipe(ctx context.Context, name string, r io.Reader, format string, csv csvOptions) (table, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(headLength)
	if len(head) == 0 {
		return nil, badFile(name, "there is nothing to read: %w", err)
	}
	found, remedy := byMagic(string(head))
	if remedy != "" {
		return nil, badFile(name, "%s", remedy)
	}
	switch {
	case found == formatArrowStream && (format == "" || format == found):
		return openArrowStream(in, name)
	case isCompressed(found):
		plain, err := decompressor(found, in)
		if err != nil {
			return nil, badFile(name, "%w", err)
		}
		defer plain.Close()
		return openUnseekable(ctx, name, plain, format, csv)
	case found != "":
		return nil, badFile(name, "a file of the format %s cannot be read through a pipe; save it and name the file, or pipe text or an Arrow stream", found)
	}
	return openUnseekable(ctx, name, in, format, csv)
}

// isCompressed says whether a format is that of compressed text.
func isCompressed(format string) bool {
	return format == formatGzip || format == formatZstd || format == formatBzip2
}

// openCompressed opens text that was compressed as a whole. The name without
// its last extension tells what text it is.
func openCompressed(ctx context.Context, path, compression, format string, csv csvOptions) (table, error) {
	bare := strings.ToLower(strings.TrimSuffix(path, filepath.Ext(path)))
	if format == "" {
		format = formatByExtension(filepath.Ext(bare))
	}
	if format != formatCSV && format != formatLibsvm {
		return nil, badFile(path, "only text (.csv, .tsv, .libsvm) is read compressed as a whole; decompress it first")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := decompressor(compression, bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return nil, badFile(path, "%w", err)
	}
	defer plain.Close()
	return openUnseekable(ctx, path, plain, format, csv)
}

// decompressor undoes a compression.
func decompressor(compression string, in io.Reader) (io.ReadCloser, error) {
	switch compression {
	case formatGzip:
		return gzip.NewReader(in)
	case formatBzip2:
		return io.NopCloser(bzip2.NewReader(in)), nil
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// openUnseekable copies text to a temporary file, finds out about it, and copies its
// rows to a store that goes when the process ends.
func openUnseekable(ctx context.Context, name string, in io.Reader, format string, csv csvOptions) (table, error) {
	if format != "" && format != formatCSV && format != formatLibsvm {
		return nil, badFile(name, "the format %s is not read here, only text and Arrow streams; save it and name the file", format)
	}
	f, err := os.CreateTemp("", "nystream-text-*")
	if err != nil {
		return nil, fmt.Errorf("cannot copy %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, newContextReader(ctx, in))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, badFile(name, "copying it to %s: %w", f.Name(), err)
	}
	t, err := spoolText(ctx, f.Name(), name, format, csv)
	var data *DataError
	if errors.As(err, &data) && data.Path == f.Name() {
		data.Path = name
	}
	return t, err
}

// spoolText copies all columns of a text file to a store, as kept columns,
// which keep their kinds.
func spoolText(ctx context.Context, path, name, format string, csv csvOptions) (table, error) {
	text, err := openText(ctx, path, format, csv)
	if err != nil {
		return nil, err
	}
	src, err := choose(text, nil, upTo(0, len(text.about().columns)))
	if err != nil {
		return nil, err
	}
	t, err := copyToStore(ctx, src, "")
	if err != nil {
		return nil, err
	}
	t.path, t.scans = name, 2
	t.aside, t.spoiled = text.about().aside, text.about().spoiled
	return t, nil
}

// newContextReaderAt reads in until ctx is done.
func newContextReaderAt(ctx context.Context, in io.ReaderAt) io.ReaderAt {
	return contextReaderAt{ctx, in}
}

// contextReaderAt stops reading when the context is done.
type contextReaderAt struct {
	ctx context.Context
	in  io.ReaderAt
}

// ReadAt reads unless the context is done.
func (r contextReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.ReadAt(p, offset)
}

// newContextReader reads in until ctx is done.
func newContextReader(ctx context.Context, in io.Reader) io.Reader { return &contextReader{ctx, in} }

// contextReader stops reading when the context is done.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

// Read reads unless the context is done.
func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
