package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nystream/nystream/internal/matrix"
)

// CheckFirst returns an error if a reader of the source cannot begin at the row.
func CheckFirst(info Info, first int64) error {
	switch {
	case first < 0 || info.Rows >= 0 && first > info.Rows:
		return fmt.Errorf("%s: there is no row %d to begin with: it has %d rows", info.Name, first, info.Rows)
	case first > 0 && info.Once:
		return OnceError(info.Name)
	}
	return nil
}

// Skip returns a reader of what r gives after so many rows. It reads them, a few
// with each call.
func Skip(r Reader, info Info, rows int64) Reader {
	if rows == 0 {
		return r
	}
	return &skipReader{Reader: r, info: info, rows: rows}
}

type skipReader struct {
	Reader
	info Info
	rows int64 // still to be left out
	gone Batch
}

// Read reads rows that are left out, and gives none, as long as there are any.
func (r *skipReader) Read(dst *Batch) (int, error) {
	if r.rows == 0 {
		return r.Reader.Read(dst)
	}
	if r.gone.X.Rows == 0 {
		r.gone.X = matrix.New(chunkRows(r.info), len(r.info.Columns))
		if dst.Kept != nil {
			r.gone.Kept = KeptColumns(r.info.Kept)
		}
	}
	resetKept(dst.Kept)
	part := Batch{X: matrix.Rows(r.gone.X, 0, int(min(int64(r.gone.X.Rows), r.rows))), Kept: r.gone.Kept}
	n, err := r.Reader.Read(&part)
	r.rows -= int64(n)
	if err == io.EOF && r.rows > 0 {
		err = fmt.Errorf("%s ended %d rows before the row to begin with: the file changed or is damaged", r.info.Name, r.rows)
	}
	return 0, err
}

// readRows fills dst with consecutive rows of src, which has them. It is no pass.
func readRows(ctx context.Context, src Source, first int64, dst *Batch) error {
	r, err := src.Open(uncounted(ctx), first)
	if err != nil {
		return err
	}
	n, err := ReadFull(r, dst)
	if n == dst.X.Rows {
		err = ignoreEOF(err)
	} else if err == io.EOF {
		err = promiseError(src.Info(), first+int64(n))
	}
	return errors.Join(err, r.Close())
}
