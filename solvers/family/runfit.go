package family

import (
	"context"
	"slices"

	"github.com/nystream/nystream/solvers/model"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// RunFit calls fit with the arguments of a Fit and returns its results. The Fit of every method is a call of RunFit.
//
// When ctx ends, passes stop, but the decomposition of a large matrix cannot be interrupted. RunFit then returns the
// cause at once, and fit continues in the background until the decomposition is done: see [stream.RunOrAbandon]. Until
// then its memory stays in use, and d and everything the engine refers to must not be changed. RunFit returns a
// [*stream.OverBudgetError] if the plan of the method exceeds the memory of the engine.
//
// States of the passes are tied to the method and its parameters, the kernel and the facts of d; a [stream.StateError]
// refuses those of another fit. Notes to [stream.Engine.Note], such as those of [Resolve], are added to the report.
func RunFit[D model.Data, F any](ctx context.Context, e stream.Engine, method any, d D, k kernelgen.Kernel,
	fit func(context.Context, stream.Engine, D, kernelgen.Kernel) (*F, error)) (*F, error) {
	done := make(chan *F, 1)
	err := stream.RunOrAbandon(ctx, func(ctx context.Context) error {
		var notes []string
		if err := checkMemory(e, method, d, k); err != nil {
			return err
		}
		e := forFit(e, method, d, k)
		e.Note = func(sentence string) {
			if !slices.Contains(notes, sentence) {
				notes = append(notes, sentence)
			}
		}
		f, err := fit(ctx, e, d, k)
		if report, ok := any(f).(interface{ Note(...string) }); ok && err == nil {
			report.Note(notes...)
		}
		done <- f
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-done, nil
}

// checkMemory returns a [*stream.OverBudgetError] if the plan of a fit exceeds the memory of the engine.
func checkMemory(e stream.Engine, method any, d model.Data, k kernelgen.Kernel) error {
	m, plans := method.(interface {
		Plan(stream.Engine, model.Size, kernelgen.Kernel) (*model.Plan, error)
	})
	if e.Memory <= 0 || !plans {
		return nil
	}
	p, err := m.Plan(e, d.Size(), k)
	if err != nil {
		return err
	}
	return p.Memory.Check(e.Memory)
}

// addNotes adds sentences about adjustments to the report of the fit.
func addNotes(e stream.Engine, sentences ...string) {
	if e.Note == nil {
		return
	}
	for _, s := range sentences {
		e.Note(s)
	}
}
