package blockstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/blockstore/internal/store"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
)

// Schema is what a file to be written will hold.
type Schema struct {
	// Columns are the names of the numeric columns, in order.
	Columns []string
	// Nameless reports that these names are made up: see [stream.Info]. A store records that; other formats with
	// column names write them as names.
	Nameless bool
	// Kept are the columns written after them: labels, identifiers.
	Kept []stream.Field
	// AsList names the one column of lists that Columns are written as, before those of Kept; "" to write a column for
	// each. Parquet and stores have lists, Arrow lists of one length, text has JSON.
	AsList string
	// Rows is the number of rows, or -1 when it is not known beforehand.
	Rows int64
	// About is what a Parquet or Arrow file says of itself, under names: its metadata. Other
	// formats have no place for it.
	About map[string]string
	// Format is one of OutputFormats(), or "" for that of the extension.
	Format string
	// Compression is one of Compressions(Format), or "" for what the extension says (.gz and
	// .zst behind that of text), else none.
	Compression string
	// Digest says that the digest of the file will be asked for.
	Digest bool
	// Live says that what Write appends to a pipe is sent at once. Batches of an Arrow stream are then those of Write.
	Live bool
	// Memory is how much memory the run has, in bytes, 0 for any. Row groups of Parquet hold a 32nd of it in numbers,
	// 16 MiB without it, and at most a million rows.
	Memory int64
}

// Output is a file on its way. It appears under its name, or is sent, when Commit succeeds
// and not before. One goroutine uses it at a time; outputs are independent of each other.
// Whoever created it ends it by Commit or Abort, which release all that it holds. The first
// error is final: Finish and Commit return it.
type Output interface {
	// Finish makes the file complete on the disk, beside its name: after it Commit has
	// little left to do that could fail. Nothing is written after Finish. A pipe has nothing
	// to finish.
	Finish() error
	// Commit puts the file under its name, after Finish if that was not called. After an
	// error it has aborted, and Abort need not follow. A pipe keeps what was sent.
	Commit() error
	// Abort drops everything written. It is safe after Commit.
	Abort()
}

// Writer writes rows to a file.
type Writer interface {
	// Write appends the first n rows of b, in order. It does not keep b. After an error no
	// row of the file counts: it cannot be committed.
	Write(b *stream.Batch, n int) error
	// Digest returns the digest of the file, complete after it, or nil for a pipe. Cost: the
	// file is read again, unless Schema.Digest is set and the format is written from front to
	// back.
	Digest(ctx context.Context) (*Digest, error)
	Output
}

// Digest is what tells a file from others: its size and the SHA-256 of its bytes.
type Digest = file.Digest

// DigestOf returns the digest of the regular file at path, or of the object. Cost: all of it
// is read.
func DigestOf(ctx context.Context, path string) (Digest, error) {
	return singleCall().DigestOf(ctx, path)
}

// written are the formats that can be written, by the name that Schema.Format has: what starts
// one, and whether it goes to pipes. It does not where a file can be finished only by going back
// to its beginning, or where another format serves pipes.
var written = map[string]struct {
	start column.StartEncoder
	pipes bool
}{
	formats.NPY:         {npy.NewEncoder, true},
	formats.CSV:         {text.NewCSVEncoder(','), true},
	formats.TSV:         {text.NewCSVEncoder('\t'), true},
	formats.Libsvm:      {text.NewLibsvmEncoder, true},
	formats.JSONLines:   {text.NewJSONLinesEncoder, true},
	formats.Parquet:     {parquet.NewEncoder, true},
	formats.Arrow:       {arrow.NewEncoder, false},
	formats.ArrowStream: {arrow.NewStreamEncoder, true},
	formats.Store:       {storeEncoder(false), false},
}

// OutputFormats returns the values that Schema.Format may have.
func OutputFormats() []string { return formats.AllWritten() }

// PipeFormats returns the formats that NewWriter writes.
func PipeFormats() []string {
	return slices.DeleteFunc(OutputFormats(), func(f string) bool { return !written[f].pipes })
}

// OutputFormat returns the format that Create takes from the extension of path, or "".
func OutputFormat(path string) string {
	if bare, packing := packedName(path); packing != "" {
		if format := OutputFormat(bare); isPacked(format) {
			return format
		}
		return ""
	}
	return formats.WrittenBy(filepath.Ext(path))
}

// OutputExtensions returns the extensions of files that are written in a format, the usual one first, and nil for a
// format that is not written.
func OutputExtensions(format string) []string { return slices.Clone(formats.Of(format).Written) }

// writtenExtensions returns the extensions of all formats that are written.
func writtenExtensions() (list []string) {
	for _, format := range OutputFormats() {
		list = append(list, OutputExtensions(format)...)
	}
	return list
}

