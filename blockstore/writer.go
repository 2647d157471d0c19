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

// Schema describes a file to be written.
type Schema struct {
	// Columns are the names of the numeric columns, in order.
	Columns []string
	// Nameless reports that these names are generated: see [stream.Info]. A store records that;
	// other formats with column names write them as names.
	Nameless bool
	// Kept are the columns written after them: labels, identifiers.
	Kept []stream.Field
	// AsList writes Columns as one list column of this name, before those of Kept; "" writes one
	// column each. Parquet and stores write lists, Arrow fixed-length lists, text JSON.
	AsList string
	// Rows is the number of rows, or -1 if unknown.
	Rows int64
	// Metadata is the metadata of a Parquet or Arrow file. Other formats ignore it.
	Metadata map[string]string
	// Format is one of OutputFormats(), or "" for the format of the extension.
	Format string
	// Compression is one of Compressions(Format), or "" for the compression of the extension (.gz
	// and .zst after that of text), if any.
	Compression string
	// Digest announces a call of Writer.Digest.
	Digest bool
	// Live sends the rows of each Write to a pipe at once. Batches of an Arrow stream are then
	// those of Write.
	Live bool
	// Memory is the memory of the run in bytes, 0 for unlimited. Row groups of Parquet hold a 32nd
	// of it in numbers, 16 MiB if unlimited, and at most a million rows.
	Memory int64
}

// Output is a file being written. It appears under its name, or is uploaded, when Commit succeeds
// and not before. One goroutine uses it at a time; outputs are independent of each other. Its
// creator ends it by Commit or Abort, which release all resources. The first error is final: Finish
// and Commit return it.
type Output interface {
	// Finish flushes the file to disk under a temporary name, so that little can fail in Commit.
	// Nothing may be written after Finish. For a pipe it is a no-op.
	Finish() error
	// Commit renames the file to its name; it calls Finish if necessary. If it fails it has
	// aborted, and Abort need not follow. Data sent to a pipe remain.
	Commit() error
	// Abort discards everything written. It is a no-op after Commit.
	Abort()
}

// Writer writes rows to a file.
type Writer interface {
	// Write appends the first n rows of b, in order. It does not keep b. After an error the file
	// cannot be committed.
	Write(b *stream.Batch, n int) error
	// Digest finishes the file and returns its digest, nil for a pipe. Cost: the file is read
	// again, unless Schema.Digest is set and the format is written sequentially.
	Digest(ctx context.Context) (*Digest, error)
	Output
}

// Digest identifies the content of a file by its size and SHA-256.
type Digest = file.Digest

// DigestOf returns the digest of the regular file or object at path. Cost: it reads all of it.
func DigestOf(ctx context.Context, path string) (Digest, error) {
	return singleCall().DigestOf(ctx, path)
}

