package blockstore

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strconv"

	"github.com/nystream/nystream/stream"
)

// npyTable is a matrix in NumPy's NPY format, versions 1 to 3 (NEP 1, 2007).
// A vector is a matrix of one column.
type npyTable struct {
	path          string
	head          npyHeader
	count, width  int64
	names         []string
	dataSize, row int64 // bytes of the matrix, and of one of its rows
}

// openNPY reads the header and checks that the file is as long as it says.
func openNPY(path string) (table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, badFile(path, "not a regular file; write the array to one first")
	}
	t := &npyTable{path: path}
	if t.head, err = readNPYHeader(f); err == nil {
		err = t.shape()
	}
	if err == nil {
		err = t.checkSize(info.Size())
	}
	if err != nil {
		return nil, badFile(path, "%w", err)
	}
	for j := range t.width {
		t.names = append(t.names, "x"+strconv.FormatInt(j, 10))
	}
	return t, nil
}

// shape makes a matrix of the array.
func (t *npyTable) shape() error {
	switch shape := t.head.shape; len(shape) {
	case 0:
		return fmt.Errorf("a single number is not a matrix; reshape it with a.reshape(1, 1)")
	case 1:
		t.count, t.width = shape[0], 1
	case 2:
		t.count, t.width = shape[0], shape[1]
	default:
		return fmt.Errorf("an array of %d dimensions is not a matrix; flatten its rows with a.reshape(len(a), -1)", len(shape))
	}
	if t.width == 0 {
		return fmt.Errorf("the matrix has no columns")
	}
	if t.width > maxColumns {
		return fmt.Errorf("%d columns are more than the %d that can be read; was the matrix saved transposed?", t.width, maxColumns)
	}
	return nil
}

// checkSize compares the size of the file with what the header promises.
func (t *npyTable) checkSize(file int64) error {
	overRow, row := bits.Mul64(uint64(t.width), uint64(t.head.dtype.size))
	overAll, all := bits.Mul64(uint64(t.count), row)
	if overRow != 0 || overAll != 0 || row > 1<<62 || all > 1<<62 {
		return fmt.Errorf("the header promises %d rows of %d values, more than a file can hold", t.count, t.width)
	}
	t.row, t.dataSize = int64(row), int64(all)
	switch have := file - t.head.size; {
	case have < t.dataSize && t.head.fortran:
		return fmt.Errorf("%d bytes of the %d promised by the header are missing; was the file cut short?", t.dataSize-have, t.dataSize)
	case have < t.dataSize:
		return fmt.Errorf("the header promises %d rows, but the file ends in row %d; was it cut short?", t.count, have/t.row)
	case have > t.dataSize:
		return fmt.Errorf("%d bytes follow the %d rows that the header promises", have-t.dataSize, t.count)
	}
	return nil
}

func (t *npyTable) name() string { return t.path }
func (t *npyTable) rows() int64  { return t.count }
func (t *npyTable) once() bool   { return false }
func (t *npyTable) scans() int   { return 0 }

func (t *npyTable) columns() []columnInfo {
	kind := numberColumn
	if t.head.dtype.kind != 'f' {
		kind = integerColumn
	}
	infos := make([]columnInfo, t.width)
	for j := range infos {
		infos[j] = columnInfo{name: t.names[j], kind: kind, width: 1}
	}
	return infos
}

func (t *npyTable) choose(numeric, kept []int) (stream.Source, error) {
	info, err := chosenInfo(t, numeric, kept)
	if err != nil {
		return nil, err
	}
	return &npySource{info: info, table: t, numeric: numeric, kept: kept}, nil
}

// npySource yields chosen columns of an NPY file.
type npySource struct {
	info          stream.Info
	table         *npyTable
	numeric, kept []int
}

// Info describes the source.
func (s *npySource) Info() stream.Info { return s.info }

// Open starts a pass at the first row.
func (s *npySource) Open(ctx context.Context) (stream.Reader, error) {
	f, err := os.Open(s.table.path)
	if err != nil {
		return nil, err
	}
	return &npyReader{ctx: ctx, src: s, file: f, ahead: true}, nil
}

// Gather fetches rows by number; rows that follow each other in one read.
func (s *npySource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	mustGather(s.info, rows, dst)
	f, err := os.Open(s.table.path)
	if err != nil {
		return err
	}
	defer f.Close()
	truncateKept(dst, s.info.Kept)
	r := npyReader{ctx: ctx, src: s, file: f}
	for i := 0; i < len(rows); {
		n := leadingRun(rows[i:])
		r.at = rows[i]
		if done, err := r.readRows(dst, i, n); done < n {
			return err
		}
		i += n
	}
	return nil
}

// leadingRun is how many of the first row numbers follow each other.
func leadingRun(rows []int64) int {
	n := 1
	for n < len(rows) && rows[n] == rows[n-1]+1 {
		n++
	}
	return n
}

// Buffer sizes of a reader. A matrix in Fortran order is read column by column,
// so it needs more rows at a time for reads of a decent size.
const (
	npyBuffer        = 256 << 10
	npyFortranBuffer = 4 << 20
)

// npyReader reads the rows of an npySource in order, through a buffer of its
// own that holds some rows as they are in the file: whole rows in C order, or
// the chosen columns one after the other in Fortran order.
type npyReader struct {
	ctx     context.Context
	src     *npySource
	file    *os.File
	ahead   bool  // more rows will follow, read as many as fit
	at      int64 // the next row
	buf     []byte
	first   int64 // the row at the beginning of buf
	held    int64 // how many rows are in buf
	step    int   // distance in buf from one row to the next
	offsets []int // place in buf of the chosen values of its first row
}

