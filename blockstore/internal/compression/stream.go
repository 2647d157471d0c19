package compression

import (
	"bufio"
	"compress/bzip2"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/stream"
)

// zstdWindow bounds the memory for decompressing a zstd file.
const zstdWindow = 128 << 20

// NewReader returns a reader that decompresses in. The format is one for which formats.IsCompressed
// is true.
func NewReader(format string, in io.Reader) (io.ReadCloser, error) {
	r, err := newReader(format, in)
	if err != nil {
		return nil, damagedError(format, err)
	}
	return &textReader{r, format}, nil
}

// textReader marks errors as errors of decompression.
type textReader struct {
	io.ReadCloser
	format string
}

// Read implements io.Reader.
func (r *textReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = damagedError(r.format, err)
	}
	return n, err
}

// damagedError converts the error of a decompression library to one with a remedy.
func damagedError(format string, err error) error {
	if fault.IsReading(err) {
		return err
	}
	return fault.New("the %s data cannot be decompressed: the file is cut short or damaged", format).WithKind(stream.Damaged).WithRemedy("make or fetch it again")
}

// gzipMembers reads all members of a gzip file. Padding by zeros is allowed.
type gzipMembers struct {
	*gzip.Reader
	in *bufio.Reader
}

// Read implements io.Reader.
func (m *gzipMembers) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if err == io.EOF {
		err = m.next()
	}
	return n, err
}

// next starts the next member. It returns io.EOF after the last.
func (m *gzipMembers) next() error {
	var next byte
	var err error
	for next == 0 && err == nil {
		next, err = m.in.ReadByte()
	}
	if err != nil {
		return err
	}
	_ = m.in.UnreadByte() // the byte was just read
	err = m.Reset(m.in)
	m.Multistream(false)
	return err
}

func newReader(format string, in io.Reader) (io.ReadCloser, error) {
	switch format {
	case formats.Gzip:
		members := &gzipMembers{new(gzip.Reader), bufio.NewReader(in)}
		return members, members.next()
	case formats.Bzip2:
		return io.NopCloser(bzip2.NewReader(in)), nil
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
