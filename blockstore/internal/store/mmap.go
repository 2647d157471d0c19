package store

import (
	"errors"
	"os"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// mapGranularity is what the start of a mapping must be a multiple of on every
// system: pages have 4 to 64 kB, Windows wants 64 kB.
const mapGranularity = 64 << 10

var errShortened = errors.New("the file became shorter, or its disk failed, while it was read")

// errNotMapped is that the system maps no such file, or has no room for it.
var errNotMapped = errors.New("the file cannot be mapped")

// withBytes hands bytes from..to of the open file to use, which must not keep them: as
// they are in the file, or of an object, and of a file that the system does not map, as
// they were read.
func (r *chunkReader) withBytes(from, to int64, use func([]byte) error) error {
	if f, ok := r.file.(*os.File); ok && !r.unmapped {
		err := withMapped(f, from, to, use)
		if !errors.Is(err, errNotMapped) {
			return err
		}
		r.unmapped = true
	}
	r.fetched = column.Resized(r.fetched, int(to-from))
	if _, err := r.file.ReadAt(r.fetched, from); err != nil {
		return err
	}
	return use(r.fetched)
}

// withMapped maps bytes from..to of f and hands them to use, which must not
// keep them. This is the only mapping in the program. It lives no longer than
// one call, so resident memory stays that of the bytes in use, and a file that
// is shortened meanwhile is an error: the fault, which would otherwise kill the
// process, arrives as a panic of this goroutine. So use must not start others. It returns
// errNotMapped without calling use when the file cannot be mapped.
func withMapped(f *os.File, from, to int64, use func([]byte) error) (err error) {
	start := from &^ (mapGranularity - 1)
	m, err := mmap.MapRegion(f, int(to-start), mmap.RDONLY, 0, start)
	if err != nil {
		return fault.New("%w: %w", errNotMapped, err)
	}
	defer func() { err = errors.Join(err, m.Unmap()) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			err = errShortened
		}
	}()
	return use(m[from-start:])
}
