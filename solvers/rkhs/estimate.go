package rkhs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// How far the features of landmarks, or random ones, let values and functions be from the
// exact ones is measured on a sample of the pairs: the operator of the sample is decomposed
// exactly, with features of landmarks that have the moments of all pairs (see matched.go), and
// compared with the fit. Where that cannot be, it is decomposed with the features of the sample
// too.

// From how many pairs an error is estimated, and from how many at least for each feature: fewer
// where the operator of the sample needs the span of all its features.
const (
	estimatePairs    = 1000
	estimateEach     = 1.5
	estimateSpanned  = 400
	estimateFarthest = 500
)

// distances are how far one decomposition is from another. values is the largest difference of
// two leading values, relative to the largest value; functions the root mean square of the
// sines of the angles between the spans of leading functions, as vectors of their values at
// the pairs: of the left or of the right ones, whichever is larger.
type distances struct{ values, functions float64 }

// How well the operator of the sample is decomposed, and about how many numbers that takes for a
// pair besides 40 for each function.
const (
	estimateNumbers   = 1500
	estimateTolerance = 1e-6
	estimateSolve     = 1e-8
	// Of the iterations for a system, and for all functions: what takes longer is not known.
	estimateIterations = 300
	estimateRounds     = 60
)

// estimatePasses returns about how many exact passes over the sample that takes.
func (s setting) estimatePasses() float64 {
	_, inverts := s.Operator.Regularisation()
	switch _, roots := s.Operator.(CCA); {
	case roots:
		return 500
	case inverts:
		return 100
	}
	return 30
}

