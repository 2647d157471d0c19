//go:build !noasm

package simd

import "unsafe"

//go:generate go run -C _gen .

// run calls the micro-kernel of a path for tiles of one row or of the rows of the path,
// and the given number of groups.
func (j *job) run(p Path, rows, groups int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512:
		runF64AVX512(a, rows, groups)
	case rows == 1:
		micro1x1F64AVX2(a)
	default:
		micro4x1F64AVX2(a)
	}
}

func runF64AVX512(a *uint64, rows, groups int) {
	switch {
	case groups == 3 && rows == 1:
		micro1x3F64AVX512(a)
	case groups == 3:
		micro8x3F64AVX512(a)
	case groups == 2 && rows == 1:
		micro1x2F64AVX512(a)
	case groups == 2:
		micro8x2F64AVX512(a)
	case rows == 1:
		micro1x1F64AVX512(a)
	default:
		micro8x1F64AVX512(a)
	}
}

// run calls the fold of a path, of four rows at a time or of one.
func (j *foldJob) run(p Path, rows int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512 && rows == 4:
		fold4F64AVX512(a)
	case p == AVX512:
		fold1F64AVX512(a)
	case rows == 4:
		fold4F64AVX2(a)
	default:
		fold1F64AVX2(a)
	}
}
