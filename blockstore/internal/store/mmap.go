package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// mapGranularity divides the offset of every mapping: pages have 4 to 64 kB, and Windows requires
// 64 kB.
const mapGranularity = 64 << 10

var errShortened = errors.New("the file became shorter, or its disk failed, while it was read")

// window gives access to byte ranges of an open file: mapped, or read if the file is an object or
// mapping fails. These are the only mappings of the program.
type window struct {
	file     file.File
	maps     []mmap.MMap
	fetched  []byte // what was read
	unmapped bool   // the system cannot map the file
}

// open returns the bytes of the ranges, valid until the next call or close. Mapped bytes must be
// used within guard.
func (w *window) open(ranges []run) (list [][]byte, err error) {
	if err := w.unmap(); err != nil {
		return nil, err
	}
	if f := file.Mappable(w.file); f != nil && !w.unmapped {
		if list, err = w.mapped(f, ranges); err == nil {
			return list, nil
		}
		w.unmapped = true
	}
	return w.read(ranges)
}

// mapped maps all ranges of f, or none.
func (w *window) mapped(f *os.File, ranges []run) (list [][]byte, err error) {
	for _, r := range ranges {
		start := r.from &^ (mapGranularity - 1)
		m, err := mmap.MapRegion(f, int(r.to-start), mmap.RDONLY, 0, start)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the file cannot be mapped: %w", err), w.unmap())
		}
		w.maps, list = append(w.maps, m), append(list, m[r.from-start:])
	}
	for _, r := range ranges {
		file.CountMapped(w.file, r.to-r.from)
	}
	return list, nil
}

// read reads the ranges.
func (w *window) read(ranges []run) (list [][]byte, err error) {
	size := int64(0)
	for _, r := range ranges {
		size += r.to - r.from
	}
	w.fetched = column.Resized(w.fetched, int(size))
	rest := w.fetched
	for _, r := range ranges {
		p := rest[:r.to-r.from]
		rest = rest[len(p):]
		if _, err := w.file.ReadAt(p, r.from); errors.Is(err, io.EOF) {
			return nil, errShortened
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// guard calls use, which may access mapped bytes and must not start goroutines. It returns an error
// if the file was truncated meanwhile: the fault, which would otherwise end the process, becomes a
// panic of this goroutine.
func guard(use func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			err = errShortened
		}
	}()
	return use()
}

// unmap removes the mappings.
func (w *window) unmap() (err error) {
	for _, m := range w.maps {
		err = errors.Join(err, m.Unmap())
	}
	w.maps = w.maps[:0]
	return err
}

// close removes the mappings and closes the file.
func (w *window) close() error { return errors.Join(w.unmap(), w.file.Close()) }