// Read fills dst with the next rows.
func (r *npyReader) Read(dst *stream.Batch) (int, error) {
	mustFit(r.src.info, dst)
	truncateKept(dst, r.src.info.Kept)
	n := int(min(int64(dst.X.Rows), r.src.table.count-r.at))
	if done, err := r.readRows(dst, 0, n); done < n {
		return done, err
	}
	if n < dst.X.Rows {
		return n, io.EOF
	}
	return n, nil
}

// readRows puts n rows from r.at on into dst at row i. It returns how many it
// has done, with an error if fewer than n.
func (r *npyReader) readRows(dst *stream.Batch, i, n int) (done int, err error) {
	for done < n {
		if err := r.ctx.Err(); err != nil {
			return done, err
		}
		if r.at < r.first || r.at >= r.first+r.held {
			if err := r.load(int64(n - done)); err != nil {
				return done, err
			}
		}
		m := int(min(int64(n-done), r.first+r.held-r.at))
		if err := r.decode(dst, i+done, m); err != nil {
			return done, err
		}
		done += m
		r.at += int64(m)
	}
	return done, nil
}

// load reads rows from r.at on into the buffer: as many as fit, but no more
// than wanted unless the reader reads ahead.
func (r *npyReader) load(want int64) error {
	t := r.src.table
	capacity, rowBytes := int64(npyBuffer), t.row
	if t.head.fortran {
		capacity = npyFortranBuffer
		rowBytes = int64((len(r.src.numeric) + len(r.src.kept)) * t.head.dtype.size)
	}
	count := min(max(1, capacity/max(1, rowBytes)), t.count-r.at)
	if !r.ahead {
		count = min(count, want)
	}
	if need := count * rowBytes; int64(cap(r.buf)) < need {
		r.buf = make([]byte, need)
	}
	r.buf = r.buf[:count*rowBytes]
	r.first, r.held = r.at, 0
	if err := r.fill(count); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("the file has become shorter since it was opened")
		}
		return &DataError{Path: t.path, Row: r.at, Err: err}
	}
	r.held = count
	return nil
}

// fill reads count rows into the buffer and notes where the values are.
func (r *npyReader) fill(count int64) error {
	t := r.src.table
	size := int64(t.head.dtype.size)
	r.offsets = r.offsets[:0]
	if !t.head.fortran {
		r.step = int(t.row)
		for _, column := range slices.Concat(r.src.numeric, r.src.kept) {
			r.offsets = append(r.offsets, column*int(size))
		}
		return readFull(r.file, r.buf, t.head.size+r.first*t.row)
	}
	r.step = int(size)
	for p, column := range slices.Concat(r.src.numeric, r.src.kept) {
		from := int64(p) * count * size
		r.offsets = append(r.offsets, int(from))
		place := t.head.size + (int64(column)*t.count+r.first)*size
		if err := readFull(r.file, r.buf[from:from+count*size], place); err != nil {
			return err
		}
	}
	return nil
}

// readFull fills p from the given place; io.EOF says that the file ends in it.
func readFull(f io.ReaderAt, p []byte, place int64) error {
	n, err := f.ReadAt(p, place)
	if n == len(p) {
		return nil
	}
	return err
}

// decode puts n rows from the buffer into dst at row i.
func (r *npyReader) decode(dst *stream.Batch, i, n int) error {
	dtype, d := r.src.table.head.dtype, len(r.src.numeric)
	from := r.buf[int(r.at-r.first)*r.step:]
	for k := range n {
		dtype.values(rowOf(dst.X, i+k), from[k*r.step:], r.offsets[:d])
	}
	if dtype.size == 8 && dtype.kind != 'f' {
		if err := r.checkExact(from, n); err != nil {
			return err
		}
	}
	if dst.Kept == nil {
		return nil
	}
	return r.keep(dst.Kept, from, n)
}

// checkExact refuses integers that a float64 cannot hold.
func (r *npyReader) checkExact(from []byte, n int) error {
	dtype := r.src.table.head.dtype
	for k := range n {
		for p, column := range r.src.numeric {
			cell := from[k*r.step+r.offsets[p]:]
			if v, ok := dtype.integer(cell); !ok || v > maxExact || v < -maxExact {
				return r.cellError(k, column, errInexact(dtype.text(cell)))
			}
		}
	}
	return nil
}

// keep appends n rows from the buffer to the kept columns.
func (r *npyReader) keep(kept []stream.Column, from []byte, n int) error {
	dtype := r.src.table.head.dtype
	for p, column := range r.src.kept {
		offset, c := r.offsets[len(r.src.numeric)+p], &kept[p]
		for k := range n {
			cell := from[k*r.step+offset:]
			if c.Kind == stream.Float64 {
				c.Floats = append(c.Floats, dtype.value(cell))
				continue
			}
			v, ok := dtype.integer(cell)
			if !ok {
				return r.cellError(k, column, fmt.Errorf("the label %s is beyond 2^63-1; store it as int64 or float", dtype.text(cell)))
			}
			c.Ints = append(c.Ints, v)
		}
	}
	return nil
}

// cellError is an error about a value in the k-th row from r.at on.
func (r *npyReader) cellError(k, column int, err error) error {
	t := r.src.table
	return &DataError{Path: t.path, Row: r.at + int64(k), Column: t.names[column], Err: err}
}

// Close closes the file.
func (r *npyReader) Close() error { return r.file.Close() }
