package lowrank

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/stream"
)

// LandmarkChoice says how ℓ landmarks are chosen for c columns of U. Those that look
// at the kernel do so on a reservoir of m = max(1024, 20c, 5ℓ) rows drawn uniformly, so
// that the pass over the source stays the only one.
type LandmarkChoice uint8

const (
	// ChoiceUniform draws rows uniformly without replacement.
	ChoiceUniform LandmarkChoice = iota
	// ChoiceLeverage draws rows of the reservoir in proportion to approximate
	// ridge leverage scores. It takes (m + 8ℓ)·4ℓ kernel entries, 32·m·ℓ² flops.
	ChoiceLeverage
	// ChoicePivoted takes the pivots of a randomly pivoted Cholesky factorisation
	// of the reservoir. It takes m·ℓ kernel entries and numbers, m·ℓ² flops.
	ChoicePivoted
	// ChoiceDeterminantal draws ⌈ℓ/c⌉ times c rows from the determinantal point
	// process of the c leading eigenvectors of the reservoir, without replacement:
	// rows that between them see those directions best. It takes m² kernel entries,
	// 4·m²·c flops, 2·m·c numbers.
	ChoiceDeterminantal
	// ChoiceAuto compares uniform, pivoted and determinantal landmarks by what they
	// leave of the kernel between other rows, and takes the best.
	ChoiceAuto
)

var choiceWords = []string{"uniform", "leverage", "rpc", "dpp", "auto"}

// String returns the word for a choice.
func (c LandmarkChoice) String() string { return words.Of(choiceWords, c) }

// The size of the reservoir.
const (
	candidatesAtLeast     = 1024
	candidatesPerColumn   = 20
	candidatesPerLandmark = 5
)

// chooser chooses landmarks.
type chooser struct {
	rows      int64 // of the source
	choice    LandmarkChoice
	columns   int // of U
	landmarks int
	seed      uint64
}

// looks reports whether the choice depends on the kernel.
func (c chooser) looks() bool { return c.choice != ChoiceUniform }

// reservoir returns the number of rows that landmarks are chosen from.
func (c chooser) reservoir() int64 {
	want := int64(c.landmarks)
	if c.looks() {
		want = max(candidatesAtLeast, candidatesPerColumn*int64(c.columns), candidatesPerLandmark*want)
	}
	return min(c.rows, want)
}

