package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Nystrom is the Nyström method (Williams & Seeger 2001; Drineas & Mahoney
// 2005), for positive semi-definite kernels:
//
//	Â = K(·, L)·W⁺·K(L, ·)       W = K(L, L), c landmarks L
//
// without a shift. It agrees with A in the rows and columns of the landmarks,
// and A − Â is positive semi-definite. With K(·, L) = Q·B, Q the streamed
// embedding, and W = V·Λ·Vᵀ, the core is G·Gᵀ with G = B·V·Λ^(−1/2), so that W is
// never inverted and Â is positive semi-definite whatever the rounding.
// Eigenvalues of W at or below [RankTolerance] of the largest (2⁻²³ in float32)
// are left out.
//
// Cost: one pass after gathering, n·c kernel entries and those of the choice of
// landmarks, 2·n·c² flops, memory for the rows to choose from and O(c²) numbers.
type Nystrom struct {
	Rank   int // c, the number of landmarks
	Choice LandmarkChoice
	Seed   uint64

	Precision Precision // of the tiles of the pass
}

// LandmarkChoice says how landmarks are chosen. Those that look at the kernel do
// so on a reservoir of max(1024, 20c) rows drawn uniformly, so that the pass over
// the source stays the only one.
type LandmarkChoice uint8

const (
	// ChoiceUniform draws rows uniformly without replacement.
	ChoiceUniform LandmarkChoice = iota
	// ChoiceLeverage draws rows of the reservoir in proportion to approximate
	// ridge leverage scores. It takes 112c² kernel entries for c > 51, else 1024·4c + 32c².
	ChoiceLeverage
	// ChoicePivoted takes the pivots of a randomly pivoted Cholesky factorisation
	// of the reservoir. It takes 20c² kernel entries and numbers, 20c³ flops.
	ChoicePivoted
)

// The size of the reservoir.
const (
	candidatesAtLeast     = 1024
	candidatesPerLandmark = 20
)

// Fit approximates the kernel matrix of the rows of src. It has fewer landmarks
// than c, and a note that says so, if the choice finds nothing left to take.
func (m Nystrom) Fit(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	n, err := knownRows(src)
	if err != nil {
		return nil, err
	}
	candidates, err := m.candidates(n)
	if err != nil {
		return nil, err
	}
	t := newTiles(k, m.Precision)
	held := heldBackRows(n, m.Seed, "held back")
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: candidates}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	landmarks, err := m.choose(t, panels[0], src.Info().Name)
	if err != nil {
		return nil, err
	}
	rest := t.pick(panels[1], without(held, landmarks.number))
	if err := firstError(t.chooseUnit(landmarks.rows, landmarks), t.boundSingle(landmarks, nil, landmarks, rest)); err != nil {
		return nil, err
	}
	factor, err := sketchPass{t, nil, landmarks}.stream(ctx, e, src)
	if err != nil {
		return nil, err
	}
	model, cond, err := m.finish(t, factor, landmarks)
	if err != nil {
		return nil, err
	}
	model.Rows, model.Cols = n, n
	notes := append(m.notes(n, landmarks.rows.Rows), t.rankNote(model.Left.Rank(), landmarks.rows.Rows)...)
	return finishFit(t, model, append(notes, definiteNote(k)...), cond, rest, rest)
}

