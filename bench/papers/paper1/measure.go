package paper1

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// result is what was measured of one fit.
type result struct {
	Method  string
	C, Seed int

	Spectral          lab.Figure // ‖A−Â‖₂/‖A‖₂
	Frobenius         lab.Figure // ‖A−Â‖_F/‖A‖_F
	SpectralEstimate  lab.Figure // of the fit itself, NaN if it has none
	FrobeniusEstimate lab.Figure
	Rank              int
	EntriesPerRow     float64 // kernel entries that the fit evaluates
	Shift             float64
	Seconds           lab.Figure // of the fit, alone on the machine; NaN if it was not
}

// A group of fits is measured together. It is as many as memory has room for, and
// mostModels at most: an interrupted run loses the group that was not measured.
const (
	groupBytes = 4 << 30
	mostModels = 120
)

// measurement is a problem under way.
type measurement struct {
	problem
	options *options
	x       blas64.General
	src     stream.Source
	kernel  kernelgen.Kernel
	cache   *lab.Cache
}

// job is a fit, and what is found out about it.
type job struct {
	method
	c, seed int
	entries int64
	seconds float64
	fit     *lowrank.Fit // nil if it was refused
	refusal error
}

// measure returns the results of all fits that were asked for, from the cache or new.
func (p problem) measure(ctx context.Context, o *options, cache *lab.Cache) (*matrix, error) {
	x, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	k, err := p.resolved(x)
	if err != nil {
		return nil, err
	}
	m := &measurement{problem: p, options: o, x: x, src: stream.FromMatrix(p.data, x), kernel: k, cache: cache}
	all := &matrix{problem: p, text: k.String(), rows: x.Rows, columns: x.Cols}
	if all.floors, err = m.floors(ctx); err != nil {
		return nil, err
	}
	jobs, err := m.missing(all)
	for err == nil && len(jobs) > 0 {
		group := jobs[:m.group(jobs)]
		jobs = jobs[len(group):]
		err = m.measureGroup(ctx, group, all)
	}
	slices.SortStableFunc(all.results, func(a, b result) int { return cmp.Compare(a.Seed, b.Seed) })
	return all, err
}

func (m *measurement) key(method string, c, seed int) string {
	return fmt.Sprintf("%s %d rows %s: %s c=%d seed=%d", m.data, m.x.Rows, m.word, method, c, seed)
}

// missing adds the results that are known and returns the fits that are not, seed by seed.
func (m *measurement) missing(all *matrix) ([]*job, error) {
	var jobs []*job
	for seed := 1; seed <= m.options.seeds; seed++ {
		for _, c := range m.ranks(m.options, m.x.Rows) {
			for _, method := range methods() {
				if !m.options.wants(method.name) || method.rows > 0 && m.x.Rows > method.rows {
					continue
				}
				known, ok, err := lab.Lookup[[]result](m.cache, m.key(method.name, c, seed))
				if err != nil {
					return nil, err
				}
				all.results = append(all.results, known...)
				if !ok {
					jobs = append(jobs, &job{method: method, c: c, seed: seed})
				}
			}
		}
	}
	return jobs, nil
}

// group returns how many of the jobs, at least one, are measured together. Each holds two
// embeddings of n×c numbers at most.
func (m *measurement) group(jobs []*job) int {
	bytes := 0
	for i, j := range jobs {
		bytes += 16 * m.x.Rows * j.c
		if i > 0 && bytes > groupBytes || i == mostModels {
			return i
		}
	}
	return len(jobs)
}

// measureGroup fits, measures the errors and keeps the results.
func (m *measurement) measureGroup(ctx context.Context, jobs []*job, all *matrix) error {
	began := time.Now()
	if err := m.fitAll(ctx, jobs); err != nil {
		return err
	}
	fitted := time.Now()
	if err := m.errors(ctx, jobs, all); err != nil {
		return err
	}
	progress("%s, to seed %d: %d fits %.1f s, their errors %.1f s", m.problem, jobs[len(jobs)-1].seed, len(jobs),
		fitted.Sub(began).Seconds(), time.Since(fitted).Seconds())
	return nil
}

// fitAll fits. The first seed is timed: its fits run alone, with all processors. The
// others run side by side, one processor each, since small algebra takes no more.
func (m *measurement) fitAll(ctx context.Context, jobs []*job) error {
	var untimed []*job
	for _, j := range jobs {
		if j.seconds = math.NaN(); j.seed > 1 {
			untimed = append(untimed, j)
			continue
		}
		began := time.Now()
		m.fit(ctx, stream.Engine{}, j)
		j.seconds = time.Since(began).Seconds()
		if j.refusal != nil {
			progress("%s: %s: %v", m.problem, j.name, j.refusal)
		}
	}
	return stream.Each(ctx, 0, len(untimed), func(i int) error {
		m.fit(ctx, stream.Engine{Threads: 1}, untimed[i])
		return ctx.Err()
	})
}

// fit runs a method. A refusal is a result too: some methods are for some kernels only.
func (m *measurement) fit(ctx context.Context, e stream.Engine, j *job) {
	j.fit, j.refusal = j.of(j.c, uint64(j.seed)).Fit(ctx, e, model.Sources{Left: m.src}, m.kernel)
}

// unshifted returns a model without its shift, U·diag(values + shift)·Uᵀ, with the same
// embedding.
func unshifted(model *lowrank.Model) *lowrank.Model {
	u := *model
	u.Values, u.Shift = slices.Clone(model.Values), 0
	for i := range u.Values {
		u.Values[i] += model.Shift
	}
	return &u
}

// errors measures those of all fits, one after the other.
func (m *measurement) errors(ctx context.Context, jobs []*job, all *matrix) error {
	for _, j := range jobs {
		var rows []result
		if j.fit != nil {
			v, err := m.verify(ctx, j.fit.Model)
			if err != nil {
				return err
			}
			rows = append(rows, j.result(m.x.Rows, v))
		}
		if j.fit != nil && j.unshifted != "" {
			v, err := m.verify(ctx, unshifted(j.fit.Model))
			if err != nil {
				return err
			}
			rows = append(rows, j.unshiftedResult(m.x.Rows, v))
		}
		if err := m.cache.Put(m.key(j.name, j.c, j.seed), rows); err != nil {
			return err
		}
		all.results = append(all.results, rows...)
	}
	return nil
}

// verify measures the error of one model.
func (m *measurement) verify(ctx context.Context, of *lowrank.Model) (*model.Verification, error) {
	return of.Verify(ctx, stream.Engine{}, model.Sources{Left: m.src}, m.sample(), 1)
}

// result returns what was found out about a fit of n rows.
func (j *job) result(n int, v *model.Verification) result {
	return result{Method: j.name, C: j.c, Seed: j.seed,
		Spectral: lab.Figure(v.SpectralError), Frobenius: lab.Figure(v.FrobeniusError),
		SpectralEstimate:  lab.Figure(j.fit.EstimateIn(lowrank.NormSpectral)),
		FrobeniusEstimate: lab.Figure(j.fit.EstimateIn(lowrank.NormFrobenius)),
		Rank:              len(j.fit.Values), EntriesPerRow: float64(j.fit.KernelEntries) / float64(n),
		Shift: j.fit.Shift, Seconds: lab.Figure(j.seconds)}
}

// unshiftedResult returns that of the same fit without its shift, which has no estimates.
func (j *job) unshiftedResult(n int, v *model.Verification) result {
	r := j.result(n, v)
	none := lab.Figure(math.NaN())
	r.Method, r.Shift, r.SpectralEstimate, r.FrobeniusEstimate = j.unshifted, 0, none, none
	return r
}
