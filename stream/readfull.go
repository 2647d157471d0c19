package stream

import (
	"io"

	"github.com/nystream/nystream/internal/matrix"
)

// ReadFull reads until dst is full or the source ends. Unlike a single Read it accepts readers that
// return fewer rows than requested without an error. It returns io.EOF only with the last rows or
// after them.
func ReadFull(r Reader, dst *Batch) (n int, err error) {
	if dst.Kept != nil {
		return readFullKept(r, dst)
	}
	if dst.X.Rows > 0 { // usually suffices
		n, err = r.Read(dst)
	}
	for n < dst.X.Rows && err == nil {
		var k int
		k, err = r.Read(&Batch{X: matrix.Rows(dst.X, n, dst.X.Rows-n)})
		n += k
	}
	return n, err
}

// readSome reads once, and again only if a read gives neither rows nor an error.
func readSome(r Reader, dst *Batch) (n int, err error) {
	for n == 0 && err == nil {
		n, err = r.Read(dst)
	}
	return n, err
}

// readFullKept is ReadFull for batches with kept columns. Each read truncates these, so later reads
// are collected and appended to the first.
func readFullKept(r Reader, dst *Batch) (n int, err error) {
	resetKept(dst.Kept)
	if dst.X.Rows > 0 {
		n, err = r.Read(dst)
	}
	var part []Column
	for n < dst.X.Rows && err == nil {
		if part == nil {
			part = make([]Column, len(dst.Kept))
			for i, c := range dst.Kept {
				part[i].Kind = c.Kind
			}
		}
		var k int
		k, err = r.Read(&Batch{X: matrix.Rows(dst.X, n, dst.X.Rows-n), Kept: part})
		for i := range part {
			dst.Kept[i].Append(&part[i], 0, k)
		}
		n += k
	}
	return n, err
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
