package ridge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Defaults of cross-validation.
const (
	defaultFolds = 5
	// heldOutFrom is the number of landmarks from which a single held-out tenth of the rows replaces the folds: two
	// Gram matrices instead of five.
	heldOutFrom  = 3000
	heldOutParts = 10
	// Up to mostDealt groups, or dealtPerPart for each part, are assigned to parts by weight. Hashes assign larger
	// numbers: with 51 groups and 5 parts, they leave a part empty once in 17,000 fits.
	maxDealt     = 50
	dealtPerPart = 10
)

// folding assigns groups of rows to parts. Parts 0 to tested − 1 are validation sets. Rows of later parts are in all
// training sets.
type folding struct {
	random        sketch.Random
	parts, tested int
	share         uint64         // the fraction 1/share of the rows, if one part is tested
	deal          map[uint64]int // parts of groups assigned by weight; hashes assign all others
}

// folding returns the division of rows for the number of landmarks: with many, a single held-out tenth saves memory and
// time, since each fold has its own Gram matrix.
func (s Solver) folding(landmarks int) (folding, error) {
	f := folding{random: sketch.NewRandom(s.Seed, "folds"), parts: s.Folds, share: heldOutParts}
	if s.forMetric {
		f = folding{random: sketch.NewRandom(s.Seed, "metric rows"), parts: 1, share: metricShare}
	}
	if f.parts == 0 {
		f.parts = defaultFolds
		if landmarks > heldOutFrom {
			f.parts = 1
		}
	}
	f.tested = f.parts
	switch {
	case f.parts < 0:
		return f, fmt.Errorf("`Folds %d` must not be negative", s.Folds)
	case f.parts == 1:
		f.parts = 2
	}
	return f, nil
}

// part returns the part of a group: see [responses].
func (f folding) part(group uint64) int {
	if part, dealt := f.deal[group]; dealt {
		return part
	}
	draws := f.random.At(group)
	if f.tested == 1 {
		return int(min(1, draws.Uint64n(f.share)))
	}
	return int(draws.Uint64n(uint64(f.parts)))
}

// dealt assigns groups to parts greedily, the heaviest group first, each to the lightest part. Then no part is empty,
// and there are at most as many parts as groups. Hashes still assign groups that are not in sizes, and all groups if
// there are many.
func (f folding) dealt(sizes map[uint64]float64) folding {
	ways := f.parts
	if f.tested == 1 {
		ways = int(f.share)
	}
	if len(sizes) < 2 || len(sizes) > max(maxDealt, dealtPerPart*ways) {
		return f
	}
	groups := slices.SortedFunc(maps.Keys(sizes), func(a, b uint64) int { // equal weights are ordered by hash
		drawsA, drawsB := f.random.At(a), f.random.At(b)
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(drawsA.Uint64(), drawsB.Uint64()), cmp.Compare(a, b))
	})
	f.deal = make(map[uint64]int)
	if f.tested == 1 {
		f.holdOut(groups, sizes)
		return f
	}
	f.parts = min(f.parts, len(groups))
	f.tested = f.parts
	loads := make([]float64, f.parts)
	for _, group := range groups {
		part := floats.MinIdx(loads)
		f.deal[group] = part
		loads[part] += sizes[group]
	}
	return f
}

// holdOut holds out the lightest groups, at least one, with a total weight nearest to the share.
func (f folding) holdOut(groups []uint64, sizes map[uint64]float64) {
	left := 0.0 // weight still to hold out
	for _, group := range groups {
		left += sizes[group] / float64(f.share)
	}
	for i, group := range slices.Backward(groups) {
		f.deal[group] = 1
		if size := sizes[group]; i == len(groups)-1 || size < 2*left {
			f.deal[group] = 0
			left -= size
		}
	}
}

// identity returns the values that determine the bits of sums, besides the seed and the groups.
func (f folding) identity() []any {
	groups := slices.Sorted(maps.Keys(f.deal))
	parts := []int64{int64(f.parts), int64(f.tested)}
	for _, group := range groups {
		parts = append(parts, int64(f.deal[group]))
	}
	return []any{groups, parts}
}

// sizes returns the weight of each group, relative to the heaviest row.
func (k *responses) sizes() map[uint64]float64 {
	sizes := make(map[uint64]float64)
	for i, share := range relativeWeights(k.rowWeight) {
		sizes[k.group[i]] += share
	}
	return sizes
}

// checkFolds fails if there are fewer rows than folds, or fewer than two.
func (s Solver) checkFolds(rows int64) error {
	if least := int64(max(2, s.Folds)); rows < least {
		return stream.NewDataError("", "%d folds of %d rows: each needs a row", least, rows)
	}
	return nil
}

// deal assigns the groups of a pool to folds. It fails if there are fewer groups than folds need.
func (f *fit) deal(drawn *pool, landmarks int) (err error) {
	if f.folds, err = f.folding(landmarks); err != nil {
		return err
	}
	sizes := drawn.known.sizes()
	switch {
	case !drawn.whole:
	case f.columns.foldBy >= 0 && len(sizes) == 1:
		return f.oneGroup(drawn.oneGroup)
	case f.columns.foldBy < 0:
		if err := f.checkFolds(int64(len(sizes))); err != nil {
			return fmt.Errorf("%s: %w", f.data.Rows.Info().Name, err)
		}
	}
	f.folds = f.folds.dealt(sizes)
	return nil
}

// oneGroup returns the error for a group column with a single value.
func (f *fit) oneGroup(value string) error {
	return stream.NewDataError(f.data.Rows.Info().Name, "column %q of `Data.FoldBy` is %s in all rows: folds need two values or more", f.data.FoldBy, value).
		WithRemedy("take another column, or none")
}

// mostHeldOut is the fraction of the weight above which a held-out "tenth" is noted.
const mostHeldOut = 0.2

// noteFolds notes that few groups gave fewer folds than requested, or a larger held-out part.
func (c *candidate) noteFolds(fit *Fit) {
	const why = ": column %q of `Data.FoldBy` has few values"
	if c.data.FoldBy == "" {
		return
	}
	if asked := cmp.Or(c.Folds, defaultFolds); c.folds.tested > 1 && c.tested < asked {
		fit.Note(fmt.Sprintf("%d folds, not %d"+why, c.tested, asked, c.data.FoldBy))
	}
	at := c.upper.Cols
	if held := matrix.Row(c.grams[0], at)[at] / c.all.weight; c.folds.tested == 1 && held > mostHeldOut {
		fit.Note(fmt.Sprintf("%.2g of the rows are held out, not a tenth"+why, held, c.data.FoldBy))
	}
}
