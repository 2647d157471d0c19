package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// AutoLandmarks lets a fit find the number of landmarks: see [Solver.Landmarks].
const AutoLandmarks = -1

// A fit that finds the number of landmarks doubles it from firstLandmarks to mostLandmarks at most, while a doubling
// removes leastGain of the squared error out of fold.
const (
	firstLandmarks = 250
	mostLandmarks  = 4000
	leastGain      = 0.05
)

// first returns the solver of the first step if the fit finds the number of landmarks. All steps have the same folds,
// so that their errors can be compared.
func (s Solver) first() Solver {
	if s.Landmarks == AutoLandmarks {
		s.Landmarks, s.Folds = firstLandmarks, cmp.Or(s.Folds, defaultFolds)
	}
	return s
}

// steps are the fits that a number of landmarks was chosen by.
type steps struct {
	errors  []model.LandmarkError // relative, of all steps
	entries int64                 // kernel entries of the steps before the last
	passes  int                   // of the steps before the last
	notes   []string              // of the end
}

// finalists are the kernels, and the penalties around which a fit with twice the landmarks searches. Without a final
// kernel it searches all.
type finalists struct {
	tried []KernelResult // all kernels
	final []finisher
}

// kernels returns all kernels, nil without a final one.
func (l *finalists) kernels() (all []kernelgen.Kernel) {
	if l == nil || len(l.final) == 0 {
		return nil
	}
	for _, t := range l.tried {
		all = append(all, t.Kernel)
	}
	return all
}

// goOn drops all candidates but the finalists of the fit before.
func (f *fit) goOn(from *finalists) {
	if f.from = from; from.kernels() != nil {
		f.tried = slices.Clone(from.tried)
		f.keep(from.final)
	}
}

// next returns the finalists of a fit that chose c. If errors are corrected for the choice, there are none: the
// correction compares all kernels and penalties of the last fit.
func (c *candidate) next() *finalists {
	next := &finalists{tried: slices.Clone(c.tried)}
	for _, of := range c.candidates {
		next.tried[of.place].Raced = c.most(c.rows)
	}
	best := finisher{place: c.place, penalty: c.path[c.best].Lambda / c.norm}
	switch {
	case c.corrects(c.rows):
	case len(c.candidates) == 1:
		next.final = []finisher{best}
	default:
		next.final = c.finalists(c.finishers)
		for i, k := range next.final {
			if k.place == c.place {
				next.final[i].penalty = best.penalty // refined
			}
		}
	}
	return next
}

// chooseLandmarks is [Solver.choose], with the number of landmarks that the settings ask for.
func (s Solver) chooseLandmarks(ctx context.Context, e stream.Engine,
	d *Data, k kernelgen.Kernel) (*candidate, *steps, error) {
	found := &steps{}
	if s.Landmarks != AutoLandmarks {
		c, err := s.choose(ctx, e, d, k, nil)
		return c, found, err
	}
	from := &finalists{}
	for s = s.first(); ; s.Landmarks *= 2 {
		c, err := s.choose(ctx, e, d, k, from)
		if err != nil {
			return nil, nil, err
		}
		found.errors = append(found.errors, model.LandmarkError{Landmarks: c.upper.Cols,
			Error: math.Sqrt(c.lowest / float64(c.outputs))})
		from = c.next()
		end, err := s.ends(e, d.Size(), k, from, found)
		if err != nil || end {
			return c, found, err
		}
		found.entries += c.entries()
		found.passes += 1 + c.sampling
	}
}

// ends reports whether a step is the last, and notes why if the error still falls.
func (s Solver) ends(e stream.Engine, shape model.Size, k kernelgen.Kernel,
	from *finalists, found *steps) (bool, error) {
	n := len(found.errors)
	if int64(s.Landmarks) >= shape.Rows {
		return true, nil
	}
	if n > 1 {
		ratio := found.errors[n-1].Error / found.errors[n-2].Error
		if !(1-ratio*ratio >= leastGain) {
			return true, nil
		}
	}
	if s.Landmarks >= mostLandmarks {
		const note = "doubling ends at %d landmarks, though the error still falls: name more `Landmarks`"
		found.notes = append(found.notes, fmt.Sprintf(note, s.Landmarks))
		return true, nil
	}
	next := s
	next.Landmarks *= 2
	for i, f := range from.final {
		if i == 0 {
			k, next.Kernels = from.tried[f.place].Kernel, nil
		} else {
			next.Kernels = append(next.Kernels, from.tried[f.place].Kernel)
		}
	}
	p, err := next.Plan(e, shape, k)
	if err == nil && s.Memory > 0 && p.Memory.Total() > s.Memory {
		const note = "doubling ends at %d landmarks: twice as many do not fit into %d MiB; `Memory` sets the limit"
		found.notes = append(found.notes, fmt.Sprintf(note, s.Landmarks, s.Memory>>20))
		return true, nil
	}
	return false, err
}

// planAuto is the plan of the first step.
func (s Solver) planAuto(e stream.Engine, shape model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	p, err := s.first().Plan(e, shape, k)
	if err != nil {
		return nil, err
	}
	p.SetNotShardable("landmarks are doubled as passes go, by what they find; name a number of `Landmarks`")
	p.Notes = append(p.Notes,
		fmt.Sprintf("memory, passes and kernel entries are those of %d landmarks; the data decide", firstLandmarks))
	return p, nil
}
