package ridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// pool is a uniform sample of the rows of positive weight, with their targets, weights and groups.
type pool struct {
	*basis.Panel
	known    responses
	whole    bool   // it contains all rows of positive weight
	oneGroup string // the common group of all its rows, "" if there are several
}

// landmarksOfPool is the smallest ratio of pool rows to landmarks when landmarks are drawn by weight.
const landmarksOfPool = 2

// gather fetches the landmarks and the scoring sample. In between, it computes the reference of the targets, races the
// kernels, whitens the landmarks under each remaining kernel, and assigns the folds.
func (f *fit) gather(ctx context.Context) error {
	landmarks, drawn, err := f.draw(ctx)
	if err != nil {
		return err
	}
	if err := f.settleClasses(drawn); err != nil {
		return err
	}
	if f.data.Classes == nil {
		f.columns.refer = newReference(drawn.known.outputs, drawn.known.weight)
		drawn.known.measure(f.columns.refer)
	}
	if err := f.race(ctx, landmarks, drawn); err != nil {
		return err
	}
	return f.prepare(ctx, landmarks, drawn)
}

// prepare whitens the landmarks under each kernel, assigns the folds, and takes the scoring sample from the pool.
func (f *fit) prepare(ctx context.Context, landmarks *basis.Panel, drawn *pool) error {
	most := 0
	for _, c := range f.candidates {
		if err := c.whiten(ctx, landmarks); err != nil {
			return err
		}
		most = max(most, c.upper.Cols)
	}
	if err := f.deal(drawn, most); err != nil {
		return err
	}
	scored, err := sketch.NewSample(int64(drawn.Count()), min(drawn.Count(), f.scoreRows()), f.Seed, "scores of the pool")
	if err != nil {
		return err
	}
	var left []int
	for _, i := range scored.Positions() {
		if f.folds.part(drawn.known.group[i]) < f.folds.tested {
			left = append(left, int(i))
		}
	}
	f.sample, f.known = basis.NewPanel(drawn.Rows, drawn.Number, nil), drawn.known
	if len(left) < drawn.Count() {
		f.sample, f.known = drawn.Pick(left), drawn.known.pick(left)
	}
	return nil
}

// draw draws the landmarks and the pool, of [Solver.ScoreRows] rows or more: see poolRows. Without weights, landmarks
// are a uniform sample. With weights, they are drawn from the pool, where a row of weight k counts as k copies.
func (f *fit) draw(ctx context.Context) (landmarks *basis.Panel, drawn *pool, err error) {
	weighted := f.columns.weights >= 0
	size := int(f.poolRows(weighted))
	sample, err := sketch.NewSample(f.rows, size, f.Seed, "scores")
	if err != nil {
		return nil, nil, err
	}
	sets := []basis.Set{{Numbers: sample.Positions(), Kept: true}}
	if !weighted {
		uniform, err := sketch.NewSample(f.rows, f.most(f.rows), f.Seed, "landmarks")
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, basis.Set{Numbers: uniform.Positions()})
	}
	panels, err := basis.Gather(ctx, f.data.Rows, sets...)
	if err != nil {
		return nil, nil, err
	}
	drawn = &pool{Panel: panels[0], whole: int64(size) == f.rows}
	numbers := input.Numbers{List: panels[0].Number}
	if err := f.columns.read(&drawn.known, panels[0].Kept, panels[0].Count(), numbers); err != nil {
		return nil, nil, err
	}
	drawn.oneGroup = f.columns.groupOf(panels[0].Kept, &drawn.known)
	if !weighted {
		return panels[1], drawn, nil
	}
	if err := f.dropAbsent(drawn); err != nil {
		return nil, nil, err
	}
	chosen, err := f.byWeight(drawn.known.rowWeight)
	if err != nil {
		return nil, nil, err
	}
	return drawn.Pick(chosen), drawn, nil
}

// poolRows returns the number of rows drawn for the pool.
func (f *fit) poolRows(weighted bool) int64 {
	size := int64(f.scoreRows())
	if weighted {
		size = max(size, landmarksOfPool*int64(f.landmarks))
	}
	return min(max(0, f.rows), size)
}

