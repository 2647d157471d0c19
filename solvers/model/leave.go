package model

import (
	"context"
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Leave returns what fit returns for the other arguments, which are those of a Fit. When ctx
// ends, passes do, but a decomposition of a large matrix looks at no context: Leave returns
// the cause then and leaves fit behind, see [stream.Leave]. It ends by itself after the
// decomposition, and until then its memory is taken, and d and what the engine refers to
// must not be changed. The Fit of every method is a call of it.
//
// The states of its passes belong to the method with its parameters, the kernel and the facts of d: a
// [stream.StateError] refuses those of another fit. Notes of kernels that the fit resolves, see [Resolve], are added
// to its report.
func Leave[D Data, F any](ctx context.Context, e stream.Engine, method any, d D, k kernelgen.Kernel,
	fit func(context.Context, stream.Engine, D, kernelgen.Kernel) (*F, error)) (*F, error) {
	done := make(chan *F, 1)
	err := stream.Leave(ctx, func(ctx context.Context) error {
		notes := new(kernelNotes)
		f, err := fit(context.WithValue(ctx, kernelNotesKey{}, notes), forFit(e, method, d, k), d, k)
		if report, ok := any(f).(interface{ Note(...string) }); ok && err == nil {
			report.Note(notes.list...)
		}
		done <- f
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-done, nil
}

// kernelNotes are notes of the kernels that a fit resolves.
type kernelNotes struct{ list []string }

type kernelNotesKey struct{}

// noteKernel adds notes of a kernel to those of the fit, each once.
func noteKernel(ctx context.Context, notes ...string) {
	n, ok := ctx.Value(kernelNotesKey{}).(*kernelNotes)
	for _, note := range notes {
		if ok && !slices.Contains(n.list, note) {
			n.list = append(n.list, note)
		}
	}
}
