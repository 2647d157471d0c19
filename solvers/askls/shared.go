package askls

import (
	"context"

	"github.com/nystream/nystream/solvers/ksvd"
)

// shared is what machines have in common that differ in γ, the ridge and how functions are
// merged: all that is made of the rows and the kernel. It belongs to one goroutine; nil is
// for a fit alone.
type shared struct {
	matrix        matrix
	approximation *ksvd.Fit
	sums          *factorSums
}

// once returns what is kept at a place, which make makes at first. Nothing is kept for a
// fit alone.
func once[T comparable](s *shared, place func(*shared) *T, make func() (T, error)) (T, error) {
	var none T
	if s == nil {
		return make()
	}
	kept := place(s)
	if *kept != none {
		return *kept, nil
	}
	v, err := make()
	if err == nil {
		*kept = v
	}
	return v, err
}

// matrix makes K ready; form says that it shall be held.
func (f *fit) matrix(ctx context.Context, form bool) (matrix, error) {
	return once(f.shared, func(s *shared) *matrix { return &s.matrix }, func() (matrix, error) {
		return newMatrix(ctx, f.engine, f.data, f.kernel, form)
	})
}

// approximation factors K.
func (f *fit) approximation(ctx context.Context) (*ksvd.Fit, error) {
	return once(f.shared, func(s *shared) **ksvd.Fit { return &s.approximation }, func() (*ksvd.Fit, error) {
		return f.factorise(ctx)
	})
}

// factors makes the triangular factors, for each fold.
func (l *lowRank) factors(ctx context.Context) (*factorSums, error) {
	return once(l.shared, func(s *shared) **factorSums { return &s.sums }, func() (*factorSums, error) {
		return l.stream(ctx)
	})
}
