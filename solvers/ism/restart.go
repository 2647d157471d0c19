package ism

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// best runs the search from Φ₀ and from random W, and keeps that with the largest J.
func (f *fitting) best(ctx context.Context, search func(context.Context) (settled bool, err error)) (settled bool, err error) {
	settled, err = search(ctx)
	if err != nil || f.Restarts == 0 {
		return settled, err
	}
	best, kept, first := f.it, *f.fit, f.it.at.objective
	for start := 1; start <= f.Restarts; start++ {
		f.it = &iteration{Solver: f.Solver, engine: f.engine, flat: f.it.flat}
		if f.it.from, err = f.randomStart(start); err != nil {
			return false, err
		}
		ended, err := search(ctx)
		if err != nil {
			return false, err
		}
		if f.it.at.objective > best.at.objective {
			best, kept, settled = f.it, *f.fit, ended
			kept.Start = start
		}
		kept.KernelEntries, kept.SourcePasses = f.fit.KernelEntries, f.fit.SourcePasses
	}
	f.it, *f.fit = best, kept
	f.fit.Note(fmt.Sprintf("of %d starts number %d is kept: its objective is %.6g, and that from Φ₀ %.6g", f.Restarts+1, f.fit.Start, best.at.objective, first))
	return settled, nil
}

// randomStart returns orthonormal columns that nothing is known of.
func (f *fitting) randomStart(start int) (blas64.General, error) {
	m := stream.NewMatrix(f.data.d, f.Dim)
	sketch.NewRandom(f.Seed, fmt.Sprintf("start %d of ism", start)).Normals(m)
	w, _, err := sketch.CholeskyQR(m)
	return w, err
}
