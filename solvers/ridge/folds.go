package ridge

import (
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// Defaults of cross-validation.
const (
	defaultFolds = 5
	// heldOutFrom is the number of landmarks from which one held-out tenth of the rows takes the
	// place of folds: two Gram matrices in place of five.
	heldOutFrom = 3000
	tenth       = 10
)

// folding says which rows are left out together. Parts 0 to tested − 1 are validated on; the rows of
// a part after these are in all training sets.
type folding struct {
	random        sketch.Random
	parts, tested int
	share         uint64 // one of so many rows is held out once, where one part is tested
}

func (s Solver) folding(landmarks int) (folding, error) {
	f := folding{random: sketch.NewRandom(s.Seed, "folds"), parts: s.Folds, share: tenth}
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
		return f, fmt.Errorf("`folds %d` must not be negative", s.Folds)
	case f.parts == 1:
		f.parts = 2
	}
	return f, nil
}

// part returns the part of a group: see [known]. It depends on the seed and the group alone.
func (f folding) part(group uint64) int {
	draws := f.random.At(group)
	if f.tested == 1 {
		return int(min(1, draws.Uint64n(f.share)))
	}
	return int(draws.Uint64n(uint64(f.parts)))
}
