package blockstore

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/stream"
)

// NewWriter starts writing rows to out in the format of s, one of PipeFormats(). name identifies
// out in messages. Output cannot be revoked: after an error, or without Commit, an Arrow stream
// lacks its end mark, a Parquet file its footer, an NPY file is shorter than its header states, and
// text is truncated. NewWriter returns an error for NPY if the number of rows is unknown, since the
// header contains it.
func NewWriter(out io.Writer, name string, s Schema) (Writer, error) {
	if !outputEncoders[s.Format].pipes {
		return nil, fault.Output(name, "the format %q cannot be written to a pipe", s.Format).WithRemedy("use one of %s", strings.Join(PipeFormats(), ", "))
	}
	if s.Format == formats.NPY && s.Rows < 0 {
		return nil, fault.Output(name, "an NPY file begins with the number of its rows, which is not known before all are read").
			WithRemedy("write a file, or another format")
	}
	start, err := encoderOf(name, s)
	if err != nil {
		return nil, err
	}
	w := &pipeWriter{out: &pipeOutput{out, name}, schema: s}
	w.encoder, err = start(w.out, stream.Info{Name: name, Columns: s.Columns, Nameless: s.Nameless, Kept: s.Kept, Rows: s.Rows})
	if err == nil {
		err = column.Describe(w.encoder, s.Metadata)
	}
	if err != nil {
		return nil, w.out.name(err)
	}
	return w, nil
}

// pipeOutput is the output of a pipeWriter. Its errors name it.
type pipeOutput struct {
	io.Writer
	path string
}

func (o *pipeOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err == nil {
		return n, nil
	}
	failed := fault.Output(o.path, "%w", file.WithoutPath(err))
	if !errors.Is(err, syscall.ENOSPC) {
		failed = failed.WithRemedy("did what reads it end early?")
	}
	return n, failed
}

// name adds the name of the pipe to an error, once.
func (o *pipeOutput) name(err error) error {
	var failed *stream.DataError
	if err == nil || errors.As(err, &failed) && failed.Kind == stream.Unwritable {
		return err
	}
	return fault.Output(o.path, "%w", err)
}

// pipeWriter is the Writer for pipes.
type pipeWriter struct {
	encoder column.Encoder
	out     *pipeOutput
	schema  Schema
	rows    int64
	failed  error // the first failure, which is final
}

// Write implements Writer. It panics unless b has the shape of the schema.
func (w *pipeWriter) Write(b *stream.Batch, n int) error {
	w.schema.mustFit(b, n)
	if w.failed == nil {
		w.failed = w.out.name(w.encoder.Encode(b, n))
		w.rows += int64(n)
	}
	if f, ok := w.encoder.(column.Flusher); ok && w.schema.Live && w.failed == nil {
		w.failed = w.out.name(f.Flush())
	}
	return w.failed
}

// Finish implements Writer.
func (w *pipeWriter) Finish() error { return w.failed }

// Digest implements Writer.
func (w *pipeWriter) Digest(context.Context) (*Digest, error) { return nil, w.failed }

// Commit implements Writer.
func (w *pipeWriter) Commit() error {
	if w.failed == nil {
		w.failed = w.schema.checkRows(w.out.path, w.rows)
	}
	if w.failed != nil {
		return w.failed
	}
	return w.out.name(w.encoder.Finish())
}

// Abort implements Writer.
func (w *pipeWriter) Abort() {
	if w.failed == nil {
		w.failed = errors.New("writing was given up")
	}
}
