package lowrank

import (
	"errors"

	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// grid returns the tiles of A.
func (f *exactFit) grid() *tiles.Grid {
	return f.tiles.NewGrid(f.engine, [2]string{f.l.Info().Name, f.r.Info().Name}, f.left.Cols, f.right.Cols)
}

// choiceOf says which eigenpairs of a kernel matrix are the largest.
func choiceOf(k kernelgen.Kernel) krylov.Choice {
	if k.PositiveSemiDefinite() {
		return krylov.Positive
	}
	return krylov.Magnitude
}

// iterationError says what to do about numbers that are not finite.
func iterationError(err error) error {
	var bad *krylov.NotFiniteError
	if errors.As(err, &bad) {
		return notFinite(bad.Of)
	}
	return err
}
