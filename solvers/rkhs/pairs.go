package rkhs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/stream"
)

// pairSource is a source with rows x_i followed by y_i, so that one pass reads pairs.
type pairSource struct {
	data *Data
	info stream.Info
}

// pairedSource returns the pairs as one source.
func (d *Data) pairedSource() stream.Source {
	x := d.x.Info()
	info := stream.Info{Name: x.Name, Columns: x.Columns, Nameless: x.Nameless, Rows: d.n, SeekCost: x.SeekCost, ReaderBytes: x.ReaderBytes, InMemory: x.InMemory, Versions: x.Versions}
	if d.y != nil {
		y := d.y.Info()
		if info.SeekCost > 0 {
			info.SeekCost += d.lag
		}
		info.InMemory = x.InMemory && y.InMemory
		info.Columns = append(append([]string(nil), x.Columns...), y.Columns...)
		if d.lag == 0 {
			info.Name += " and " + y.Name
			info.ReaderBytes += y.ReaderBytes
			info.Versions = make(map[string]string)
			maps.Copy(info.Versions, x.Versions)
			for name, version := range y.Versions {
				info.Versions[name] += version
			}
			if info.SeekCost = max(x.SeekCost, y.SeekCost); min(x.SeekCost, y.SeekCost) == 0 {
				info.SeekCost = 0
			}
		}
	}
	return &pairSource{d, info}
}

// Info describes the pairs.
func (j *pairSource) Info() stream.Info { return j.info }

// Open returns a reader of the pairs from number first on. It reads both sources, or the single source of lagged rows.
func (j *pairSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := j.info.CheckFirst(first); err != nil {
		return nil, err
	}
	d := j.data
	begin := first
	if d.lag > 0 && first < d.n {
		begin = d.row(SideX, first)
	}
	x, err := d.x.Open(ctx, begin)
	if err != nil {
		return nil, err
	}
	r := &pairReader{data: d, x: x, left: d.n - first}
	switch {
	case d.y == nil:
	case d.lag > 0:
		return &lagReader{data: d, src: x, pair: first, row: begin, queue: matrix.New(int(d.lag), len(d.x.Info().Columns))}, nil
	default:
		if r.y, err = d.y.Open(ctx, first); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	return r, nil
}

// pairReader reads two sources side by side.
type pairReader struct {
	data *Data
	x, y stream.Reader // y is nil for single rows
	left int64
}

// Read reads the same number of rows of x and y.
func (r *pairReader) Read(dst *stream.Batch) (int, error) {
	dx := len(r.data.x.Info().Columns)
	want := int(min(int64(dst.X.Rows), r.left))
	if err := fill(r.x, matrix.Rows(matrix.Columns(dst.X, 0, dx), 0, want), r.data.x.Info()); err != nil {
		return 0, err
	}
	if r.y != nil {
		if err := fill(r.y, matrix.Rows(matrix.Columns(dst.X, dx, dst.X.Cols-dx), 0, want), r.data.y.Info()); err != nil {
			return 0, err
		}
	}
	return countDown(&r.left, want)
}

// Close closes both.
func (r *pairReader) Close() error {
	err := r.x.Close()
	if r.y != nil {
		err = errors.Join(err, r.y.Close())
	}
	return err
}

// fill reads rows until dst is full. It fails if the source ends earlier, since it has then changed.
func fill(r stream.Reader, dst blas64.General, info stream.Info) error {
	if dst.Rows == 0 {
		return nil
	}
	n, err := stream.ReadFull(r, &stream.Batch{X: dst})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err // a file may have changed
	case n < dst.Rows:
		return fmt.Errorf("%s ended before its %d rows: the file changed or is damaged", info.Name, info.Rows)
	}
	return nil
}

// countDown subtracts n from left, and returns the results of Read.
func countDown(left *int64, n int) (int, error) {
	if *left -= int64(n); *left == 0 {
		return n, io.EOF
	}
	return n, nil
}

// lagReader pairs the rows of one source with those lag rows earlier, which it keeps in a queue.
type lagReader struct {
	data  *Data
	src   stream.Reader
	queue blas64.General // a ring: row i of the source is at i modulo the lag
	row   int64          // number of the next row of the source
	pair  int64          // number of the next pair
	end   int64          // of the pairs of the queue's run
}

// Read reads rows into the y half and takes x from the queue, up to the end of the run.
func (r *lagReader) Read(dst *stream.Batch) (int, error) {
	if r.pair == r.data.n {
		return 0, io.EOF
	}
	if r.pair >= r.end {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	d := len(r.data.x.Info().Columns)
	n := int(min(int64(dst.X.Rows), r.end-r.pair))
	late := matrix.Rows(matrix.Columns(dst.X, d, d), 0, n)
	if err := fill(r.src, late, r.data.x.Info()); err != nil {
		return 0, err
	}
	for i := range n {
		old := matrix.Row(r.queue, int(r.row%r.data.lag))
		copy(matrix.Row(dst.X, i)[:d], old)
		copy(old, matrix.Row(late, i))
		r.row++
	}
	r.pair += int64(n)
	if r.pair == r.data.n {
		return n, io.EOF
	}
	return n, nil
}

// begin skips to the run of the next pair and fills the queue.
func (r *lagReader) begin() error {
	first, info := r.data.row(SideX, r.pair), r.data.x.Info()
	for r.row < first {
		n := min(r.data.lag, first-r.row)
		if err := fill(r.src, matrix.Rows(r.queue, 0, int(n)), info); err != nil {
			return err
		}
		r.row += n
	}
	for i := range r.data.lag {
		place := int((first + i) % r.data.lag)
		if err := fill(r.src, matrix.Rows(r.queue, place, 1), info); err != nil {
			return err
		}
	}
	r.row = first + r.data.lag
	r.end = r.data.runEnd(r.data.runOf(r.pair))
	return nil
}

// Close closes the source.
func (r *lagReader) Close() error { return r.src.Close() }