// estimate adds to the fit what a sample says of the errors of its values and functions. That
// they cannot be estimated is no error of the fit.
func (s setting) estimate(ctx context.Context, e stream.Engine, d *Data, sp *spaces, m *moments, fit *Fit) error {
	if s.Operator.Traits().AllPairs {
		fit.Estimate(model.Estimate{Of: "values", Value: math.NaN(), From: "nothing: an operator of all pairs has no sample"})
		return nil
	}
	e.Run = nil // the passes are over rows in memory
	measure := s.bySample
	if !s.Random && s.supportsWhole() == nil {
		measure = s.byMatched
	}
	g, err := measure(ctx, e, d, sp, m, fit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	from := fmt.Sprintf("the exact operator of %d pairs", g.pairs)
	if err != nil {
		g.distances, from = distances{math.NaN(), math.NaN()}, fmt.Sprintf("nothing: of %d pairs, %v", g.pairs, err)
	}
	for i, of := range []string{"values", "functions"} {
		off, from := []float64{g.values, g.functions}[i], from
		if doubt := g.doubts[i]; doubt != "" && err == nil {
			from += ", and " + doubt
		}
		fit.Estimate(model.Estimate{Of: of, Value: off, From: from, Remedy: s.remedy(off, d.n, sp, m)})
	}
	return nil
}

// guess is what a sample says, and why it may not be so.
type guess struct {
	distances
	pairs  int64
	doubts [2]string // of values and of functions
}

// bySample measures on a sample as it is.
func (s setting) bySample(ctx context.Context, e stream.Engine, d *Data, sp *spaces, m *moments, _ *Fit) (*guess, error) {
	pairs := s.pairsOfEstimate(0)
	if s.supportsWhole() != nil {
		pairs = estimateSpanned
	}
	g, err := s.byPairs(ctx, d, m, pairs, pairs/2, func(sample *Data) (distances, error) { return s.measure(ctx, e, sample, sp) })
	if ridge, inverts := s.Operator.Regularisation(); inverts && ridge*float64(d.n) < 1 {
		const why = "may be far too low: `ridge` is below 1 over the number of pairs"
		g.doubts = [2]string{why, why}
	}
	return g, err
}

// byMatched measures on a sample with features that have the moments of all pairs.
func (s setting) byMatched(ctx context.Context, e stream.Engine, d *Data, sp *spaces, m *moments, fit *Fit) (*guess, error) {
	features := m.A.Cols()
	pairs := s.pairsOfEstimate(features)
	fewer := max(pairs/2, int(fewestEach*float64(features)))
	return s.byPairs(ctx, d, m, pairs, fewer, func(sample *Data) (off distances, err error) {
		matched, err := s.match(ctx, e, sample, sp, m)
		if err != nil {
			return off, err
		}
		off, entries, err := s.against(ctx, e, sample, matched, fit)
		sp.entries += entries
		return off, err
	})
}

// pairsOfEstimate returns from how many pairs errors are estimated, for so many features.
func (s setting) pairsOfEstimate(features int) int {
	return max(cmp.Or(s.estimatePairs, estimatePairs), int(estimateEach*float64(features)))
}

// As long as what the features leave of a sample is noise that the exact operator of so few pairs
// is fitted to, an estimate falls with the pairs. It is followed on from fewer of them over the
// sample towards all pairs. Where that changes it much it is left as it is, and not trusted.
const (
	fewestEach    = 1.25 // pairs for each feature
	trustedFactor = 1.5
	leastFollowed = 1e-6 // below it an estimate is rounding
	mostDoublings = 2    // of the pairs, over which an estimate is followed
)

// followed returns what an estimate becomes that fewer pairs gave, and then more of them, so many
// doublings apart, when it is followed over more doublings; and why not to trust that.
func followed(before, now, apart, ahead float64) (value float64, doubt string) {
	if math.Min(before, now) < leastFollowed {
		return now, ""
	}
	slope := math.Log(now/before) / apart
	value = now * math.Exp(ahead*math.Min(0, slope))
	switch change := math.Exp(ahead * slope); {
	case change > trustedFactor:
		return now, "may be far too low: it rises with the pairs"
	case change < 1/trustedFactor:
		return now, "may be far too high: it falls with the pairs"
	}
	return value, ""
}

// byPairs measures on a sample of the pairs, and on one of fewer unless it was of all.
func (s setting) byPairs(ctx context.Context, d *Data, m *moments, pairs, fewer int, measure func(sample *Data) (distances, error)) (*guess, error) {
	g := &guess{}
	on := func(pairs int) (distances, int64, error) {
		sample, err := d.sample(ctx, pairs, m.B.B, s.Seed)
		if err != nil {
			return distances{}, int64(pairs), err
		}
		off, err := measure(sample)
		return off, sample.n, err
	}
	var err error
	if g.distances, g.pairs, err = on(pairs); err != nil || g.pairs == d.n {
		return g, err
	}
	before, n, err := on(fewer)
	if err != nil {
		return g, err
	}
	apart := math.Log2(float64(g.pairs) / float64(n))
	ahead := math.Min(math.Log2(float64(d.n)/float64(g.pairs)), mostDoublings)
	g.values, g.doubts[0] = followed(before.values, g.values, apart, ahead)
	g.functions, g.doubts[1] = followed(before.functions, g.functions, apart, ahead)
	return g, nil
}

// measure returns how far the operator of a sample with features is from the exact one.
func (s setting) measure(ctx context.Context, e stream.Engine, sample *Data, sp *spaces) (distances, error) {
	m, err := s.pass(ctx, e, sample, sp)
	if err != nil {
		return distances{}, err
	}
	near := &Fit{}
	if err := s.decompose(ctx, e, sample, sp, m, near); err != nil {
		return distances{}, err
	}
	exact, err := s.exactly(ctx, e, sample)
	if err != nil {
		return distances{}, err
	}
	sp.entries += exact.KernelEntries
	return apart(ctx, e, sample, exact.Model, near.Model, s.Rank)
}

// exactly decomposes the operator of a sample: in the span of all features, which that of few
// pairs always is, else by expansions over its rows.
func (s setting) exactly(ctx context.Context, e stream.Engine, sample *Data) (*Fit, error) {
	s.Random, s.Engine, s.Landmarks = false, EngineExact, 2*estimateSpanned
	if sample.n > estimateSpanned {
		s.Landmarks = estimateSpanned
	}
	sp, err := s.newSpaces(ctx, e, sample)
	if errors.Is(err, errNotSpanned) && s.supportsWhole() == nil {
		w := s.newWhole(e, sample)
		w.tolerance, w.solveTolerance = estimateTolerance, estimateSolve
		if err := w.decompose(ctx); err != nil {
			return nil, err
		}
		w.report()
		return w.fit, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := s.pass(ctx, e, sample, sp)
	if err != nil {
		return nil, err
	}
	f := &Fit{}
	err = s.decompose(ctx, e, sample, sp, m, f)
	f.KernelEntries = sp.entries
	return f, err
}

// remedyError is what a remedy brings errors to.
const remedyError = 0.1

// remedy names landmarks that would do: the part of the traces that is left falls with each
// doubling as the spectra of the features have fallen, and errors with it.
func (s setting) remedy(off float64, pairs int64, sp *spaces, m *moments) string {
	if !(off > remedyError) {
		return ""
	}
	fall := math.Sqrt2 // of random features
	if !s.Random {
		f, _ := factorsOf(m, sp, false, 0)
		fall = fallOf(f.X, traceLeft(m, OfX))
		if sp.y != nil && !sp.one() {
			fall = math.Min(fall, fallOf(f.Y, traceLeft(m, OfY)))
		}
	}
	doublings := math.Max(1, math.Ceil(math.Log(off/remedyError)/math.Log(fall)))
	wanted := math.Ldexp(float64(s.Landmarks), int(math.Min(doublings, 30)))
	if !s.Random && wanted > float64(pairs)/4 || doublings > 6 {
		return fmt.Sprintf("take a wider kernel or `engine exact`: more landmarks than a quarter of the %d pairs would be wanted", pairs)
	}
	return fmt.Sprintf("raise `landmarks` to about %.0f", wanted)
}

// fallOf returns by how much the best subspace of half of the features leaves less of the trace
// than that of a quarter, at least by a little.
func fallOf(x blas64.General, left float64) float64 {
	values, err := dense.SingularValues(x)
	if err != nil {
		return math.Sqrt2
	}
	tail := func(from int) float64 {
		t := 0.0
		for _, v := range values[from:] {
			t += v * v
		}
		all := 0.0
		for _, v := range values {
			all += v * v
		}
		return t + all*left
	}
	if n := len(values); n >= 4 && tail(n/2) > 0 {
		return math.Max(1.1, tail(n/4)/tail(n/2))
	}
	return math.Sqrt2
}

// sample returns at most n pairs in memory: those of whose kernel the features leave most with
// the weights that they have, and a uniform sample that stands for all others.
func (d *Data) sample(ctx context.Context, n int, far *farthest, seed uint64) (*Data, error) {
	numbers, weights := d.stratified(n, far, seed)
	x, err := d.gather(ctx, OfX, numbers)
	if err != nil {
		return nil, err
	}
	out := &Data{x: stream.FromMatrix(d.x.Info().Name, x), n: int64(len(numbers))}
	if d.y != nil {
		y, err := d.gather(ctx, OfY, numbers)
		if err != nil {
			return nil, err
		}
		out.y = stream.FromMatrix(d.y.Info().Name, y)
	}
	return out.Weighted(weights)
}

// stratified returns the ascending numbers of the pairs of a sample, and their weights.
func (d *Data) stratified(n int, far *farthest, seed uint64) (numbers []int64, weights []float64) {
	weight := func(i int64) float64 { return d.rootWeight(i) * d.rootWeight(i) }
	own := map[int64]bool{}
	rest := 1.0
	if int64(n) < d.n {
		for _, p := range far.list[:min(len(far.list), n/2)] {
			own[p.pair] = true
			rest -= weight(p.pair)
		}
	}
	numbers = d.draw(n-len(own), seed, "estimate of errors")
	numbers = slices.DeleteFunc(numbers, func(i int64) bool { return own[i] })
	drawn := 0.0
	for _, i := range numbers {
		drawn += weight(i)
	}
	for i := range own {
		numbers = append(numbers, i)
	}
	slices.Sort(numbers)
	for _, i := range numbers {
		w := weight(i)
		if !own[i] && drawn > 0 {
			w *= math.Max(0, rest) / drawn
		}
		weights = append(weights, w)
	}
	return numbers, weights
}

// apart returns how far a model is from the exact one, at the pairs of data in memory.
func apart(ctx context.Context, e stream.Engine, d *Data, exact, m *Model, rank int) (distances, error) {
	out := distances{values: valuesApart(exact.Eigenvalues(), m.Eigenvalues(), rank)}
	t := m.Operator.Traits()
	if m.Task == Eigen {
		t.Range, t.Domain = OfX, OfX
	}
	for _, side := range []struct {
		of   Side
		a, b *Functions
	}{{t.Range, exact.Left, m.Left}, {t.Domain, exact.Right, m.Right}} {
		rows, err := stream.ReadAll(ctx, d.source(side.of))
		if err != nil {
			return out, err
		}
		a, err := side.a.span(ctx, e, rows, d)
		if err != nil {
			return out, err
		}
		b, err := side.b.span(ctx, e, rows, d)
		if err != nil {
			return out, err
		}
		out.functions = math.Max(out.functions, sineBetween(a, b))
	}
	return out, nil
}

// valuesApart pairs each of the leading exact values with the nearest that is left.
func valuesApart(exact, values []complex128, rank int) float64 {
	left, worst := slices.Clone(values), 0.0
	for _, v := range exact[:min(rank, len(exact))] {
		best := 0
		for i, u := range left {
			if cmplx.Abs(u-v) < cmplx.Abs(left[best]-v) {
				best = i
			}
		}
		off := cmplx.Abs(v)
		if len(left) > 0 {
			off = cmplx.Abs(left[best] - v)
			left = slices.Delete(left, best, best+1)
		}
		worst = math.Max(worst, off)
	}
	return worst / cmplx.Abs(exact[0])
}

// span returns an orthonormal basis of the values of functions at weighted rows.
func (f *Functions) span(ctx context.Context, e stream.Engine, rows blas64.General, d *Data) (blas64.General, error) {
	v, err := f.At(ctx, e, rows)
	if err != nil {
		return v, err
	}
	for i := range v.Rows {
		scaleBy(d.rootWeight(int64(i)), stream.RowSlice(v, i, 1))
	}
	return spanOf(v)
}

// spanOf returns an orthonormal basis of the span of columns, each of which counts as much as the
// others however long.
func spanOf(v blas64.General) (blas64.General, error) {
	v = dense.Clone(v)
	for j := range v.Cols {
		column := dense.Columns(v, j, 1)
		if norm := dense.Frobenius(column); norm > 0 {
			scaleBy(1/norm, column)
		}
	}
	s, err := dense.NewSVD(v)
	if err != nil {
		return v, err
	}
	return dense.Columns(s.U, 0, dense.Rank(s.S, 1e-9)), nil
}

// sineBetween returns the root mean square of the sines of the angles between the spans of
// orthonormal columns.
func sineBetween(a, b blas64.General) float64 {
	if a.Cols < b.Cols {
		a, b = b, a
	}
	if b.Cols == 0 {
		return 1
	}
	outside := dense.Clone(b)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, a, transposedTimes(a, b), 1, outside)
	return dense.Frobenius(outside) / math.Sqrt(float64(b.Cols))
}