// candidates draws the rows that landmarks are chosen from.
func (m Nystrom) candidates(n int64) ([]int64, error) {
	if m.Rank < 1 {
		return nil, fmt.Errorf("rank %d must be at least 1", m.Rank)
	}
	want := int64(m.Rank)
	if m.Choice != ChoiceUniform {
		want = max(candidatesAtLeast, candidatesPerLandmark*want)
	}
	s, err := sketch.NewSample(n, int(min(n, want)), m.Seed, "C")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// choose takes the landmarks from the candidates; name is that of their source.
func (m Nystrom) choose(t *tiles, candidates *panel, name string) (*panel, error) {
	c := min(m.Rank, candidates.rows.Rows)
	var chosen []int
	var err error
	switch m.Choice {
	case ChoiceUniform:
		return candidates, nil
	case ChoiceLeverage:
		chosen, err = t.leverageRows(candidates, c, m.Seed)
	case ChoicePivoted:
		chosen, err = t.pivotRows(candidates, c, m.Seed, name)
	default:
		panic(fmt.Sprintf("lowrank: landmark choice %d", m.Choice))
	}
	if err != nil {
		return nil, err
	}
	var numbers []int64
	for _, i := range chosen {
		numbers = append(numbers, candidates.number[i])
	}
	return t.pick(candidates, union(numbers)), nil
}

// pick is the panel of the rows of p with the given numbers.
func (t *tiles) pick(p *panel, numbers []int64) *panel {
	return t.pack(pickRows(p.rows, p.number, numbers), numbers, nil)
}

// notes tell of landmarks that are fewer than asked for.
func (m Nystrom) notes(n int64, found int) []string {
	switch {
	case int64(m.Rank) > n:
		return []string{fmt.Sprintf("%d landmarks asked for, and there are %d rows: %d serve", m.Rank, n, found)}
	case found < m.Rank:
		return []string{fmt.Sprintf("%d landmarks found, %d asked for: they leave nothing but rounding of the other rows that landmarks are chosen from", found, m.Rank)}
	}
	return nil
}

// finish makes the model from the triangular factor of K(·, L), and gives the
// condition of K(·, L).
func (m Nystrom) finish(t *tiles, factor blas64.General, landmarks *panel) (*Model, float64, error) {
	s, err := newSVD("the sketch", factor)
	if err != nil {
		return nil, 0, err
	}
	r := s.rank(t.precision.rankTolerance())
	root, err := t.inverseRoot(landmarks)
	if err != nil {
		return nil, 0, err
	}
	b := firstCols(s.V, r) // times diag(S) it is Bᵀ
	g, err := newSVD("the core", scaleCols(mul(blas.Trans, root, blas.NoTrans, b), s.S[:r]))
	if err != nil {
		return nil, 0, err
	}
	values := make([]float64, len(g.S))
	for i, v := range g.S {
		values[i] = v * v
	}
	side := &Embedding{Landmarks: landmarks.rows, Rows: landmarks.number,
		Projection: mul(blas.NoTrans, s.whitener(r), blas.NoTrans, g.V)}
	return &Model{Method: "nystrom", Kernel: t.kernel, Seed: m.Seed, Left: side, Values: values}, condition(s, r), nil
}

// inverseRoot is V·Λ^(−1/2) of W = K(p, p) = V·Λ·Vᵀ, without the eigenvalues that
// are rounding.
func (t *tiles) inverseRoot(p *panel) (blas64.General, error) {
	eig, err := t.eigenBetween(p)
	if err != nil {
		return blas64.General{}, err
	}
	var w []float64
	for _, v := range eig.Values {
		if v > 0 && v > t.precision.rankTolerance()*eig.Values[0] {
			w = append(w, 1/math.Sqrt(v))
		}
	}
	return scaleCols(firstCols(eig.Vectors, len(w)), w), nil
}

// eigenBetween decomposes K(p, p).
func (t *tiles) eigenBetween(p *panel) (*eigen, error) {
	w := stream.NewMatrix(p.rows.Rows, p.rows.Rows)
	err := t.eachTile(p.rows, p, func(first int, tile blas64.General) error {
		for i := range tile.Rows {
			copy(rowOf(w, first+i), rowOf(tile, i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newEigen("the kernel between landmarks", w)
}

// Plan works out the cost of a fit on n rows with d columns.
func (m Nystrom) Plan(e stream.Engine, n int64, d int) (*Plan, error) {
	candidates, err := m.candidates(n)
	if err != nil {
		return nil, err
	}
	k, c := int64(len(candidates)), min(int64(m.Rank), n)
	p := newPlanner(e, m.Precision, d, 1)
	p.landmarksBy("landmarks", c, "--rank")
	switch m.Choice {
	case ChoiceLeverage:
		s := int64(leverageSample(int(k), int(c)))
		p.Memory.Add("candidates", 2*k*p.d, "--landmarks uniform")
		p.Memory.Add("leverage scores", 2*s*p.d+4*s*s+3*k, "--landmarks uniform")
		p.KernelEntries += s * (k + 2*s)
		p.Flops += 2*float64(k)*float64(s)*float64(s) + 10*float64(s)*float64(s)*float64(s)
	case ChoicePivoted:
		p.Memory.Add("candidates", 2*k*p.d, "--landmarks uniform")
		p.Memory.Add("pivoted Cholesky", k*(c+2), "--landmarks uniform")
		p.KernelEntries += k * c
		p.Flops += float64(k) * float64(c) * float64(c)
	}
	p.pass(n, c, c, c*c)
	p.checks(2*c, c) // the unit of the tiles, and W
	return &p.Plan, nil
}
