package model

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Method is a method of any family. D is the type of its data, and F of its fit.
type Method[D Data, F any] interface {
	// Plan returns the cost of a fit to data of size s. It reads no rows.
	Plan(e stream.Engine, s Size, k kernelgen.Kernel) (*Plan, error)
	// Fit fits the data. The kernel may have parameters that are words.
	Fit(ctx context.Context, e stream.Engine, d D, k kernelgen.Kernel) (*F, error)
}
