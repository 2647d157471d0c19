package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// ReadAll reads src into a new matrix, without the kept columns. It returns an error if the number
// of rows differs from that of Info. Cost: one pass.
func ReadAll(ctx context.Context, src Source) (blas64.General, error) {
	return readAll(ctx, src, 0)
}

// InMemory returns the rows of [ReadAll] as a source that can be read any number of times. It
// returns an error if they take more than limit bytes (0: no limit).
func InMemory(ctx context.Context, src Source, limit int64) (Gatherer, error) {
	m, err := readAll(ctx, src, limit)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	return &matrixSource{Info{Name: info.Name, Columns: info.Columns, Nameless: info.Nameless, Rows: int64(m.Rows), SeekCost: 1, InMemory: true, PassesToOpen: info.PassesToOpen}, m}, nil
}

func readAll(ctx context.Context, src Source, limit int64) (blas64.General, error) {
	info := src.Info()
	d := len(info.Columns)
	tooLarge := fmt.Errorf("%s: its rows do not fit in %d bytes of memory", info.Name, limit)
	if limit > 0 && info.Rows > limit/8/int64(max(1, d)) {
		return blas64.General{}, tooLarge
	}
	r, err := src.Open(ctx, 0)
	if err != nil {
		return blas64.General{}, err
	}
	all := newRowList(info.Rows, d)
	chunk := matrix.New(chunkRows(info), d)
	for err == nil {
		var n int
		n, err = r.Read(&Batch{X: chunk})
		all.append(matrix.Rows(chunk, 0, n))
		switch {
		case limit > 0 && int64(len(all.data))*8 > limit:
			err = tooLarge
		case info.Rows >= 0 && int64(all.rows) > info.Rows:
			err = excessError(info)
		case err == io.EOF && info.Rows > int64(all.rows):
			err = promiseError(info, int64(all.rows))
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		}
	}
	return all.matrix(), errors.Join(ignoreEOF(err), r.Close())
}

// MapRows collects the results of [Map] for all rows in a new matrix.
func MapRows(ctx context.Context, e Engine, name string, src Source, cols int, worker func() func(dst blas64.General, b *Block) error) (blas64.General, error) {
	all := newRowList(src.Info().Rows, cols)
	err := Map(ctx, e, name, src, cols, false, worker, func(_ *Block, out blas64.General) error {
		all.append(out)
		return nil
	})
	return all.matrix(), err
}

// rowList is a matrix that grows by rows.
type rowList struct {
	rows, cols int
	data       []float64
}

// maxReserved bounds the numbers reserved in advance: a damaged file may announce any number of
// rows.
const maxReserved = 1 << 27

// newRowList returns an empty list. promised is the expected number of rows, -1 if unknown.
func newRowList(promised int64, cols int) *rowList {
	rows := min(max(0, promised), maxReserved/int64(max(1, cols)))
	return &rowList{cols: cols, data: make([]float64, 0, rows*int64(cols))}
}

func (l *rowList) append(m blas64.General) {
	l.rows += m.Rows
	if m.Cols == 0 {
		return
	}
	for i := range m.Rows {
		l.data = append(l.data, matrix.Row(m, i)...)
	}
}

func (l *rowList) matrix() blas64.General {
	return blas64.General{Rows: l.rows, Cols: l.cols, Stride: max(1, l.cols), Data: l.data}
}
