package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"

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
	notes   []string              // of the end
}

// chooseLandmarks is [Solver.choose], with the number of landmarks that the settings ask for.
func (s Solver) chooseLandmarks(ctx context.Context, e stream.Engine,
	d *Data, k kernelgen.Kernel) (*candidate, []KernelResult, *steps, error) {
	auto, found := s.Landmarks == AutoLandmarks, &steps{}
	for s = s.first(); ; s.Landmarks *= 2 {
		c, tried, err := s.choose(ctx, e, d, k)
		if err != nil || !auto {
			return c, tried, found, err
		}
		found.errors = append(found.errors, model.LandmarkError{Landmarks: c.upper.Cols,
			Error: math.Sqrt(c.lowest / float64(c.outputs))})
		end, err := s.ends(e, d.Size(), k, found)
		if err != nil || end {
			return c, tried, found, err
		}
		found.entries += c.entries()
	}
}

// ends reports whether a step is the last, and notes why if the error still falls.
func (s Solver) ends(e stream.Engine, shape model.Size, k kernelgen.Kernel, found *steps) (bool, error) {
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
