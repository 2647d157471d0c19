// Package npy reads and writes matrices in NumPy's NPY format, versions 1 to 3 (NEP 1, 2007), and
// reads archives of arrays (numpy.savez, numpy.savez_compressed).
package npy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"unsafe"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// table is a matrix in NumPy's NPY format, versions 1 to 3 (NEP 1, 2007).
// A vector is a matrix of one column.
type table struct {
	column.TableInfo
	layout
	stamp file.Stamp
}

// layout is the position of the numbers of an NPY array.
type layout struct {
	head          Header
	count, width  int64
	dataSize, row int64 // bytes of the matrix, and of a row
}

// Open reads the header and checks the size of the file against it.
func Open(ctx context.Context, files *file.Session, path string) (column.Table, error) {
	f, stamp, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenFile(path, f, stamp)
}

// OpenFile is Open for the open file f. path is its name in messages.
func OpenFile(path string, f file.File, stamp file.Stamp) (column.Table, error) {
	head, err := ReadHeader(io.NewSectionReader(f, 0, stamp.Size))
	if err == nil {
		err = head.CheckNumbers()
	}
	if err != nil {
		err = fault.File(path, "%w", fault.Damaged(err))
	}
	if err := stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	return Part(path, stamp, head, 0, stamp.Size)
}

// ErrFortran reports that a matrix is stored column by column, so that no row is complete before
// the end.
var ErrFortran = errors.New("the matrix is in Fortran order")

// OpenLive reads the header of an array from a pipe. It returns ErrFortran, with all bytes
// retained, if rows cannot be read as they arrive.
func OpenLive(ctx context.Context, path string, in *file.Live) (column.Table, error) {
	head, err := ReadHeader(in.Reader(ctx))
	if err == nil {
		err = head.CheckNumbers()
	}
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	if head.fortran && len(head.Shape) == 2 {
		return nil, ErrFortran
	}
	t := &table{layout: layout{head: head}, stamp: in.Stamp(path, 0)}
	if err = t.fromShape(); err == nil {
		_, err = t.promised()
	}
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	t.TableInfo = column.TableInfo{Path: path, Rows: t.count, Live: true, ReaderBytes: bufferSize + t.row, Columns: t.columns()}
	return t, nil
}

// Part returns the array with this header in size bytes of a file, starting at offset. path is its
// name in messages.
func Part(path string, stamp file.Stamp, head Header, offset, size int64) (column.Table, error) {
	t := &table{layout: layout{head: head}, stamp: stamp}
	err := t.fromShape()
	if err == nil {
		err = t.checkSize(size)
	}
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	t.head.size += offset
	lead, holds := int64(1), int64(bufferSize)
	if t.head.fortran {
		holds = fortranBufferSize
		lead += fortranBufferSize / max(1, t.row)
	}
	t.TableInfo = column.TableInfo{Path: path, Rows: t.count, SeekCost: lead, ReaderBytes: holds, Columns: t.columns()}
	return t, nil
}

// columns returns the columns of the matrix.
func (t *layout) columns() []column.Info {
	list := column.Unnamed(int(t.width), t.head.dtype.column())
	for i := range list {
		list[i].Type, list[i].NoNulls = t.head.dtype.logicalType(), true
	}
	return list
}

// fromShape sets the shape of the matrix.
func (t *layout) fromShape() error {
	switch shape := t.head.Shape; len(shape) {
	case 0:
		return fault.New("a single number is not a matrix").WithRemedy("reshape it with a.reshape(1, 1)")
	case 1:
		t.count, t.width = shape[0], 1
	case 2:
		t.count, t.width = shape[0], shape[1]
	default:
		return fault.New("an array of %d dimensions is not a matrix", len(shape)).WithRemedy("flatten its rows with a.reshape(len(a), -1)")
	}
	if t.width == 0 {
		return fault.New("the matrix has no columns").WithRemedy("save one that has")
	}
	if t.width > column.Max {
		return fault.New("%d columns are more than the %d that can be read", t.width, column.Max).WithRemedy("was the matrix saved transposed?")
	}
	return nil
}

// promised sets and returns the number of bytes according to the header.
func (t *layout) promised() (int64, error) {
	overRow, row := bits.Mul64(uint64(t.width), uint64(t.head.dtype.size))
	overAll, all := bits.Mul64(uint64(t.count), row)
	if overRow != 0 || overAll != 0 || row > 1<<62 || all > 1<<62 {
		return 0, fmt.Errorf("the header promises %d rows of %d values, more than a file can hold", t.count, t.width)
	}
	t.row, t.dataSize = int64(row), int64(all)
	return t.dataSize, nil
}

// checkSize compares the size of the file with the header.
func (t *layout) checkSize(file int64) error {
	if _, err := t.promised(); err != nil {
		return err
	}
	switch have := file - t.head.size; {
	case have < t.dataSize && t.head.fortran:
		return fault.New("%d bytes of the %d promised by the header are missing", t.dataSize-have, t.dataSize).WithKind(stream.Damaged).WithRemedy("was the file cut short?")
	case have < t.dataSize:
		return fault.New("the header promises %d rows, but the file ends in row %d", t.count, have/t.row).WithKind(stream.Damaged).WithRemedy("was it cut short?")
	case have > t.dataSize:
		return fmt.Errorf("%d bytes follow the %d rows that the header promises", have-t.dataSize, t.count)
	}
	return nil
}