// WriterBytes returns about how much memory a writer of a format holds besides the batches
// that it is given, in bytes, for so many columns: Parquet, Arrow and stores collect rows
// before they write them, the others hold nothing to speak of. Text in kept columns
// comes on top: for Parquet at most as much as a row group has of numbers, see [Schema].
func WriterBytes(format string, columns int) int64 { return WriterBytesWithin(0, format, columns) }

// FooterBytes estimates the bytes that a writer holds besides [WriterBytesWithin] of what it has written of a file of so
// many rows: of Parquet the places and statistics of all columns of all row groups. It is 0 where that is little.
func FooterBytes(memory int64, format string, rows int64, columns int) int64 {
	if format != formats.Parquet {
		return 0
	}
	return parquet.FooterBytes(memory, rows, columns)
}

// WriterBytesWithin is [WriterBytes] in a run that has so much memory, in bytes, 0 for any: see Schema.Memory.
func WriterBytesWithin(memory int64, format string, columns int) int64 {
	switch format {
	case formats.Parquet:
		return parquet.WriterBytes(memory, columns)
	case formats.Arrow, formats.ArrowStream:
		return arrow.WriterBytes(columns)
	case formats.Store:
		return store.WriterBytes
	}
	return 0
}

// Create starts a file of the format that s or the extension of path names. Text whose name
// ends in .gz or .zst besides is compressed. Nothing appears at path before Commit.
func Create(path string, s Schema) (Writer, error) { return create(singleCall(), path, s) }

// create starts a file of the format of its name or schema.
func create(files *file.Session, path string, s Schema) (Writer, error) {
	if s.Format == "" {
		if s.Format = OutputFormat(path); s.Format == "" {
			return nil, fault.Output(path, "the format is taken from the extension").
				Do("use one of %s", strings.Join(writtenExtensions(), " "))
		}
	}
	if written[s.Format].start == nil {
		return nil, fault.Output(path, "the format %q is not known", s.Format).Do("use one of %s", strings.Join(OutputFormats(), ", "))
	}
	_, packing := packedName(path)
	switch {
	case packing != "" && !isPacked(s.Format):
		return nil, fault.Output(path, "only text is compressed as a whole").Do("leave out %s", filepath.Ext(path))
	case packing != "" && s.Compression != "" && s.Compression != packing:
		return nil, fault.Output(path, "by its name it is compressed by %s, not %s", packing, s.Compression).
			Do("change one of the two")
	case packing != "":
		start, err := s.asList(path, written[s.Format].start)
		if err != nil {
			return nil, err
		}
		return newFileWriter(files, path, s, packed(packing, start))
	}
	start, err := encoderOf(path, s)
	if err != nil {
		return nil, err
	}
	return newFileWriter(files, path, s, start)
}

// encoderOf returns what starts an output of the format and compression of s, which messages call name.
func encoderOf(name string, s Schema) (column.StartEncoder, error) {
	method := s.Compression
	if method == noCompression {
		method = ""
	}
	switch {
	case method != "" && !slices.Contains(Compressions(s.Format), method):
		return nil, fault.Output(name, "a file of the format %s is not compressed by %q", s.Format, method).
			Do("use one of %s", strings.Join(Compressions(s.Format), ", "))
	case s.Format == formats.Parquet:
		return s.asList(name, parquet.NewSizedEncoder(method, s.Memory))
	case s.Format == formats.Store:
		return s.asList(name, storeEncoder(method != ""))
	}
	return s.asList(name, written[s.Format].start)
}

// HeaderName returns the name that a column called name has in CSV and TSV files that are
// written: with an x before it if the header could be taken for a row.
func HeaderName(name string) string { return text.HeaderName(name) }

// Target returns the file that what is written to path makes or replaces: that of path, or
// what a symbolic link leads to. The error says, as the end of a sentence about path, why no
// file can be put there, as far as that is known before anything is written.
func Target(path string) (string, error) {
	target, _, err := file.Target(path)
	return target, err
}

// LockFolder locks the folder of a file that several processes may write with others that belong to it: who renames them
// under the lock leaves all files of one process, whoever comes last. See [WriteFile] for a single file. It waits ten
// seconds at most, and locks nothing where folders have no locks or path is an object. The error is that of ctx.
func LockFolder(ctx context.Context, path string) (release func(), err error) {
	return file.LockFolder(ctx, path)
}

// TryFolder returns an error if no file can be made in a folder.
func TryFolder(folder string) error { return file.TryFolder(folder) }

