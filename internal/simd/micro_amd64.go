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

// run calls the fold of a path, of four rows at a time or of one.
func (j *foldJob) run(p Path, single bool, rows int) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512 && single && rows == 4:
		fold4F32AVX512(a)
	case p == AVX512 && single:
		fold1F32AVX512(a)
	case p == AVX512 && rows == 4:
		fold4F64AVX512(a)
	case p == AVX512:
		fold1F64AVX512(a)
	case single && rows == 4:
		fold4F32AVX2(a)
	case single:
		fold1F32AVX2(a)
	case rows == 4:
		fold4F64AVX2(a)
	default:
		fold1F64AVX2(a)
	}
}

// run calls a conversion of a path.
func (j *convertJob) run(p Path, narrow bool) {
	a := (*uint64)(unsafe.Pointer(j))
	switch {
	case p == AVX512 && narrow:
		narrowAVX512(a)
	case p == AVX512:
		widenAVX512(a)
	case narrow:
		narrowAVX2(a)
	default:
		widenAVX2(a)
	}
}
