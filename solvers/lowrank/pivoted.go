package lowrank

import (
	"context"
	"errors"
	"math"

	"github.com/nystream/nystream/stream"
)

// pivotRows draws at most c rows of a panel, the pivots of randomly pivoted Cholesky
// (Chen, Epperly, Tropp & Webber 2023), and returns their indices in that order. There
// are fewer if only rounding is left: residuals that are at or below the rank
// tolerance, relative to the diagonal entry that they are left of.
// If the diagonal has nothing at all, one row is returned. name is that of the source
// of the rows; purpose tells one use of the seed from another.
//
// Cost: c·m kernel entries and numbers, c²·m flops, for m rows.
func (t *tiles) pivotRows(ctx context.Context, e stream.Engine, p *panel, c int, seed uint64, name, purpose string) ([]int, error) {
	f, err := t.pivotedPanel(ctx, e, p, c, seed, name, purpose)
	if err != nil {
		return nil, err
	}
	var pivots []int
	for _, r := range f.landmarks() {
		pivots = append(pivots, int(r))
	}
	return pivots, nil
}

// pivotedPanel returns the factorisation of a panel with at most c pivots.
func (t *tiles) pivotedPanel(ctx context.Context, e stream.Engine, p *panel, c int, seed uint64, name, purpose string) (*wholeCholesky, error) {
	if t.unit != 1 {
		panic("lowrank: pivots are drawn before the unit is chosen")
	}
	defer func() { t.unit = 1 }() // the landmarks decide
	e.Progress = nil
	f, err := t.newWholeCholesky(ctx, e, &panel{rows: p.rows, number: stream.Numbers(p.rows.Rows)}, name, c, seed, purpose)
	if err == nil {
		f.block = proposalsAtMost // what they take besides is little, and passes over few rows are short
		err = f.run(ctx)
	}
	var bad *stream.BadValueError
	if errors.As(err, &bad) {
		bad.Row = p.number[bad.Row]
	}
	return f, err
}

// powerNear returns a power of two that brings largest, which is above 0, near 1.
func powerNear(largest float64) float64 { return math.Ldexp(1, min(1000, -math.Ilogb(largest))) }

// drawInProportion returns the index that u in [0, 1) falls on when weights, none of
// them negative, share out the interval; -1 if there is nothing to share.
func drawInProportion(weights []float64, u float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) {
		return -1
	}
	left, last := u*sum, -1
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if left -= w; left < 0 {
			break
		}
	}
	return last
}