// WriteFile writes a file of any content. Whatever happens, a power cut included, path
// has what it had before, or all of data.
func WriteFile(path string, data []byte) error {
	f, err := prepareFile(singleCall(), path, data)
	if err != nil {
		return err
	}
	return f.Commit()
}

// prepareFile writes a file of any content that is complete but for its name.
func prepareFile(files *file.Session, path string, data []byte) (*file.Temp, error) {
	f, err := files.Create(path)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Finish()
	}
	if err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// fileWriter is the Writer of all formats: it checks and counts what the
// encoder is given, and puts the file under its name.
type fileWriter struct {
	encoder  column.Encoder
	file     *file.Temp
	schema   Schema
	rows     int64
	failed   error // the first failure, which is final
	finished bool
}

// newFileWriter starts a file with an encoder.
func newFileWriter(files *file.Session, path string, s Schema, start column.StartEncoder) (Writer, error) {
	f, err := files.Create(path)
	if err != nil {
		return nil, err
	}
	if s.Digest {
		f.KeepDigest()
	}
	e, err := start(f, stream.Info{Name: f.Target, Columns: s.Columns, Nameless: s.Nameless, Kept: s.Kept, Rows: s.Rows})
	if err == nil {
		err = column.Describe(e, s.About)
	}
	if err != nil {
		err = f.Fail(err)
		f.Abort()
		return nil, err
	}
	return &fileWriter{encoder: e, file: f, schema: s}, nil
}

// Write implements Writer. It panics when b does not have the shape that the
// schema promises.
func (w *fileWriter) Write(b *stream.Batch, n int) error {
	w.schema.mustFit(b, n)
	if w.failed == nil {
		w.failed = w.file.Cause(w.encoder.Encode(b, n))
		w.rows += int64(n)
	}
	return w.failed
}

// mustFit panics unless n rows of b have the columns of the schema.
func (s *Schema) mustFit(b *stream.Batch, n int) {
	if b.X.Cols != len(s.Columns) || len(b.Kept) != len(s.Kept) || n > b.X.Rows {
		panic(fmt.Sprintf("blockstore: a batch of %d columns, %d of them kept, %d rows of %d, does not fit the schema of %d columns, %d kept",
			b.X.Cols+len(b.Kept), len(b.Kept), n, b.X.Rows, len(s.Columns)+len(s.Kept), len(s.Kept)))
	}
}

// checkRows returns an error if another number of rows came than was announced.
func (s *Schema) checkRows(name string, rows int64) error {
	if s.Rows >= 0 && rows != s.Rows {
		return fault.Output(name, "%d rows came, %d were announced", rows, s.Rows).Do("write as many, or announce -1")
	}
	return nil
}

// Finish implements Writer.
func (w *fileWriter) Finish() error {
	if w.finished {
		return w.failed
	}
	w.finished = true
	if w.failed == nil {
		w.failed = w.schema.checkRows(w.file.Target, w.rows)
	}
	if w.failed == nil {
		w.failed = w.file.Cause(w.encoder.Finish())
	}
	if w.failed == nil {
		w.failed = w.file.Finish()
	}
	return w.failed
}

// Digest implements Writer.
func (w *fileWriter) Digest(ctx context.Context) (*Digest, error) {
	if err := w.Finish(); err != nil {
		return nil, err
	}
	d, err := w.file.Digest(ctx)
	return &d, err
}

// Commit implements Writer.
func (w *fileWriter) Commit() error {
	defer w.Abort() // does nothing after success
	if err := w.Finish(); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort implements Writer.
func (w *fileWriter) Abort() { w.file.Abort() }

// FileSize returns the size of a file or an object in bytes. It is false for folders, globs and
// pipes, and for what is not there.
func (s *Session) FileSize(ctx context.Context, path string) (bytes int64, ok bool) {
	if IsRemote(path) {
		o, err := s.Internal().OpenObject(ctx, path)
		if err != nil {
			return 0, false
		}
		return o.Size, true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// DigestOf returns the digest of the regular file at path, or of the object. Cost: all of it is read.
func (s *Session) DigestOf(ctx context.Context, path string) (Digest, error) {
	return s.Internal().DigestOf(ctx, path)
}

// Create is [Create] within the session.
func (s *Session) Create(path string, schema Schema) (Writer, error) {
	return create(s.Internal(), path, schema)
}

// PrepareFile returns a file or an object of any content that is complete but for its name.
func (s *Session) PrepareFile(path string, data []byte) (Output, error) {
	return prepareFile(s.Internal(), path, data)
}

// CanWrite returns why an object cannot be written, as far as its store knows before. It ends with
// the context of the stores.
func (s *Session) CanWrite(url string) error {
	files := s.Internal()
	return files.CanPut(files.Context(), url)
}
