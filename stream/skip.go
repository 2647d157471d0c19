package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/opening"
)

// Skip returns a reader that drops the first rows rows of r, a batch at each Read.
func (i Info) Skip(r Reader, rows int64) Reader {
	if rows == 0 {
		return r
	}
	return &skipReader{Reader: r, info: i, rows: rows}
}

type skipReader struct {
	Reader
	info    Info
	rows    int64 // rows still to drop
	discard Batch
}

// Read implements [Reader]. While it drops rows it returns none.
func (r *skipReader) Read(dst *Batch) (int, error) {
	if r.rows == 0 {
		return r.Reader.Read(dst)
	}
	if r.discard.X.Rows == 0 {
		r.discard.X = matrix.New(chunkRows(r.info), len(r.info.Columns))
		if dst.Kept != nil {
			r.discard.Kept = r.info.NewKept()
		}
	}
	resetKept(dst.Kept)
	part := Batch{X: matrix.Rows(r.discard.X, 0, int(min(int64(r.discard.X.Rows), r.rows))), Kept: r.discard.Kept}
	n, err := r.Reader.Read(&part)
	r.rows -= int64(n)
	if err == io.EOF && r.rows > 0 {
		err = fmt.Errorf("%s ended %d rows before the row to begin with: the file changed or is damaged", r.info.Name, r.rows)
	}
	return 0, err
}

// ReadRows reads rows of src from row first on until dst is full. It does not count as a pass. If
// src ends early it returns the number of rows read with an error: io.EOF, unless src promises more
// rows.
func ReadRows(ctx context.Context, src Source, first int64, dst *Batch) (n int, err error) {
	r, err := src.Open(opening.Look(ctx), first)
	if err != nil {
		return 0, err
	}
	n, err = ReadFull(r, dst)
	if info := src.Info(); n == dst.X.Rows {
		err = ignoreEOF(err)
	} else if err == io.EOF && first+int64(n) < info.Rows {
		err = promiseError(info, first+int64(n))
	}
	return n, errors.Join(err, r.Close())
}
