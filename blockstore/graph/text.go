package graph

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// document is a text that is read once, from front to back.
type document struct {
	in             io.Reader
	head           []byte // its first lines, which in still yields
	closers        []io.Closer
	checkUnchanged func(err error) error // returns err, or an error if the file changed while it was read

	path     string
	encoding charset.Encoding
	layout   text.CSVOptions
}

// openDocument opens a file, decompresses and decodes it. The path - means o.Stdin.
func openDocument(ctx context.Context, path string, o Options) (*document, error) {
	t := &document{path: path, checkUnchanged: func(err error) error { return err }}
	var err error
	if t.layout, t.encoding, err = text.ParseLayout(o.Layout); err != nil {
		return nil, err
	}
	input := o.Reader
	if path == file.Stdin && input == nil {
		return nil, fault.New("there is no standard input to read").WithRemedy("name a file")
	}
	if path != file.Stdin {
		input, err = t.openFile(ctx, o.Session, path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, file.Missing(path)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.open(file.NewReader(ctx, input)); err != nil {
		err = t.checkUnchanged(err)
		t.Close()
		return nil, err
	}
	return t, nil
}

// openFile opens a file, a named pipe or an object from its beginning.
func (t *document) openFile(ctx context.Context, files *file.Session, path string) (io.Reader, error) {
	path, err := file.Plain(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); !file.IsRemote(path) && err == nil && !info.Mode().IsRegular() {
		f, err := file.OpenPipe(ctx, path)
		t.closers = append(t.closers, f)
		return f, err
	}
	f, stamp, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	t.closers, t.checkUnchanged = append(t.closers, f), func(err error) error { return stamp.CheckUnchanged(f, err) }
	return io.NewSectionReader(f, 0, stamp.Size), nil
}

// open detects compression and encoding of in.
func (t *document) open(in io.Reader) error {
	raw := bufio.NewReaderSize(in, text.HeadSize)
	start, err := raw.Peek(formats.HeadLength)
	if err != nil && err != io.EOF {
		return err
	}
	switch found, reason := formats.ByMagic(string(start)); {
	case reason != nil:
		return reason
	case formats.IsCompressed(found):
		plain, err := compression.NewReader(found, raw)
		if err != nil {
			return err
		}
		t.closers = append(t.closers, plain)
		raw = bufio.NewReaderSize(plain, text.HeadSize)
	case found != "" && found != formats.UTF16:
		return fault.New("a graph is not read from the format %s", found).WithRemedy("write its edges as CSV or as a Matrix Market file")
	}
	return t.peek(bufio.NewReaderSize(t.encoding.NewReader(raw), text.HeadSize))
}

// peek reads the first lines ahead.
func (t *document) peek(in *bufio.Reader) error {
	for i := range t.layout.Skip {
		_, err := in.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
		if err == io.EOF {
			return fault.New("it has %d lines, so that `Layout.Skip %d` leaves none", i, t.layout.Skip).
				WithRemedy("pass over fewer")
		} else if err != nil {
			return err
		}
	}
	head, err := in.Peek(text.HeadSize)
	if err != nil && err != io.EOF {
		return err
	}
	t.in = in
	if t.head, err = text.Head(bytes.NewReader(head)); err != nil {
		return err
	}
	if len(t.head) == text.HeadSize && bytes.IndexByte(t.head, '\n') < 0 {
		return fault.New("its first line is longer than %d KiB", text.HeadSize>>10).
			WithRemedy("is this a list of edges?")
	}
	return nil
}

// records splits the text into records.
func (t *document) records(delimiter rune) *text.Records {
	return t.recordsOf(forwardReader{t.in}, delimiter)
}

// recordsOf splits the text, or its head, into records.
func (t *document) recordsOf(in io.ReaderAt, delimiter rune) *text.Records {
	return text.NewCommented(in, delimiter, t.layout.Comments(), int64(t.layout.Skip)+1)
}

// Close closes the file and its decompressor.
func (t *document) Close() {
	for _, c := range t.closers {
		c.Close() // nothing was written
	}
}

// forwardReader adapts an io.Reader for text.Records, which reads consecutive pieces.
type forwardReader struct{ in io.Reader }

// ReadAt reads the next bytes, ignoring the offset.
func (r forwardReader) ReadAt(p []byte, _ int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.in.Read(p[n:])
		n += m
	}
	return n, err
}

// delimiter returns the delimiter given by the layout or the file name, else the one that best
// explains the first lines.
func (t *document) delimiter() (rune, error) {
	return text.Delimiter(t.head, t.layout.DelimiterIn(t.path), t.layout.Comments())
}

// firstRecords returns copies of the first two records of a text, if present.
func firstRecords(in *document, delimiter rune, things string) (first, second []string, err error) {
	l := in.recordsOf(bytes.NewReader(in.head), delimiter)
	for _, record := range []*[]string{&first, &second} {
		cells, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for _, cell := range cells {
			*record = append(*record, string(cell))
		}
	}
	if first == nil && len(in.head) >= text.HeadSize/2 {
		err = fault.New("the first %d KiB hold no %s, only comments and blank lines", text.HeadSize>>10, things).
			WithRemedy("remove them")
	} else if first == nil {
		err = fault.New("the file holds no %s", things).WithRemedy("is it the right file?")
	}
	return first, second, err
}
