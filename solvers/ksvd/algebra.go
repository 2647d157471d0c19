package ksvd

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// rankTolerance is where singular values are cut off, relative to the largest:
// below it they are rounding of the kernel entries.
const rankTolerance = 1e-12

// newSVD decomposes a small matrix. what names it in errors.
func newSVD(what string, a blas64.General) (*dense.SVD, error) {
	if err := checkFinite(what, a); err != nil {
		return nil, err
	}
	s, err := dense.NewSVD(a)
	if err != nil {
		return nil, fmt.Errorf("ksvd: the SVD of %s did not converge", what)
	}
	return s, nil
}

// changeKernel is what to do about entries that are not finite.
const changeKernel = "scale the columns (`scale standard`) or change the kernel"

// checkFinite returns an error that names an entry that is not finite.
func checkFinite(what string, m blas64.General) error {
	i, j, found := dense.NotFinite(m)
	if !found {
		return nil
	}
	return fmt.Errorf("ksvd: entry (%d, %d) of %s is %v: the kernel is not finite on these rows; %s", i, j, what, m.Data[i*m.Stride+j], changeKernel)
}
