//go:build !noasm

package simd

import "unsafe"

// run calls the micro-kernel for tiles of one row or of four, one group wide.
func (j *job) run(_ Path, rows, _ int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case rows == 1:
		micro1x1F64NEON(a)
	default:
		micro4x1F64NEON(a)
	}
}

// run calls the fold, of four rows at a time or of one.
func (j *foldJob) run(_ Path, rows int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case rows == 4:
		fold4F64NEON(a)
	default:
		fold1F64NEON(a)
	}
}
