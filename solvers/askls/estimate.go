package askls

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// How far the low-rank engine is from the exact machine is estimated on a trial: some of
// the samples, from m of which both machines learn to decide on the others. m samples
// stand for n of them: with c² = n/m
//
//	    [ 0    0    c1ᵀ   0  ]           [ 0]
//	M = [ 0    0    0     c1ᵀ]   M·x  =  [ 0]      f_s(x) = c·Σ b_i·K(x, x_i) + b₁
//	    [ c1   0    I/γ   c²K]           [cy]
//	    [ 0    c1   c²Kᵀ  I/γ]           [cy]
//
// has about the eigenvalues of the whole system, and so γ, the ridge and what the
// approximation leaves out weigh as much as in the whole. Noise in the labels weighs more.
//
// The samples that are decided on are no landmarks. Where nearly all samples are, those
// that learn become the landmarks of an approximation anew.

// A singular value that is close to 1/γ makes functions of any size, and how close it is
// differs from that of the part. So c is changed a little, until the eigenvalue of the
// approximate M of the part that has the place of the one nearest to 0 of the whole is as
// near. What the exact M has there still varies: the trial is made with some values of m,
// whose median counts.

// trialSamples is how many samples are looked at, at most, and trialShare how many of
// them learn for one that is decided on. trialParts are the parts of them for the values
// of m.
const (
	trialSamples = 1000
	trialShare   = 7
)

var trialParts = []float64{1, 0.85, 0.7}

// An eigenvalue counts as near to 0 up to near/γ. mostNearer is by what c is multiplied or
// divided at most.
const (
	near       = 0.5
	mostNearer = 1.4
)

// trial is under way.
type trial struct {
	*lowRank
	ridge         float64
	part          *ksvd.Part
	y             blas64.General // targets of the part
	train, decide []int          // places in the part
	again         bool           // the approximation is made of those that learn
	c             float64        // see above
}

// estimate adds to the report how far the functions are from those of the exact machine.
func (l *lowRank) estimate(ctx context.Context, s *solution) error {
	if l.targets.Rows <= trialShare {
		return nil
	}
	t, err := l.newTrial(ctx, s.ridge)
	if err != nil {
		return err
	}
	var errors []float64
	for _, part := range trialParts {
		e, err := t.with(int(part * float64(len(t.train)))).run(ctx)
		if err != nil {
			s.report.Note(fmt.Sprintf("the error of the %s is not known: a trial of both machines ends with: %v", decisionValues, err))
			return context.Cause(ctx)
		}
		errors = append(errors, e)
	}
	e := model.Estimate{Of: decisionValues, Value: median(errors), From: fmt.Sprintf("both machines on %d of the samples", t.y.Rows)}
	e.Remedy = l.remedy(e.Value)
	s.report.Estimate(e)
	return nil
}

// median returns that of an odd number of values.
func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// with returns the trial with m samples that learn.
func (t *trial) with(m int) *trial {
	c := *t
	c.train = t.train[:max(1, m)]
	c.c = math.Sqrt(float64(t.targets.Rows) / float64(len(c.train)))
	return &c
}

// run lets both machines learn and decide, and returns how far they are apart.
func (t *trial) run(ctx context.Context) (_ float64, err error) {
	values, u, v := t.k.Values, t.part.U, t.part.V
	if t.again {
		if values, u, v, err = t.part.Again(ctx, t.train, t.Rank, t.Seed); err != nil {
			return 0, err
		}
	}
	m, err := t.approximate(values, u, v)
	if err != nil {
		return 0, err
	}
	exact, err := t.exact()
	if err != nil {
		return 0, err
	}
	fresh := dense.PickRows(u, t.decide)
	dense.ScaleRows(fresh, dense.Pick(t.part.NewScale, t.decide))
	return distance(t.merged(exact), t.merged(m.on(fresh, dense.PickRows(v, t.decide)))), nil
}

