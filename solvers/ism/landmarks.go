package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

const landmarkTolerance = 1e-8

type generatedEntries struct{ kernel kernelgen.Kernel }
type landmarks struct{ rows []int }

func (l landmarks) features(ctx context.Context, e stream.Engine, y blas64.General) (blas64.General, error) {
	panic("ism: being built")
}
func pickLandmarks(k generatedEntries, x blas64.General, most int, tolerance float64) *landmarks {
	panic("ism: being built")
}

type sampled struct{ x blas64.General }

func sampleRows(ctx context.Context, src stream.Source, n int, seed uint64, purpose string) (*sampled, error) {
	panic("ism: being built")
}
