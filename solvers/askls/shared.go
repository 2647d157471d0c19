package askls

import (
	"context"

	"github.com/nystream/nystream/solvers/ksvd"
)

// shared is what fits share that differ in C, the ridge and merging alone. Each part is made
// when it is first needed. It belongs to one goroutine.
type shared struct {
	matrix        matrix
	approximation *ksvd.Fit
	sums          *factorSums
}

// once returns the part at place, or makes it.
func once[T comparable](place *T, make func() (T, error)) (T, error) {
	var none T
	if *place != none {
		return *place, nil
	}
	v, err := make()
	if err == nil {
		*place = v
	}
	return v, err
}

// matrix returns the kernel matrix. form keeps its entries in memory.
func (f *fit) matrix(ctx context.Context, form bool) (matrix, error) {
	return once(&f.shared.matrix, func() (matrix, error) { return newMatrix(ctx, f.engine, f.data, f.kernel, form) })
}

// approximation returns the low-rank approximation of the kernel matrix.
func (f *fit) approximation(ctx context.Context) (*ksvd.Fit, error) {
	return once(&f.shared.approximation, func() (*ksvd.Fit, error) { return f.factorise(ctx) })
}