// dropAbsent removes rows of weight 0 from the pool. If the pool is whole, it renumbers the others from 0 for the
// folds, so the fit equals one without the removed rows.
func (f *fit) dropAbsent(drawn *pool) error {
	weighing, all := drawn.known.weighing(), drawn.Count()
	if len(weighing) == 0 {
		return stream.NewDataError(f.data.Rows.Info().Name, "all weights are 0, of %d rows that were drawn", all).
			WithRemedy("leave rows with weight 0 out of the data")
	}
	drawn.Panel, drawn.known = drawn.Keep(weighing), drawn.known.pick(weighing)
	if drawn.whole && len(weighing) < all && f.columns.foldBy < 0 {
		f.columns.present = drawn.Number
		for i := range weighing {
			drawn.known.group[i] = uint64(i)
		}
	}
	return nil
}

// byWeight draws landmarks with probability proportional to weights, without replacement: it keeps the earliest of
// exponential clocks with the weights as rates. Rows of equal weight are drawn as without weights.
func (f *fit) byWeight(weights []float64) (places []int, err error) {
	count := min(len(weights), f.landmarks)
	if slices.Min(weights) == slices.Max(weights) {
		uniform, err := sketch.NewSample(int64(len(weights)), count, f.Seed, "landmarks")
		if err != nil {
			return nil, err
		}
		for _, place := range uniform.Positions() {
			places = append(places, int(place))
		}
		return places, nil
	}
	random, times := sketch.NewRandom(f.Seed, "landmarks by weight"), make([]float64, len(weights))
	for i, w := range weights {
		draws := random.At(uint64(i))
		times[i] = math.Log(-math.Log1p(-draws.Float64())) - math.Log(w)
		places = append(places, i)
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	return places[:count], nil
}

// settleClasses recounts classes found without the weights, if the pool is whole. It fails if fewer than two remain.
func (f *fit) settleClasses(drawn *pool) error {
	if f.data.Classes == nil || f.data.Weights == "" {
		return nil
	}
	if drawn.whole && f.data.Classes.sums == nil {
		d := *f.data
		d.Classes = d.Classes.countIn(&drawn.known)
		f.data, f.columns.Data = &d, &d
		if f.columns.balance != nil {
			f.columns.balanceBy(d.Classes.masses())
			f.columns.balanceRows(&drawn.known)
		}
	}
	return f.data.Classes.check(f.data.Rows.Info().Name)
}

// whiten makes the features of a candidate and drops linearly dependent landmarks. It fails if K(J, J) is indefinite.
func (c *candidate) whiten(ctx context.Context, landmarks *basis.Panel) error {
	t, err := tiles.New(c.kernel, false)
	if err != nil {
		return err
	}
	c.features = &basis.Map{Tiles: t}
	own := basis.NewPanel(landmarks.Rows, landmarks.Number, nil) // packed for this kernel
	c.features.Landmarks, c.upper, err = basis.Whiten(ctx, c.engine, t, own)
	if errors.Is(err, basis.ErrNotDefinite) {
		const what = "kernel %s is not positive semi-definite between the landmarks: regression needs one that is"
		return fmt.Errorf(what, c.kernel)
	}
	if err == nil {
		c.centerAtLandmarks()
	}
	return err
}

// centerAtLandmarks computes the column means of K(J, J) and of the features of the landmarks, the rows of Uᵀ.
func (c *candidate) centerAtLandmarks() {
	p := c.upper.Cols
	c.origin, c.center = make([]float64, p), make([]float64, p)
	for i := range p {
		c.origin[i] = dense.Sum(matrix.Row(c.upper, i)[i:]) / float64(p)
	}
	for i, v := range c.origin {
		matrix.Axpy(v, matrix.Row(c.upper, i)[i:], c.center[i:])
	}
}

// centerEntries subtracts the column means of K(J, J) from kernel entries between rows and landmarks.
func (c *candidate) centerEntries(entries blas64.General) {
	for i := range entries.Rows {
		matrix.Axpy(-1, c.center, matrix.Row(entries, i))
	}
}