// newTrial draws the samples.
func (l *lowRank) newTrial(ctx context.Context, ridge float64) (*trial, error) {
	t := &trial{lowRank: l, ridge: ridge}
	train, decide := t.draw()
	both := slices.Concat(train, decide)
	slices.Sort(both)
	place := func(numbers []int64) []int {
		at := make([]int, len(numbers))
		for i, n := range numbers {
			at[i], _ = slices.BinarySearch(both, n)
		}
		return at
	}
	var err error
	if t.part, err = l.k.Part(ctx, l.engine, both); err != nil {
		return nil, err
	}
	t.train = place(train)
	t.decide = slices.DeleteFunc(place(decide), func(i int) bool { return math.IsInf(t.part.NewScale[i], 0) })
	t.y = stream.NewMatrix(len(both), l.targets.Cols)
	for i, n := range both {
		copy(dense.Row(t.y, i), dense.Row(l.targets, int(n)))
	}
	return t, nil
}

// draw returns the numbers of samples that learn and of others to decide on.
func (t *trial) draw() (train, decide []int64) {
	n := t.targets.Rows
	size := min(n, trialSamples)
	held := size / (trialShare + 1)
	drawn := sketch.NewRandom(t.Seed, "askls estimate").Choose(int64(n), min(n, 2*size))
	for _, i := range drawn {
		_, left := slices.BinarySearch(t.k.Left.Rows, i)
		_, right := slices.BinarySearch(t.k.Right.Rows, i)
		switch {
		case !left && !right && len(decide) < held:
			decide = append(decide, i)
		case len(train) < size-held:
			train = append(train, i)
		}
	}
	if len(decide) < held/2 {
		t.again, train, decide = true, drawn[held:size], drawn[:held]
	}
	return train, decide
}

// exact returns f_s and f_t of the samples to decide on by the exact machine.
func (t *trial) exact() (blas64.General, error) {
	m, k := len(t.train), t.y.Cols
	fromTrain := dense.PickRows(t.part.G, t.train)
	kernel, y := dense.PickColumns(fromTrain, t.train), dense.PickRows(t.y, t.train)
	dense.ScaleRows(kernel, filled(m, t.c*t.c))
	dense.ScaleRows(y, filled(m, t.c))
	f, _, err := factorOr(bordered(kernel, filled(m, t.c), filled(m, t.c), t.Gamma), t.ridge)
	if err != nil {
		return blas64.General{}, err
	}
	solved, _ := f.solve(rightSide(y))
	x := partsOf(solved)
	out := stream.NewMatrix(len(t.decide), 2*k)
	for i := range out.Rows {
		copy(dense.Row(out, i), x.b1)
		copy(dense.Row(out, i)[k:], x.b2)
	}
	sources := dense.PickColumns(dense.PickRows(t.part.G, t.decide), t.train)
	dense.ScaleRows(sources, dense.Pick(t.part.NewScale, t.decide))
	dense.Gemm(blas.NoTrans, blas.NoTrans, t.c, sources, x.b, 1, dense.Columns(out, 0, k))
	dense.Gemm(blas.Trans, blas.NoTrans, t.c, dense.PickColumns(fromTrain, t.decide), x.a, 1, dense.Columns(out, k, k))
	return out, nil
}

// approximate returns the machine of U·diag(values)·Vᵀ, and decides on c.
func (t *trial) approximate(values []float64, u, v blas64.General) (*machine, error) {
	source, err := t.factor(u)
	if err != nil {
		return nil, err
	}
	target, err := t.factor(v)
	if err != nil {
		return nil, err
	}
	core, err := newCore(source, target, values, t.Gamma)
	for range 2 { // since the borders do not grow as the rest does
		if err != nil {
			return nil, err
		}
		by := t.nearer(core.values)
		if by == 1 {
			break
		}
		t.c *= by
		dense.ScaleRows(source, filled(source.Rows, by))
		dense.ScaleRows(target, filled(target.Rows, by))
		core, err = newCore(source, target, values, t.Gamma)
	}
	if err != nil {
		return nil, err
	}
	m := &machine{}
	m.weights[0], m.weights[1], m.biases = core.functions(t.ridge)
	return m, nil
}

