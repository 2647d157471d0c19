package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Sums selects exact or sampled row sums of a normalised kernel, such as softmax. Either way an entry is a function of
// its two rows, and new rows are normalised like fitted ones.
type Sums = tiles.SumRule

const (
	// SumsAuto is exact up to 2³² entries of A, and sampled above.
	SumsAuto = tiles.SumsAuto
	// SumsExact sums over all right rows, which are held in memory and in the model. Each pass over left rows evaluates
	// all entries of A.
	SumsExact = tiles.SumsExact
	// SumsSampled sums over 2,048 right rows drawn uniformly, weighted, which are part of the model. Error estimates
	// account for sampling: they use sums over 32,768 rows, including the sampled ones.
	SumsSampled = tiles.SumsSampled
)

const (
	sampledSums = 2048
	checkedSums = 16 * sampledSums // for error estimates and sampled verification
)

// RowSums holds the right rows in the row sums of a normalised kernel.
type RowSums struct {
	Rows      blas64.General // m×d: all of them, or a sample
	TotalRows int64          // number of rows they represent
}

// Exact reports whether the sums are over all right rows.
func (s *RowSums) Exact() bool { return int64(s.Rows.Rows) == s.TotalRows }

// on sets the row sums of tiles.
func (s *RowSums) on(t *tiles.Tiles) {
	if s != nil {
		t.SetNormaliser(s.Rows, float64(s.TotalRows)/float64(s.Rows.Rows))
	}
}

// given returns the engine for passes that depend on the sums.
func (s *RowSums) given(e stream.Engine) stream.Engine {
	if s == nil {
		return e
	}
	return e.WithInputs(s.Rows)
}

// count returns the number of rows, 0 without sums.
func (s *RowSums) count() int64 {
	if s == nil {
		return 0
	}
	return int64(s.Rows.Rows)
}

// sumRows returns the number of right rows in the sums of a kernel, 0 without sums, and in those of the error estimate,
// 0 if these are the same.
func sumRows(rule Sums, rows, cols int64, k kernelgen.Kernel) (sums, checked int64) {
	_, normalised := k.Normaliser()
	switch {
	case !normalised:
		return 0, 0
	case rule == SumsExact, cols <= sampledSums, rule == SumsAuto && float64(rows)*float64(cols) <= tiles.ExactSumEntries:
		return cols, 0
	}
	return sampledSums, min(checkedSums, cols)
}

// fitSums holds the row sums of a fit.
type fitSums struct {
	*RowSums          // nil for a kernel without a normaliser
	checked  *RowSums // for the error estimate; nil if the same
	passes   int      // passes over the right source
	notes    []string
}

// newSums fetches the rows in the row sums of a kernel.
func newSums(ctx context.Context, rule Sums, d model.Sources, k kernelgen.Kernel, seed uint64) (s fitSums, err error) {
	src, n := d.Left, d.Left.Info().Rows
	if d.Right != nil {
		src = d.Right
	}
	of := src.Info().Rows
	m, checked := sumRows(rule, n, of, k)
	switch {
	case m == 0:
		return s, nil
	case m == of:
		rows, err := loadRows(ctx, src)
		if err != nil {
			return s, err
		}
		return fitSums{RowSums: &RowSums{rows.Rows, of}, passes: 1}, nil
	}
	drawn := sketch.NewRandom(seed, "row sums").Choose(of, int(checked))
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: basis.Union(drawn[:m])}, rowSet{Numbers: basis.Union(drawn)})
	if err != nil {
		return s, err
	}
	s = fitSums{RowSums: &RowSums{panels[0].Rows, of}, checked: &RowSums{panels[1].Rows, of}}
	if rule == SumsAuto {
		s.notes = append(s.notes, fmt.Sprintf("row sums are estimated from %d sampled rows: exact ones go over %.3g entries, more than %.3g (`Sums exact` makes them exact)",
			m, float64(n)*float64(of), float64(tiles.ExactSumEntries)))
	}
	return s, nil
}

// newTiles returns the tiles of a resolved kernel, with the row sums of a normalised one.
func newTiles(k kernelgen.Kernel, s *RowSums) (*tiles.Tiles, error) {
	if s == nil {
		return tiles.Plain(k), nil
	}
	t, err := tiles.New(k, false)
	if err == nil {
		s.on(t)
	}
	return t, err
}

// otherSums returns tiles with other row sums, if any, and a function that counts their entries.
func otherSums(t *tiles.Tiles, s *RowSums) (other *tiles.Tiles, count func(), err error) {
	if s == nil {
		return t, func() {}, nil
	}
	if other, err = newTiles(t.Kernel, s); err != nil {
		return nil, nil, err
	}
	other.SetScale(t.Scale())
	return other, func() { t.Entries.Add(other.Entries.Load()) }, nil
}

// measuredSums returns the row sums of a verification: over all right rows if the model has these or all are measured;
// else over a sample large enough to reduce the error of the model's to a quarter.
func (m *Model) measuredSums(ctx context.Context, right stream.Source, sample int, seed uint64) (*RowSums, error) {
	if m.Sums == nil || m.Sums.Exact() {
		return m.Sums, nil
	}
	n, err := input.KnownRows(right)
	if err != nil {
		return nil, err
	}
	numbers := matrix.Numbers(int(n))
	if sample > 0 && n > checkedSums {
		numbers = basis.Union(sketch.NewRandom(seed, "verify sums").Choose(n, checkedSums))
	}
	panels, err := basis.Gather(ctx, right, rowSet{Numbers: numbers})
	if err != nil {
		return nil, err
	}
	return &RowSums{panels[0].Rows, n}, nil
}

// sumsHeader describes [RowSums] in a saved model.
type sumsHeader struct {
	Of        int64          `json:"of" min:"1"`
	Dimension int            `json:"dimension" min:"1"`
	Rows      blas64.General `json:"-" array:"rows,m,dimension"`
}

func (s *RowSums) header() *sumsHeader {
	if s == nil {
		return nil
	}
	return &sumsHeader{s.TotalRows, s.Rows.Cols, s.Rows}
}

// sums returns the saved row sums of a model.
func (h *sumsHeader) sums(a *model.Archive, m *Model) *RowSums {
	_, normalised := m.Kernel.Normaliser()
	if normalised != (h != nil) {
		a.Fail("header: kernel %s, and row sums %v", m.Kernel, h != nil)
	}
	if h == nil {
		return nil
	}
	if h.Rows.Rows < 1 || int64(h.Rows.Rows) > h.Of || h.Dimension != m.Left.Landmarks.Cols || !dense.Finite(h.Rows) {
		a.Fail("row sums over %d of %d rows with %d columns, for landmarks with %d", h.Rows.Rows, h.Of, h.Dimension, m.Left.Landmarks.Cols)
	}
	return &RowSums{h.Rows, h.Of}
}