// candidates draws the rows that landmarks are chosen from.
func (c chooser) candidates(purpose string) ([]int64, error) {
	s, err := sketch.NewSample(c.rows, int(c.reservoir()), c.seed, purpose)
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// choose takes the landmarks from the candidates; name is that of their source.
// There are fewer than asked for if nothing is left to take.
func (c chooser) choose(ctx context.Context, t *tiles, e stream.Engine, candidates *panel, name string) (*panel, []string, error) {
	if c.choice == ChoiceAuto {
		return c.best(ctx, t, e, candidates, name)
	}
	var chosen []int
	var err error
	most := min(c.landmarks, candidates.rows.Rows)
	switch c.choice {
	case ChoiceUniform:
		return candidates, nil, nil
	case ChoiceLeverage:
		chosen, err = t.leverageRows(ctx, e, candidates, most, c.seed)
	case ChoicePivoted:
		chosen, err = t.pivotRows(ctx, e, candidates, most, c.seed, name, "pivots")
	case ChoiceDeterminantal:
		chosen, err = c.determinantal(ctx, t, e, candidates, most)
	}
	if err != nil {
		return nil, nil, err
	}
	return t.pickIndices(candidates, chosen), nil, nil
}

// pickIndices returns the panel of some rows of p.
func (t *tiles) pickIndices(p *panel, chosen []int) *panel {
	var numbers []int64
	for _, i := range chosen {
		numbers = append(numbers, p.number[i])
	}
	return t.pick(p, union(numbers))
}

// validationRows is how many candidates, drawn uniformly, choices are compared on.
const validationRows = 1024

// better is what other choices must at most leave of what determinantal landmarks
// leave: these are good on all data seen so far, and the validation rows are a sample.
const better = 0.85

// best tries the choices in turn.
func (c chooser) best(ctx context.Context, t *tiles, e stream.Engine, candidates *panel, name string) (*panel, []string, error) {
	validation := t.pickIndices(candidates, c.draw(candidates, min(validationRows, candidates.rows.Rows), "judges"))
	uniform := t.pickIndices(candidates, c.draw(candidates, min(c.landmarks, candidates.rows.Rows), "landmarks"))
	if uniform.rows.Rows == candidates.rows.Rows {
		return uniform, nil, nil
	}
	var chosen *panel
	var word LandmarkChoice
	var least float64
	var tried []string
	for _, choice := range []LandmarkChoice{ChoiceDeterminantal, ChoicePivoted, ChoiceUniform} {
		p := uniform
		if c.choice = choice; choice != ChoiceUniform {
			var err error
			if p, _, err = c.choose(ctx, t, e, candidates, name); err != nil {
				return nil, nil, err
			}
		}
		left, err := t.leaves(ctx, e, p, validation, c.rows)
		if err != nil {
			return nil, nil, err
		}
		tried = append(tried, fmt.Sprintf("%s %.2g", choice, left))
		if chosen == nil || left < better*least {
			chosen, word, least = p, choice, left
		}
	}
	return chosen, []string{fmt.Sprintf("landmarks are %s; relative to its norm they leave of the kernel between %d sampled rows: %s",
		word, validation.rows.Rows, strings.Join(tried, ", "))}, nil
}

// draw draws indices of candidates uniformly.
func (c chooser) draw(candidates *panel, k int, purpose string) []int {
	var out []int
	for _, i := range sketch.NewRandom(c.seed, purpose).Choose(int64(candidates.rows.Rows), k) {
		out = append(out, int(i))
	}
	return out
}

// leaves returns the estimated spectral norm of what landmarks leave of the kernel
// matrix of n rows, K − K(·, L)·K(L, L)⁻¹·K(L, ·), relative to that of K, from the
// entries between some rows.
func (t *tiles) leaves(ctx context.Context, e stream.Engine, landmarks, validation *panel, n int64) (float64, error) {
	side := &sampleSide{rows: validation, of: float64(n)}
	b, err := t.sampledBlock(ctx, e, &Model{}, side, side, true)
	if err != nil {
		return 0, err
	}
	norm, err := b.norm()
	if err != nil {
		return 0, err
	}
	features, err := t.whitened(ctx, e, landmarks, validation)
	if err != nil {
		return 0, err
	}
	side.u = features
	ones := make([]float64, features.Cols)
	for i := range ones {
		ones[i] = 1
	}
	b.subtract(&Model{Values: ones})
	rest, err := b.norm()
	return ratio(rest, norm), err
}

// whitened returns K(x, L)·C⁻ᵀ with C·Cᵀ = K(L, L), the rows of x in the feature space
// that the landmarks span. A multiple of the identity that is rounding beside K
// makes the factorisation exist.
func (t *tiles) whitened(ctx context.Context, e stream.Engine, landmarks, x *panel) (blas64.General, error) {
	between, err := t.between(ctx, e, landmarks.rows, landmarks)
	if err != nil {
		return between, err
	}
	k := landmarks.rows.Rows
	lift := dense.Trace(between) * 1e-14
	var c mat.Cholesky
	for ok := false; !ok; lift *= 100 {
		if lift-lift != 0 || lift > dense.Trace(between) {
			return blas64.General{}, notFinite("the kernel between landmarks")
		}
		sym := mat.NewSymDense(k, nil)
		for i := range k {
			for j := i; j < k; j++ {
				sym.SetSym(i, j, between.Data[i*between.Stride+j])
			}
			sym.SetSym(i, i, sym.At(i, i)+lift)
		}
		ok = c.Factorize(sym) || lift == 0
	}
	out, err := t.between(ctx, e, x.rows, landmarks)
	if err != nil || lift == 0 {
		return out, err
	}
	upper := c.RawU().(*mat.TriDense).RawTriangular()
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upper, out)
	return out, nil
}
