package ridge

import (
	"context"
	"slices"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

const (
	// The race uses one in racedShare landmarks, but at least leastRaced.
	racedShare = 4
	leastRaced = 250
	// At most mostFinal kernels are fitted with all landmarks: the best, and the second if its errors exceed those of
	// the best by at most finalErrors standard errors.
	mostFinal   = 2
	finalErrors = 2
)

// racing returns the number of landmarks of the race, 0 for no race. There is none for up to [correctedRows] rows,
// where the correction of errors compares all kernels.
func (f *fit) racing(pool int64, landmarks int) int {
	n := max(leastRaced, landmarks/racedShare)
	if len(f.candidates) < 2 || f.forMetric || pool <= correctedRows || 2*n > landmarks {
		return 0
	}
	return n
}

// race cross-validates all kernels with a quarter of the landmarks, on the rows of the pool. The finalists remain in f.
// A data error ends the race without a decision: the fit meets the error again, and judges it on all rows. Cost: for
// each kernel and m rows of the pool, m·ℓ/4 entries and m·ℓ²/8 flops; ℓ³/192 flops for each penalty and fold.
func (f *fit) race(ctx context.Context, landmarks *basis.Panel, drawn *pool) error {
	count := f.racing(int64(drawn.Count()), landmarks.Count())
	if count == 0 {
		return nil
	}
	some, err := sketch.NewSample(int64(landmarks.Count()), count, f.Seed, "landmarks of the race")
	if err != nil {
		return err
	}
	places := make([]int, count)
	for i, place := range some.Positions() {
		places[i] = int(place)
	}
	r := f.raceOf(drawn)
	all, err := r.run(ctx, landmarks.Pick(places), drawn)
	f.raced = r.entries()
	if err != nil {
		return context.Cause(ctx)
	}
	final := r.finalists(all)
	if len(final) == 0 {
		return nil
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool {
		leaves := !slices.Contains(final, c.place)
		if leaves {
			f.tried[c.place] = r.tried[c.place]
			f.tried[c.place].Lambda /= f.shareOf(drawn)
			f.tried[c.place].Raced = count
		}
		return leaves
	})
	return nil
}

// raceOf returns the fit of a race, on the rows of the pool.
func (f *fit) raceOf(drawn *pool) *fit {
	d := *f.data
	d.Rows = stream.FromMatrix(f.columns.info.Name, drawn.Rows)
	r := &fit{Solver: f.Solver, engine: stream.Engine{Threads: f.engine.Threads}, data: &d, columns: f.columns,
		rows: int64(drawn.Count()), outputs: f.outputs, tried: make([]KernelResult, len(f.tried))}
	r.Penalties = nil // penalties are those of f
	for _, lambda := range f.Penalties {
		r.Penalties = append(r.Penalties, lambda*f.shareOf(drawn))
	}
	for _, c := range f.candidates {
		r.enter(c.place, c.kernel)
	}
	r.read = func(k *responses, b *stream.Block) (input.Numbers, error) {
		*k = drawn.known.slice(int(b.Start), b.X.Rows)
		return input.Numbers{List: drawn.Number[b.Start:][:b.X.Rows]}, nil
	}
	return r
}

// shareOf returns the size of a pool as a fraction of the data. Penalties are proportional to the number of rows.
func (f *fit) shareOf(drawn *pool) float64 {
	if drawn.whole {
		return 1
	}
	return float64(f.poolRows(f.columns.weights >= 0)) / float64(f.rows)
}

// finisher is a kernel at its best penalty in a race, with the losses of the rows of the scoring sample.
type finisher struct {
	place   int // index of the kernel
	error   float64
	squares []float64
	wrong   []float64 // nil for targets
}

// run cross-validates all kernels. Kernels without a solvable penalty do not finish.
func (f *fit) run(ctx context.Context, landmarks *basis.Panel, drawn *pool) (all []finisher, err error) {
	if err := f.prepare(ctx, landmarks, drawn); err != nil {
		return nil, err
	}
	if err := f.pass(ctx); err != nil {
		return nil, err
	}
	for _, c := range f.candidates {
		if err := c.open(); err != nil {
			return nil, err
		}
		if err := c.search(ctx); err != nil {
			return nil, err
		}
		f.tried[c.place] = c.result()
		if c.best < 0 {
			continue
		}
		held, err := c.holdOut(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, finisher{c.place, c.lowest, c.rowSquares(held.predictions), held.wrong})
		c.grams, c.all, c.held = nil, nil, nil
	}
	return all, nil
}

// finalists returns the indices of the finalists, none if no kernel finished.
func (f *fit) finalists(all []finisher) (places []int) {
	o := choice{newClusters(&f.known), relativeWeights(f.known.weight)}
	var first finisher
	for len(all) > 0 && len(places) < mostFinal {
		squares, wrong := make([]float64, len(all)), make([][]float64, len(all))
		for i, k := range all {
			squares[i], wrong[i] = k.error, k.wrong
		}
		if all[0].wrong == nil {
			wrong = nil
		}
		next := o.best(squares, wrong)
		k := all[next]
		if len(places) == 0 {
			first = k
		}
		if o.within(finalErrors, k.squares, first.squares) && (wrong == nil || o.within(finalErrors, k.wrong, first.wrong)) {
			places = append(places, k.place)
		}
		all = slices.Delete(all, next, next+1)
	}
	return places
}
