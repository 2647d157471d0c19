package paper1

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// result is the measurement of one fit.
type result struct {
	method string
	c      int

	spectral  float64 // ‖A−Â‖₂/‖A‖₂
	frobenius float64 // ‖A−Â‖_F/‖A‖_F
	shift     float64
	seconds   float64 // of the fit
}

// data holds the rows of a problem, and its kernel.
type data struct {
	kernel kernelgen.Kernel
	x      blas64.General
}

// one fits rank c with a method and a seed, and measures the error.
func (p problem) one(ctx context.Context, m method, of data, c int, seed uint64) (r result, err error) {
	r = result{method: m.name, c: c}
	if m.errors != nil {
		r.spectral, r.frobenius, err = m.errors(of.kernel, of.x, c, seed)
		return r, err
	}
	e, d, began := stream.Engine{}, model.Sources{Left: stream.FromMatrix(p.data, of.x)}, time.Now()
	f, err := m.of(c, seed).Fit(ctx, e, d, of.kernel)
	if err != nil {
		return r, err
	}
	r.seconds, r.shift = time.Since(began).Seconds(), f.Shift
	v, err := f.Verify(ctx, e, d, p.sample(), 1)
	if err == nil {
		r.spectral, r.frobenius = v.SpectralError, v.FrobeniusError
	}
	return r, err
}

// measure runs all requested fits and verifies them. A method may refuse a rank, but it is an error if a method for
// such kernels has no results at all.
func (p problem) measure(ctx context.Context, o *options) (*matrix, error) {
	x, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	k, err := p.resolved(x)
	if err != nil {
		return nil, err
	}
	m, ranks, began := &matrix{problem: p, rows: x.Rows}, p.ranks(o, x.Rows), time.Now()
	if m.floors, err = p.floors(ctx, k, x, ranks); err != nil {
		return nil, err
	}
	refused := map[string]error{}
	for seed := range uint64(o.seeds) {
		for _, c := range ranks {
			for _, method := range methods() {
				if !o.wants(method.name) || !method.takes(p, x.Rows) {
					continue
				}
				r, err := p.one(ctx, method, data{k, x}, c, seed+1)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err != nil {
					progress("%s: %s: %v", p, method.name, err)
					refused[method.name] = err
					continue
				}
				m.results = append(m.results, r)
			}
		}
		progress("%s: %d seeds, %.1f s", p, seed+1, time.Since(began).Seconds())
	}
	for name, err := range refused {
		if !m.has(name) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, nil
}