func (t *table) Source(c column.Choice) (stream.Gatherer, error) {
	wanted := *t
	wanted.head.dtype.Round = c.Inexact == column.InexactRound
	if t.head.fortran {
		wanted.stamp = t.stamp.Places(len(c.All(true)))
	}
	c.SetCosts(t.SeekCost, t.ReaderBytes+wanted.stamp.ReaderBytes())
	return column.NewSource(c, wanted.stamp, func(_ context.Context, f file.File, ahead bool) column.Pass {
		return &pass{Choice: &c, table: &wanted, file: f, ahead: ahead}
	}), nil
}

// Buffer sizes of a pass. A matrix in Fortran order is read column by column, so it needs more rows
// at a time for reads of reasonable size.
const (
	bufferSize        = 256 << 10
	fortranBufferSize = 4 << 20
)

// pass reads the chosen columns through a buffer of file bytes: whole rows in C order, or the
// chosen columns one after another in Fortran order.
type pass struct {
	*column.Choice
	table        *table
	file         file.File
	ahead        bool  // more rows will be read, so fill the buffer
	at           int64 // the next row
	buf          []byte
	first        int64 // the row at the beginning of buf
	bufferedRows int64 // number of rows in buf
	step         int   // bytes in buf from one row to the next
	offsets      []int // in buf, of the chosen values of its first row

	column.Decoded // values of a column that is kept
}

// SkipTo implements column.Pass.
func (p *pass) SkipTo(row int64) error {
	p.at = row
	return nil
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	n := min(int64(dst.X.Rows-at), p.table.count-p.at)
	live, _ := p.file.(*file.Live)
	switch {
	case n == 0 && live != nil:
		return 0, p.checkEnd(live)
	case n == 0:
		return 0, io.EOF
	case live != nil:
		return p.waitRows(live, dst, at, int(n))
	}
	if p.straight(dst) {
		return p.copy(dst, at, min(n, straightRows(p.table.row)))
	}
	return p.storeRows(dst, at, int(n))
}

// straight reports whether rows in the file are identical to rows in memory: all columns in order,
// float64 in native byte order, in C order, none kept.
func (p *pass) straight(dst *stream.Batch) bool {
	t := p.table
	return !t.head.fortran && t.head.dtype.native() && len(dst.Kept) == 0 && int64(dst.X.Stride) == t.width &&
		int64(len(p.Numeric)) == t.width && p.Numeric[0] == 0 && column.InOrder(p.Numeric) && column.InOrder(p.Slot)
}

// straightRows returns the number of rows read at a time directly into the batch: enough for the
// disk, few enough to notice cancellation.
func straightRows(rowBytes int64) int64 { return max(1, 1<<20/max(1, rowBytes)) }

// copy reads n rows from p.at on into dst, starting at row i.
func (p *pass) copy(dst *stream.Batch, i int, n int64) (int, error) {
	t := p.table
	values := dst.X.Data[i*dst.X.Stride:][:int(n)*dst.X.Stride]
	if err := readFull(p.file, bytesOf(values), t.head.size+p.at*t.row); err != nil {
		return 0, p.readError(err)
	}
	p.at += n
	return int(n), nil
}

// bytesOf returns the values as bytes, sharing memory.
func bytesOf(values []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 8*len(values))
}

// readError explains why rows from p.at on could not be read.
func (p *pass) readError(err error) error {
	if err == io.EOF {
		err = fmt.Errorf("the file has become shorter since it was opened")
	}
	return fault.Cell(p.table.Path, p.at, "", "%w", err)
}

// waitRows stores up to n rows that have arrived through a pipe in dst, starting at row i. It waits for
// at least one.
func (p *pass) waitRows(in *file.Live, dst *stream.Batch, i, n int) (int, error) {
	t := p.table
	window, err := in.Await(t.head.size+p.at*t.row, int(t.row))
	have := min(int64(len(window))/max(1, t.row), int64(n))
	switch {
	case err == file.ErrPause && have == 0:
		return 0, err
	case err == io.EOF && have == 0:
		return 0, fault.File(t.Path, "the header promises %d rows, and the pipe ends in row %d", t.count, p.at).WithKind(stream.Damaged).WithRemedy("did what writes to it fail?")
	case have == 0:
		return 0, fault.Cell(t.Path, p.at, "", "%w", err)
	}
	p.buf, p.first, p.bufferedRows = window, p.at, have
	p.cells()
	if err := p.decode(dst, i, int(have)); err != nil {
		return 0, err
	}
	p.at += have
	return int(have), nil
}

// cells computes the offsets of the values of a row in C order.
func (p *pass) cells() {
	p.step, p.offsets = int(p.table.row), p.offsets[:0]
	for _, column := range p.All(true) {
		p.offsets = append(p.offsets, column*p.table.head.dtype.size)
	}
}

