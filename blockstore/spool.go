package blockstore

import (
	"context"
	"errors"
	"io"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/stream"
)

// Spool copies the rows of src, with its kept columns, to a temporary file, and returns a source of
// the copy. The copy has a known number of rows, and can be read repeatedly and gathered. Use it to
// fit rows that can be read once, or whose number is unknown, such as those of [stream.FromSeq].
// All values are copied bit for bit.
//
// The copy takes 8 bytes per number, in the system's folder for temporary files. It vanishes when
// the process ends; [Session.Spool] selects the folder, limits the bytes and removes the copy
// earlier. Cost: one pass.
func Spool(ctx context.Context, src stream.Source) (stream.Gatherer, error) {
	return spool(ctx, singleCall(), src)
}

// Spool is [Spool] within the session: Close removes the copy.
func (s *Session) Spool(ctx context.Context, src stream.Source) (stream.Gatherer, error) {
	return spool(ctx, s.Internal(), src)
}

// spool sends the rows through a pipe to a reader that stores them. Columns are numbered on the
// way, so any names are allowed.
func spool(ctx context.Context, files *file.Session, src stream.Source) (stream.Gatherer, error) {
	info := src.Info()
	schema := Schema{Rows: info.Rows, Format: formats.ArrowStream}
	for j := range info.Columns {
		schema.Columns = append(schema.Columns, "x"+strconv.Itoa(j))
	}
	read := Options{Format: formats.ArrowStream, Columns: schema.Columns, NoNumbers: len(info.Columns) == 0}
	for k, f := range info.Kept {
		name := "kept" + strconv.Itoa(k)
		schema.Kept, read.Keep = append(schema.Kept, stream.Field{Name: name, Kind: f.Kind, Type: f.Type}), append(read.Keep, name)
	}
	out, in := io.Pipe()
	read.Reader = out
	sent := make(chan error, 1)
	go func() {
		err := sendRows(ctx, in, src, schema)
		in.CloseWithError(err)
		sent <- err
	}()
	stored, err := openSource(ctx, files, []string{file.Stdin}, read)
	out.CloseWithError(io.ErrClosedPipe)
	if failed := <-sent; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return &spooledSource{stored, info}, nil
}

// sendRows writes all rows of a source to a pipe.
func sendRows(ctx context.Context, out io.Writer, src stream.Source, s Schema) error {
	w, err := NewWriter(out, "copy of "+src.Info().Name, s)
	if err != nil {
		return err
	}
	nothing := func(blas64.General, *stream.Block) error { return nil }
	err = stream.Map(ctx, stream.Engine{Threads: 1}, "copy", src, 1, true,
		func() func(blas64.General, *stream.Block) error { return nothing },
		func(b *stream.Block, _ blas64.General) error {
			return w.Write(&stream.Batch{X: b.X, Kept: b.Kept}, b.X.Rows)
		})
	if err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// spooledSource is a stored copy of a source.
type spooledSource struct {
	*Source
	info stream.Info
}

// Info describes the source, with the number of rows and the costs of the copy.
func (s *spooledSource) Info() stream.Info {
	info := s.Source.Info()
	info.Name, info.Columns, info.Nameless, info.Kept = s.info.Name, s.info.Columns, s.info.Nameless, s.info.Kept
	info.PassesToOpen += s.info.PassesToOpen
	return info
}
