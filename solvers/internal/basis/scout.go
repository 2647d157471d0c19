package basis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

const (
	scoutLandmarks = 32  // J₀, of the candidates
	scoutKeep      = 512 // largest number of rows that the scout adds to the candidates
	scoutPass      = "scout"
)

// CheckScout returns an error if candidates by residual are requested, but the rule or the kernel cannot use them.
func (l Landmarks) CheckScout(k kernelgen.Kernel) error {
	switch {
	case !l.Scout:
		return nil
	case !l.Definite:
		return fmt.Errorf("`Scout` measures residuals, which require a positive semi-definite kernel; %s is not known to be one", k)
	case !l.NeedsKernel() && l.Rows > int64(l.Count):
		return errors.New("`Scout` adds candidates, which `Rule uniform` does not have: name another `Rule`")
	}
	return nil
}

// Scouts reports whether the choice makes a pass for candidates: not if all rows are candidates anyway.
func (l Landmarks) Scouts() bool {
	return l.Scout && l.NeedsKernel() && int64(l.Count) < l.Rows && l.Reservoir() < l.Rows
}

// Passes returns the number of passes before those of the fit.
func (l Landmarks) Passes() int {
	if l.Scouts() {
		return 1
	}
	return 0
}

// ScoutNotes returns a note if a requested scout has nothing to add.
func (l Landmarks) ScoutNotes() []string {
	if !l.Scout || l.Scouts() {
		return nil
	}
	return []string{"`Scout` has no effect: all rows are candidates for landmarks"}
}

// Scouted makes a pass over src, and returns the candidates joined by up to 512 rows unlike 32 of them. With these J₀,
// and L₀·L₀ᵀ = K(J₀, J₀), the residual of a row is
//
//	d(x) = k(x, x) − ‖L₀⁻¹·k(J₀, x)‖²
//
// Rows are drawn without replacement, with probability proportional to d². These are rows that a uniform sample misses:
// those of large norm under an unbounded kernel, and small clusters far from all others. Scouted returns the candidates
// alone if the choice does not scout. It fails with [ErrNotDefinite]. Cost: 32 kernel entries for each row.
func (l Landmarks) Scouted(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, src stream.Source, candidates *Panel) (*Panel, error) {
	if !l.Scouts() {
		return candidates, nil
	}
	first := candidates.Pick(candidates.Leading(scoutLandmarks, l.Seed))
	if err := ChooseScale(ctx, e, t, candidates.Rows, first); err != nil {
		return nil, err
	}
	defer t.SetScale(1) // the scale depends on the landmarks
	first, u, err := Whiten(ctx, e, t, first)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	m := &Map{Tiles: t, Landmarks: first, Project: Inverse(u)}
	columns := &Columns{Features: []Features{m.Features(info.Name)}}
	newState := func() *sketch.Priority { return sketch.NewPriority(scoutKeep, len(info.Columns)) }
	defer t.CountPass(info.Rows * int64(m.Entries()))()
	worker := func() func(*sketch.Priority, Rows) error {
		priorities := l.residualPriorities(t)
		return func(found *sketch.Priority, r Rows) error { return found.Add(r.Start, priorities(r), r.X) }
	}
	found, err := Moments(ctx, e.WithInputs(first.Rows, t.Origin(), u), scoutPass, src, columns, newState, worker)
	if err != nil {
		return nil, err
	}
	numbers, rows := found.Rows()
	return candidates.Join(NewPanel(rows, numbers, nil)), nil
}

// residualPriorities returns a function for one goroutine that computes the priorities of rows with features Z. The
// priority is 0 if the residual d is rounding, else d/√(−ln u) for a uniform u. It orders rows as −ln(u)/d² does, but no
// square overflows. The result is valid until the next call.
func (l Landmarks) residualPriorities(t *tiles.Tiles) func(r Rows) []float64 {
	random, room := sketch.NewRandom(l.Seed, "candidates by residual"), make([]float64, tilesize.PanelRows)
	return func(r Rows) []float64 {
		d := room[:r.X.Rows]
		t.Diagonal(d, r.X)
		for i, self := range d {
			z, draws := matrix.Row(r.Z, i), random.At(uint64(r.Start)+uint64(i))
			if d[i] = self - dense.Dot(z, z); !(d[i] > RankTolerance*self) {
				d[i] = 0
				continue
			}
			d[i] = math.Min(d[i]/math.Sqrt(-math.Log1p(-draws.Float64())), math.MaxFloat64)
		}
		return d
	}
}

// found returns the number of rows that the scout adds to the candidates, at most.
func (l Landmarks) found() int64 {
	if !l.Scouts() {
		return 0
	}
	return min(scoutKeep, l.Rows-l.Reservoir())
}

// addScoutTo adds the cost of the pass for candidates among rows of d columns to a plan.
func (l Landmarks) addScoutTo(p *model.Plan, d int64) {
	if !l.Scouts() {
		return
	}
	const tiles = tilesize.PanelRows * (2*scoutLandmarks + 1)
	p.SourcePasses++
	p.SharedPasses = append(p.SharedPasses, scoutPass)
	p.Fold("tiles and rows of the scout", l.Rows, int(d), tiles+scoutKeep*(d+2), "`Scout`")
	p.AddEntries(scoutLandmarks * float64(l.Rows+l.Reservoir()+scoutLandmarks))
}