// nearer returns by what to multiply c for an eigenvalue of the part to come as near to 0 as
// the nearest of the whole; 1 where that is not near, or where it is much: the two are too
// different then.
func (t *trial) nearer(values []float64) float64 {
	place := 1 // from the last on: values are descending
	for i := range t.values {
		if math.Abs(t.values[len(t.values)-1-i]) < math.Abs(t.values[len(t.values)-place]) {
			place = i + 1
		}
	}
	whole := t.values[len(t.values)-place] * t.Gamma
	if math.Abs(whole) > near || place > len(values) {
		return 1
	}
	by := math.Sqrt((1 - whole) / (1 - values[len(values)-place]*t.Gamma)) // of singular values
	if !(by > 1/mostNearer && by < mostNearer) {
		return 1
	}
	return by
}

// on returns f_s and f_t of samples with the singular functions u and v.
func (m *machine) on(u, v blas64.General) blas64.General {
	k := len(m.biases[0])
	out := stream.NewMatrix(u.Rows, 2*k)
	for i := range u.Rows {
		m.decide(dense.Row(out, i)[:k], dense.Row(u, i), 0)
		m.decide(dense.Row(out, i)[k:], dense.Row(v, i), 1)
	}
	return out
}

// factor returns the triangular factor of c·[1 u y] of the samples that learn.
func (t *trial) factor(u blas64.General) (blas64.General, error) {
	panel := stream.NewMatrix(len(t.train), 1+u.Cols+t.y.Cols)
	for i, at := range t.train {
		row := dense.Row(panel, i)
		row[0] = 1
		copy(row[1:], dense.Row(u, at))
		copy(row[1+u.Cols:], dense.Row(t.y, at))
	}
	dense.ScaleRows(panel, filled(panel.Rows, t.c))
	q := sketch.NewQR(panel.Cols)
	err := q.Add(panel)
	return q.R(), err
}

// merged returns the decisions; of stacked functions, which a regression scales anew,
// the functions themselves.
func (t *trial) merged(both blas64.General) blas64.General {
	if t.Merge == MergeStack {
		return both
	}
	out := stream.NewMatrix(both.Rows, t.y.Cols)
	(&Model{Classes: t.y.Cols, Merge: t.Merge}).Decide(out, both)
	return out
}

// decisionValues is what estimates are of.
const decisionValues = "decision values"

// distance returns ‖a−b‖ relative to the larger of ‖a‖ and ‖b‖ without the means of their
// columns, all norms Frobenius: at most 2 or so but for the means, about 1 where the two have
// nothing in common.
func distance(a, b blas64.General) float64 {
	difference := dense.Clone(a)
	for i := range a.Rows {
		dense.Axpy(-1, dense.Row(b, i), dense.Row(difference, i))
	}
	d, all := dense.Frobenius(difference), max(spread(a), spread(b))
	if d == 0 {
		return 0
	}
	return d / all
}

// spread returns the Frobenius norm without the means of columns.
func spread(m blas64.General) float64 {
	c := dense.Clone(m)
	dense.CentreColumns(c)
	return dense.Frobenius(c)
}

// remedy says what brings an error below a tenth.
func (l *lowRank) remedy(e float64) string {
	if !(e >= 0.1) {
		return ""
	}
	exact := "use `engine iterative` or `engine dense`"
	if l.targets.Rows > iterativeSamples {
		exact = "learn from fewer samples with `engine iterative`"
	}
	rank, known := rankFor(l.k.Values, e/0.1)
	if !known || rank > l.targets.Rows/2 {
		return exact
	}
	return fmt.Sprintf("try `rank %d`, as the decay of singular values has it, or %s", rank, exact)
}

// rankFor returns the rank at which singular values would be smaller by a factor than the
// last of those known, if they go on to fall as the second half of them does, as a power
// of their number.
func rankFor(values []float64, factor float64) (rank int, known bool) {
	r := len(values)
	if r < 4 {
		return 0, false
	}
	decay := math.Log(values[r/2-1]/values[r-1]) / math.Log(float64(r)/float64(r/2))
	v := float64(r) * math.Pow(factor, 1/decay)
	if !(decay > 0) || v > 1e6 {
		return 0, false
	}
	scale := math.Pow(10, math.Floor(math.Log10(v))-1) // two digits, rounded up
	return int(math.Ceil(v/scale) * scale), true
}
