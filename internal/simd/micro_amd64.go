//go:build !noasm

package simd

import "unsafe"

//go:generate go run -C _gen .

// run calls the micro-kernel of a path: on float32 if single, for tiles of one
// row or of the rows of the path, and the given number of groups.
func (j *job) run(p Path, single bool, rows, groups int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512 && single:
		runF32AVX512(a, rows, groups)
	case p == AVX512:
		runF64AVX512(a, rows, groups)
	case single && rows == 1:
		micro1x1F32AVX2(a)
	case single:
		micro4x1F32AVX2(a)
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

func runF32AVX512(a *uint64, rows, groups int) {
	switch {
	case groups == 3 && rows == 1:
		micro1x3F32AVX512(a)
	case groups == 3:
		micro8x3F32AVX512(a)
	case groups == 2 && rows == 1:
		micro1x2F32AVX512(a)
	case groups == 2:
		micro8x2F32AVX512(a)
	case rows == 1:
		micro1x1F32AVX512(a)
	default:
		micro8x1F32AVX512(a)
	}
}

// run calls the fold of a path.
func (j *foldJob) run(p Path, single bool) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512 && single:
		foldF32AVX512(a)
	case p == AVX512:
		foldF64AVX512(a)
	case single:
		foldF32AVX2(a)
	default:
		foldF64AVX2(a)
	}
}
