package model

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Method is a method of any family: D is what it fits, and F the fit.
type Method[D Data, F any] interface {
	// Plan returns the cost of a fit to data of a shape.
	Plan(e stream.Engine, s Size, k kernelgen.Kernel) (*Plan, error)
	// Fit fits data. The kernel may have parameters that are words.
	Fit(ctx context.Context, e stream.Engine, d D, k kernelgen.Kernel) (*F, error)
}
