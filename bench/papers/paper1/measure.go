package paper1

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// mostModels is how many models are measured together at most: beyond it the
// kernel entries of a pass are few beside the products, and a run that is cut
// loses what was fitted and not measured.
const mostModels = 120

// measurement is a problem under way.
type measurement struct {
	problem
	options *options
	x       blas64.General
	src     stream.Source
	kernel  kernelgen.Kernel
	found   *results

	mu     sync.Mutex
	failed map[string]bool // fits that were refused, and told of
}

// job is a fit, and what is found out about it.
type job struct {
	method
	result
	models []*lowrank.Model // none if it was refused; two with method.unshifted
}

// run measures what is missing, seed by seed.
func (p problem) run(ctx context.Context, o *options, found *results, floors *floors) error {
	x, err := p.load(ctx)
	if err != nil {
		return err
	}
	k, err := p.resolved(x)
	if err != nil {
		return err
	}
	m := &measurement{problem: p, options: o, x: x, src: stream.FromMatrix(p.data, x), kernel: k, found: found, failed: map[string]bool{}}
	if p.data != uniform {
		if err := floors.add(ctx, m); err != nil {
			return err
		}
	}
	for jobs := m.missing(); len(jobs) > 0; {
		n := m.together(jobs)
		if err := m.runJobs(ctx, jobs[:n]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// missing returns the fits that there are no results of.
func (m *measurement) missing() []*job {
	n := m.x.Rows
	var jobs []*job
	for seed := 1; seed <= max(fullSeeds, m.options.seeds); seed++ { // each method has its own number of them
		for _, c := range m.ranks(m.options, n) {
			for _, method := range m.options.chosen(methods()) {
				k := key{Data: m.data, Rows: n, Word: m.problem.kernel, Method: method.name, C: c, Seed: seed}
				if seed <= m.seeds(m.options, method, n, c) && (method.rows == 0 || n <= method.rows) && !m.found.seen[k] {
					jobs = append(jobs, &job{method: method, result: result{key: k, Dimension: m.x.Cols, Kernel: m.kernel.String()}})
				}
			}
		}
	}
	return jobs
}

// together returns how many of the jobs, at least one, are measured together: as many
// as memory has room for the embeddings of their models, two of n×c each at most.
func (m *measurement) together(jobs []*job) int {
	bytes := int64(0)
	for i, j := range jobs {
		bytes += 16 * int64(j.Rows) * int64(j.C)
		if i > 0 && bytes > m.options.memory || i == mostModels {
			return i
		}
	}
	return len(jobs)
}

// runJobs fits, measures the errors and writes the rows down.
func (m *measurement) runJobs(ctx context.Context, jobs []*job) error {
	began := time.Now()
	if err := m.fitAll(ctx, jobs); err != nil {
		return err
	}
	fitted := time.Now()
	rows, steps, err := m.measure(ctx, jobs)
	if err != nil {
		return err
	}
	progress("%s, to seed %d: %d fits %.1f s, their errors %.1f s (up to %d steps)", m.problem, jobs[len(jobs)-1].Seed, len(jobs),
		fitted.Sub(began).Seconds(), time.Since(fitted).Seconds(), steps)
	return m.found.add(rows)
}

// fitAll fits. What is timed runs alone, with all processors: the first seed, and
// all for Figure 4. The others run side by side, one processor each, since much of
// a fit is the algebra of small matrices, which takes no more.
func (m *measurement) fitAll(ctx context.Context, jobs []*job) error {
	var untimed []*job
	for _, j := range jobs {
		if j.Seed > 1 && m.data != uniform {
			untimed = append(untimed, j)
			continue
		}
		began := time.Now()
		m.fit(ctx, stream.Engine{}, j)
		j.Seconds = time.Since(began).Seconds()
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(untimed) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				m.fit(ctx, stream.Engine{Threads: 1}, untimed[i])
				untimed[i].Seconds = math.NaN()
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// fit runs a method. A fit that is refused is told of, once for each method and
// reason, and left out: some are for some kernels only.
func (m *measurement) fit(ctx context.Context, e stream.Engine, j *job) {
	f, err := j.method.of(j.C, uint64(j.Seed)).Fit(ctx, e, model.Sources{Left: m.src}, m.kernel)
	if err != nil {
		m.refuse(fmt.Sprintf("%s: %s: %v", m.problem, j.Method, err))
		return
	}
	j.EntriesPerRow = float64(f.KernelEntries) / float64(j.Rows)
	j.Estimate, j.SpectralEstimate = f.EstimateIn(lowrank.NormFrobenius), f.EstimateIn(lowrank.NormSpectral)
	j.models = []*lowrank.Model{f.Model}
	if j.unshifted != "" {
		j.models = append(j.models, unshifted(f.Model))
	}
}

func (m *measurement) refuse(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.failed[reason] {
		progress("%s", reason)
	}
	m.failed[reason] = true
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

// measure measures the errors of what was fitted. steps is the most that one took.
func (m *measurement) measure(ctx context.Context, jobs []*job) (rows []result, steps int, err error) {
	var models []*lowrank.Model
	for _, j := range jobs {
		for i, model := range j.models {
			r := j.result
			if i > 0 {
				r.Method, r.Estimate, r.SpectralEstimate = j.unshifted, math.NaN(), math.NaN()
			}
			r.Rank, r.Shift = len(model.Values), model.Shift
			models, rows = append(models, model), append(rows, r)
		}
		j.models = nil
	}
	errors, err := lowrank.VerifyAll(ctx, stream.Engine{}, models, m.src, m.sample(m.options), 1)
	if err != nil {
		return nil, 0, err
	}
	for i, v := range errors {
		r := &rows[i]
		r.Spectral, r.Frobenius, r.Steps = v.SpectralError, v.FrobeniusError, v.Iterations
		if v.Rows < int64(r.Rows) {
			r.Sample = int(v.Rows)
		}
		steps = max(steps, v.Iterations)
	}
	return rows, steps, nil
}
