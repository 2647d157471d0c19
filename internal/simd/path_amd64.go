//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

// Available lists the paths that this machine supports, the slowest first.
func Available() []Path {
	paths := []Path{Go}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		paths = append(paths, AVX2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasFMA {
		paths = append(paths, AVX512)
	}
	return paths
}
