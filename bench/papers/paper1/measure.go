package paper1

import (
	"context"
	"fmt"
	"time"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// result is what was measured of one fit.
type result struct {
	method string
	c      int

	spectral  float64 // ‖A−Â‖₂/‖A‖₂
	frobenius float64 // ‖A−Â‖_F/‖A‖_F
	shift     float64
}

// measure fits and verifies everything that was asked for. A method may refuse a rank; it is an
// error if one that takes such kernels has no results at all.
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
	e, d := stream.Engine{}, model.Sources{Left: stream.FromMatrix(p.data, x)}
	refused := map[string]error{}
	for seed := range uint64(o.seeds) {
		for _, c := range ranks {
			for _, method := range methods() {
				if !o.wants(method.name) || method.rows > 0 && x.Rows > method.rows {
					continue
				}
				f, err := method.of(c, seed+1).Fit(ctx, e, d, k)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err != nil {
					progress("%s: %s: %v", p, method.name, err)
					refused[method.name] = err
					continue
				}
				v, err := f.Verify(ctx, e, d, p.sample(), 1)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", method.name, err)
				}
				m.results = append(m.results, result{method.name, c, v.SpectralError, v.FrobeniusError, f.Shift})
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
