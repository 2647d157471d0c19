//go:build !noasm

package simd

import "unsafe"

// run calls the micro-kernel: on float32 if single, for tiles of one row or of
// four, one group wide.
func (j *job) run(_ Path, single bool, rows, _ int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case single && rows == 1:
		micro1x1F32NEON(a)
	case single:
		micro4x1F32NEON(a)
	case rows == 1:
		micro1x1F64NEON(a)
	default:
		micro4x1F64NEON(a)
	}
}

// run calls the fold, of four rows at a time or of one.
func (j *foldJob) run(_ Path, single bool, rows int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case single && rows == 4:
		fold4F32NEON(a)
	case single:
		fold1F32NEON(a)
	case rows == 4:
		fold4F64NEON(a)
	default:
		fold1F64NEON(a)
	}
}

// run calls a conversion.
func (j *convertJob) run(_ Path, narrow bool) {
	a := (*uint64)(unsafe.Pointer(j))
	if narrow {
		narrowNEON(a)
	} else {
		widenNEON(a)
	}
}