// outputEncoders maps the formats that can be written to their encoders. pipes is false for formats that
// rewrite their beginning at the end, or that another format replaces in pipes.
var outputEncoders = map[string]struct {
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

// OutputFormats returns the possible values of Schema.Format.
func OutputFormats() []string { return formats.AllWritten() }

// PipeFormats returns the formats that NewWriter writes.
func PipeFormats() []string {
	return slices.DeleteFunc(OutputFormats(), func(f string) bool { return !outputEncoders[f].pipes })
}

// OutputFormat returns the format that Create derives from the extension of path, or "".
func OutputFormat(path string) string {
	if bare, packing := packedName(path); packing != "" {
		if format := OutputFormat(bare); isPacked(format) {
			return format
		}
		return ""
	}
	return formats.WrittenBy(filepath.Ext(path))
}

// OutputExtensions returns the extensions of files written in a format, the usual one first, and
// nil for a format that cannot be written.
func OutputExtensions(format string) []string { return slices.Clone(formats.Of(format).Written) }

// writtenExtensions returns the extensions of all formats that are written.
func writtenExtensions() (list []string) {
	for _, format := range OutputFormats() {
		list = append(list, OutputExtensions(format)...)
	}
	return list
}

// WriterBytes returns about the memory of a writer of a format, in bytes, for the given number of
// columns, besides the batches of the caller. Parquet, Arrow and stores buffer rows; the memory of
// other formats is negligible. Text in kept columns is additional: for Parquet at most as much as
// the numbers of a row group, see [Schema].
func WriterBytes(format string, columns int) int64 { return WriterBytesWithin(0, format, columns) }

// FooterBytes estimates the memory of a writer for metadata of a file of the given number of rows,
// besides [WriterBytesWithin]: for Parquet the positions and statistics of all columns of all row
// groups. It is 0 where negligible.
func FooterBytes(memory int64, format string, rows int64, columns int) int64 {
	if format != formats.Parquet {
		return 0
	}
	return parquet.FooterBytes(memory, rows, columns)
}

// WriterBytesWithin is [WriterBytes] in a run with the given memory, in bytes, 0 for unlimited: see
// Schema.Memory.
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

// Create starts a file in the format of s or of the extension of path. Text is compressed if the
// name also ends in .gz or .zst. Nothing appears at path before Commit.
func Create(path string, s Schema) (Writer, error) { return create(singleCall(), path, s) }

// create starts a file of the format of its name or schema.
func create(files *file.Session, path string, s Schema) (Writer, error) {
	if s.Format == "" {
		if s.Format = OutputFormat(path); s.Format == "" {
			return nil, fault.Output(path, "the format is taken from the extension").
				WithRemedy("use one of %s", strings.Join(writtenExtensions(), " "))
		}
	}
	if outputEncoders[s.Format].start == nil {
		return nil, fault.Output(path, "the format %q is not known", s.Format).WithRemedy("use one of %s", strings.Join(OutputFormats(), ", "))
	}
	_, packing := packedName(path)
	switch {
	case packing != "" && !isPacked(s.Format):
		return nil, fault.Output(path, "only text is compressed as a whole").
			WithRemedy("leave out %s", filepath.Ext(path))
	case packing != "" && s.Compression != "" && s.Compression != packing:
		return nil, fault.Output(path, "by its name it is compressed by %s, not %s", packing, s.Compression).
			WithRemedy("change one of the two")
	case packing != "":
		start, err := s.asList(path, outputEncoders[s.Format].start)
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

// encoderOf returns the StartEncoder for the format and compression of s. name identifies the
// output in messages.
func encoderOf(name string, s Schema) (column.StartEncoder, error) {
	method := s.Compression
	if method == noCompression {
		method = ""
	}
	switch {
	case method != "" && !slices.Contains(Compressions(s.Format), method):
		return nil, fault.Output(name, "a file of the format %s is not compressed by %q", s.Format, method).
			WithRemedy("use one of %s", strings.Join(Compressions(s.Format), ", "))
	case s.Format == formats.Parquet:
		return s.asList(name, parquet.NewSizedEncoder(method, s.Memory))
	case s.Format == formats.Store:
		return s.asList(name, storeEncoder(method != ""))
	}
	return s.asList(name, outputEncoders[s.Format].start)
}

// HeaderName returns the name of a column in the header of a CSV or TSV file: prefixed with x if
// the header could be mistaken for a row.
func HeaderName(name string) string { return text.HeaderName(name) }

// Target returns the file that writing to path creates or replaces: path itself, or the target of a
// symbolic link. The error explains, as the end of a sentence about path, why no file can be
// created there, if that is known in advance.
func Target(path string) (string, error) {
	target, _, err := file.Target(path)
	return target, err
}

// LockFolder locks the folder of a file among processes that write several related files there: if
// each renames its files under the lock, the folder holds all files of one process. For a single
// file see [WriteFile]. It waits at most ten seconds, and locks nothing if folders cannot be locked
// or path is an object. It returns an error only if ctx ends.
func LockFolder(ctx context.Context, path string) (release func(), err error) {
	return file.LockFolder(ctx, path)
}

// TryFolder returns an error if no file can be created in a folder.
func TryFolder(folder string) error { return file.TryFolder(folder) }

// WriteFile writes a file atomically: whatever happens, even a power failure, path has its previous
// content or all of data.
func WriteFile(path string, data []byte) error {
	f, err := prepareFile(singleCall(), path, data)
	if err != nil {
		return err
	}
	return f.Commit()
}

// prepareFile writes a file completely, except for its final name.
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

// fileWriter is the Writer of files in all formats. It checks and counts the rows for the encoder,
// and renames the file at the end.
type fileWriter struct {
	encoder  column.Encoder
	file     *file.Temp
	schema   Schema
	rows     int64
	failed   error // the first failure, which is final
	finished bool
}

// newFileWriter creates a file with an encoder.
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
		err = column.Describe(e, s.Metadata)
	}
	if err != nil {
		err = f.Fail(err)
		f.Abort()
		return nil, err
	}
	return &fileWriter{encoder: e, file: f, schema: s}, nil
}

// Write implements Writer. It panics unless b has the shape of the schema.
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

// checkRows returns an error if the number of rows differs from that of the schema.
func (s *Schema) checkRows(name string, rows int64) error {
	if s.Rows >= 0 && rows != s.Rows {
		return fault.Output(name, "%d rows came, %d were announced", rows, s.Rows).
			WithRemedy("write as many, or announce -1")
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
	defer w.Abort() // a no-op after success
	if err := w.Finish(); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort implements Writer.
func (w *fileWriter) Abort() { w.file.Abort() }

// FileSize returns the size of a file or an object in bytes. ok is false for folders, globs, pipes
// and missing files.
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

// DigestOf returns the digest of the regular file or object at path. Cost: it reads all of it.
func (s *Session) DigestOf(ctx context.Context, path string) (Digest, error) {
	return s.Internal().DigestOf(ctx, path)
}

// Create is [Create] within the session.
func (s *Session) Create(path string, schema Schema) (Writer, error) {
	return create(s.Internal(), path, schema)
}

// PrepareFile writes a file or an object completely, except for its final name, which Commit gives
// it.
func (s *Session) PrepareFile(path string, data []byte) (Output, error) {
	return prepareFile(s.Internal(), path, data)
}

// CanWrite returns an error if writing an object is known to fail. It ends with the context of the
// stores.
func (s *Session) CanWrite(url string) error {
	files := s.Internal()
	return files.CanPut(files.Context(), url)
}