// checkEnd returns io.EOF if the input of a pipe ends after the last row.
func (p *pass) checkEnd(in *file.Live) error {
	t := p.table
	window, err := in.Await(t.head.size+p.at*t.row, 1)
	if len(window) > 0 {
		return fault.File(t.Path, "bytes follow the %d rows that the header promises", t.count).WithKind(stream.Damaged).WithRemedy("make it again")
	}
	return err
}

// storeRows stores up to n rows from p.at on in dst, starting at row i.
func (p *pass) storeRows(dst *stream.Batch, i, n int) (int, error) {
	if p.at < p.first || p.at >= p.first+p.bufferedRows {
		if err := p.load(int64(n)); err != nil {
			return 0, err
		}
	}
	n = int(min(int64(n), p.first+p.bufferedRows-p.at))
	if err := p.decode(dst, i, n); err != nil {
		return 0, err
	}
	p.at += int64(n)
	return n, nil
}

// load reads rows from p.at on into the buffer: as many as fit, but no more than wanted unless the
// reader reads ahead.
func (p *pass) load(want int64) error {
	t := p.table
	capacity, rowBytes := int64(bufferSize), t.row
	if t.head.fortran {
		capacity = fortranBufferSize
		rowBytes = int64(len(p.All(true)) * t.head.dtype.size)
	}
	count := min(max(1, capacity/max(1, rowBytes)), t.count-p.at)
	if p.ahead && p.at == p.first+p.bufferedRows {
		want = max(want, 2*p.bufferedRows)
	}
	count = min(count, want)
	if need := count * rowBytes; int64(cap(p.buf)) < need {
		p.buf = make([]byte, need)
	}
	p.buf = p.buf[:count*rowBytes]
	p.first, p.bufferedRows = p.at, 0
	if err := p.fill(count); err != nil {
		return p.readError(err)
	}
	p.bufferedRows = count
	return nil
}

// fill reads count rows into the buffer and computes the offsets of the values.
func (p *pass) fill(count int64) error {
	t := p.table
	size := int64(t.head.dtype.size)
	if !t.head.fortran {
		p.cells()
		return readFull(p.file, p.buf, t.head.size+p.first*t.row)
	}
	p.step, p.offsets = int(size), p.offsets[:0]
	for k, column := range p.All(true) {
		from := int64(k) * count * size
		p.offsets = append(p.offsets, int(from))
		place := t.head.size + (int64(column)*t.count+p.first)*size
		if err := readFull(p.file, p.buf[from:from+count*size], place); err != nil {
			return err
		}
	}
	return nil
}

// readFull fills p from the given offset. It returns io.EOF if the file ends inside.
func readFull(f io.ReaderAt, p []byte, place int64) error {
	n, err := f.ReadAt(p, place)
	if n == len(p) {
		return nil
	}
	return err
}

// decode stores n rows of the buffer in dst, starting at row i.
func (p *pass) decode(dst *stream.Batch, i, n int) error {
	dtype, offsets := p.table.head.dtype, p.offsets[:len(p.Numeric)]
	from := p.buf[int(p.at-p.first)*p.step:]
	for k := range n {
		cells := from[k*p.step:]
		if j := dtype.values(matrix.Row(dst.X, i+k), p.Slot, cells, offsets); j >= 0 {
			return p.cellError(k, p.Numeric[j], column.ErrInexact(dtype.Text(dtype.word(cells[offsets[j]:]))))
		}
	}
	for i, k := range p.Stored(dst) {
		if err := p.keep(&dst.Kept[k], p.Kept[k].Column, p.offsets[len(p.Numeric)+i], from, n); err != nil {
			return err
		}
	}
	return nil
}

// keep appends n values of column of, at an offset of each row in the buffer, to c.
func (p *pass) keep(c *stream.Column, of, offset int, from []byte, n int) error {
	dtype := p.table.head.dtype
	if dtype.isText() {
		for i := range n {
			text, err := dtype.text(from[i*p.step+offset:])
			if err != nil {
				return p.cellError(i, of, err)
			}
			c.Strings = append(c.Strings, text)
		}
		return nil
	}
	p.Words = column.Resized(p.Words, n)
	for i := range p.Words {
		p.Words[i] = dtype.word(from[i*p.step+offset:])
	}
	if c.Kind == stream.Float64 {
		if bad := p.Convert(dtype.NumberFormat, n); bad >= 0 {
			return p.cellError(bad, of, column.ErrInexact(dtype.Text(p.Words[bad])))
		}
	}
	if bad, err := p.Decoded.Keep(c, dtype.NumberFormat, 0, n); err != nil {
		return p.cellError(bad, of, fault.New("the label %s is beyond 2^63-1", dtype.Text(p.Words[bad])).WithRemedy("store it as int64 or float"))
	}
	return nil
}

// cellError returns an error about a value in the k-th row from p.at on.
func (p *pass) cellError(k, column int, err error) error {
	t := p.table
	return fault.Cell(t.Path, p.at+int64(k), t.Columns[column].Name, "%w", err)
}

// Close closes the file.
func (p *pass) Close() error { return p.file.Close() }
