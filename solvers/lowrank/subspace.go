package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/krylov"
	"github.com/nystream/nystream/stream"
)

// Subspace is a block Krylov method on exact tiles (C. Musco and C. Musco 2015,
// "Randomized block Krylov methods for stronger and faster approximate singular
// value decomposition"), started from the landmark method instead of from noise:
//
//	Q₀ = orth [U of Landmark, a few random columns]
//	Q_{j+1} = orth (A·Q_j, without Q₀ … Q_j)     one exact pass each
//	QᵀAQ = S·diag(θ)·Sᵀ, U = Q·S                  Rayleigh–Ritz on all of them
//	Â = (AU)·diag(θ)⁻¹·(AU)ᵀ, truncated to rank c, + βI
//
// A·U is known, a sum of what the passes have computed, so the last line, half
// an iteration more than U·diag(θ)·Uᵀ, is free. It is the Nyström method with
// fixed rank (Tropp, Yurtsever, Udell and Cevher 2017, "Fixed-rank approximation
// of a positive-semidefinite matrix from streaming data"), and makes the
// embedding a function of a row: a combination of k(x, x_i) over all fitted rows.
// Where A may be indefinite, U is truncated instead, to the c largest |θ|.
//
// Cost: one pass over the source, which loads the rows; then q passes over the
// n²/2 tiles of a half of A, with 2·n²·b flops each for b = c + 24 columns.
// Memory: the rows and up to 5·n·b·q numbers. The model holds all rows and n·c
// numbers, and embedding a row takes n kernel entries. So this is for the last
// word on up to some 10⁵ rows, not for a stream.
type Subspace struct {
	Rank   int // c
	Passes int // q, exact passes at most; 0 means 3
	// Tolerance on the residuals ‖Au−θu‖ of all c Ritz pairs, relative to the
	// largest θ: below it passes stop early. 0 means 1e-6.
	Tolerance float64
	Sketch    int // of the Landmark fit at the start, as well as the next two
	NNZ       int
	Choice    LandmarkChoice
	Seed      uint64
	Shift     SubspaceShift
}

// SubspaceShift says which multiple of the identity the subspace method adds.
type SubspaceShift uint8

const (
	// SubspaceCentred puts β in the middle of the eigenvalues that are left out,
	// as [ShiftCentred] does: half of the largest that truncation leaves out plus
	// half of the least known, which is the least of those left out and of the mean
	// of the eigenvalues outside the Krylov space (the trace of A tells it exactly).
	// With it the spectral error is about half of the best that rank c can do
	// without a shift; as with [ShiftCentred] the Frobenius error pays for it.
	SubspaceCentred SubspaceShift = iota
	// SubspaceNone adds nothing: nearly the best matrix of rank c.
	SubspaceNone
)

// What the start has beyond c columns. The landmark method looks at few rows;
// random columns have a part in every eigenvector, also in those that live on
// rows far from all landmarks.
const (
	subspaceLandmark = 8
	subspaceRandom   = 16
)

// SubspaceFit is a fit by exact passes, and how far they went.
type SubspaceFit struct {
	*Fit
	ExactPasses int
	// Residuals are ‖Au−θu‖ of the c largest Ritz pairs, relative to the largest
	// |θ|, in descending order of θ. Each θ is that near to an eigenvalue of A.
	Residuals []float64
}

// Residual is the largest of the residuals, 0 if there are none.
func (f *SubspaceFit) Residual() float64 { return krylov.Largest(f.Residuals) }

// settings are the settings with the defaults filled in.
func (m Subspace) settings() (Subspace, error) {
	if m.Passes == 0 {
		m.Passes = 3
	}
	if m.Tolerance == 0 {
		m.Tolerance = 1e-6
	}
	if m.Rank < 1 || m.Passes < 1 || !(m.Tolerance > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and the tolerance %v above 0", m.Rank, m.Passes, m.Tolerance)
	}
	return m, nil
}

// landmark is the method that the passes start from, on n rows.
func (m Subspace) landmark(n int64) Landmark {
	return Landmark{Rank: int(min(int64(m.Rank)+subspaceLandmark, n)), Sketch: m.Sketch, NNZ: m.NNZ, Choice: m.Choice, Seed: m.Seed}
}

// Fit approximates the kernel matrix of the rows of src.
func (m Subspace) Fit(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*SubspaceFit, error) {
	n, err := knownRows(src)
	if err != nil {
		return nil, err
	}
	if m, err = m.settings(); err != nil {
		return nil, err
	}
	rows, err := loadRows(ctx, src)
	if err != nil {
		return nil, err
	}
	memory := stream.FromMatrix(src.Info().Name, rows.rows)
	start, err := m.landmark(n).Fit(ctx, e, memory, k)
	if err != nil {
		return nil, err
	}
	t := start.tiles(start.Left)
	t.entries.Store(start.KernelEntries + n*int64(start.Left.Landmarks.Rows)) // the fit, and its embedding of all rows
	block, err := startBlock(ctx, e, start.Model, start.Left, memory, m.Seed, "subspace start")
	if err != nil {
		return nil, err
	}
	space, err := krylov.NewSpace(&symmetricTiles{t, e, memory}, block, m.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	space.Choice = choiceOf(k)
	last, err := space.Run(ctx, krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.Tolerance)})
	if err != nil {
		return nil, iterationError(err)
	}
	return m.finish(t, space, last, rows)
}

// loadRows reads all rows into memory, in one pass.
func loadRows(ctx context.Context, src stream.Source) (*panel, error) {
	rows, err := stream.ReadAll(ctx, src)
	if err != nil {
		return nil, err
	}
	t := &tiles{}
	for i := range rows.Rows {
		if err := t.checkRow(dense.Row(rows, i), src, int64(i)); err != nil {
			return nil, err
		}
	}
	return &panel{rows: rows, number: numbered(rows.Rows)}, nil
}

// startBlock is the embedding of all rows of one side by the fit at the start, and a
// few random columns.
func startBlock(ctx context.Context, e stream.Engine, start *Model, side *Embedding, src stream.Source, seed uint64, purpose string) (blas64.General, error) {
	n, r := int(src.Info().Rows), side.Rank()
	random := min(subspaceRandom, n-r)
	block := stream.NewMatrix(n, r+random)
	err := start.embed(ctx, e, src, false, func(b *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(dense.Row(block, int(b.Start)+i), dense.Row(u, i))
		}
		return nil
	}, side)
	noise := dense.Columns(block, r, random)
	sketch.NewStream(seed, purpose).Normals(noise)
	for i := range n {
		for j := range random {
			dense.Row(noise, i)[j] /= math.Sqrt(float64(n)) // columns near length 1, as those of U
		}
	}
	return block, err
}
