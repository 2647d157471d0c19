package family

import (
	"context"
	"slices"

	"github.com/nystream/nystream/solvers/model"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Leave returns what fit returns for the other arguments, which are those of a Fit. When ctx
// ends, passes do, but a decomposition of a large matrix looks at no context: Leave returns
// the cause then and leaves fit behind, see [stream.Leave]. It ends by itself after the
// decomposition, and until then its memory is taken, and d and what the engine refers to
// must not be changed. The Fit of every method is a call of it. It returns a
// [*stream.OverBudgetError] if the plan of the method exceeds the memory of the engine.
//
// The states of its passes belong to the method with its parameters, the kernel and the facts of d: a
// [stream.StateError] refuses those of another fit. What is told to
// [stream.Engine.Note], such as by [Resolve], is added to its report.
func Leave[D model.Data, F any](ctx context.Context, e stream.Engine, method any, d D, k kernelgen.Kernel,
	fit func(context.Context, stream.Engine, D, kernelgen.Kernel) (*F, error)) (*F, error) {
	done := make(chan *F, 1)
	err := stream.Leave(ctx, func(ctx context.Context) error {
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

// note tells the fit of an engine what was adjusted.
func note(e stream.Engine, sentences ...string) {
	if e.Note == nil {
		return
	}
	for _, s := range sentences {
		e.Note(s)
	}
}
