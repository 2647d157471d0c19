package ksvd

import (
	"context"
	"fmt"
)

// maxDoubled is the largest number of landmarks of a side reached by doubling. The block of the estimate then takes
// gigabytes.
const maxDoubled = 8192

// double repeats the fit with twice the landmarks until the leading directions are within the tolerance. The landmarks
// of a fit are a subset of those of the next.
func (f *nystrom) double(ctx context.Context) (*Fit, error) {
	for {
		fit, err := f.uniform(ctx)
		if err != nil || fit.Directions.Error <= f.Tolerance {
			return fit, err
		}
		next, why := f.doubled()
		if why != "" {
			fit.NotConverged = true
			fit.Warn(fmt.Sprintf("the tolerance of %g was not reached: the error of the singular directions is about %.2g with %d rows and %d columns as landmarks, and %s",
				f.Tolerance, fit.Directions.Error, f.Rows, f.Cols, why))
			return fit, nil
		}
		f.Nystrom = next
	}
}

// doubled returns the method of the next fit, or the reason why there is none.
func (f *nystrom) doubled() (next Nystrom, why string) {
	s := f.data.size()
	next = f.Nystrom
	next.Rows, next.Cols = int(min(s.Rows, 2*int64(f.Rows))), int(min(s.Cols, 2*int64(f.Cols)))
	switch {
	case next.Rows == f.Rows && next.Cols == f.Cols:
		return next, "these are all"
	case max(next.Rows, next.Cols) > maxDoubled:
		return next, fmt.Sprintf("up to %d a side are tried; more `Rows/Cols` without `Tolerance`, or `Method exact`, take longer", maxDoubled)
	case f.Memory == 0:
		return next, ""
	}
	p, err := next.Plan(f.engine, f.data.Size(), f.tiles.Kernel)
	if err != nil {
		return next, err.Error()
	}
	if need := p.Memory.Total(); need > f.Memory {
		return next, fmt.Sprintf("twice as many take %d MiB of the %d MiB that `Memory` leaves", need>>20, f.Memory>>20)
	}
	return next, ""
}
