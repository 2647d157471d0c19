//go:build !noasm

package simd

import "unsafe"

// The vector registers that the calibrations work on, as in _gen/peak.go.
var (
	sumRegisters     = [...]int{AVX2: 12, AVX512: 24}
	profileRegisters = [...]int{AVX2: 10, AVX512: 24}
	registerBytes    = [...]int{AVX2: 32, AVX512: 64}
)

// peak runs the calibration of sums, or of the job's profile if it has one, and
// returns the number of lanes in the registers that it works on.
func (j *job) peak(p Path, single bool) (lanes int) {
	size := 8
	if single {
		size = 4
	}
	a := (*uint64)(unsafe.Pointer(j))
	if j.profile == uint64(identity) {
		peakSums(a, p, single)
		return sumRegisters[p] * registerBytes[p] / size
	}
	peakProfile(a, p, single)
	return profileRegisters[p] * registerBytes[p] / size
}

func peakSums(a *uint64, p Path, single bool) {
	switch {
	case p == AVX512 && single:
		peakSumsF32AVX512(a)
	case p == AVX512:
		peakSumsF64AVX512(a)
	case single:
		peakSumsF32AVX2(a)
	default:
		peakSumsF64AVX2(a)
	}
}

func peakProfile(a *uint64, p Path, single bool) {
	switch {
	case p == AVX512 && single:
		peakProfileF32AVX512(a)
	case p == AVX512:
		peakProfileF64AVX512(a)
	case single:
		peakProfileF32AVX2(a)
	default:
		peakProfileF64AVX2(a)
	}
}
