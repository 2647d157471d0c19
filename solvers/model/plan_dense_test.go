package model

import (
	"testing"

	"github.com/nystream/nystream/stream"
)

// TestPlanDense: a symmetric matrix takes half the entries and less work than another of its size,
// and a matrix takes as much as its transpose.
func TestPlanDense(t *testing.T) {
	t.Parallel()
	plan := func(rows, cols int64, symmetric bool) *Plan {
		return PlanDense(stream.Engine{}, Shape{Rows: rows, Cols: cols, Columns: 5}, symmetric)
	}
	one, square := plan(1000, 0, true), plan(1000, 0, false)
	if one.KernelEntries != 500_000 || square.KernelEntries != 1_000_000 || one.Flops >= square.Flops {
		t.Errorf("symmetric: %d entries, %g flops; not: %d, %g", one.KernelEntries, one.Flops, square.KernelEntries, square.Flops)
	}
	wide, tall := plan(300, 2000, false), plan(2000, 300, false)
	if wide.KernelEntries != 600_000 || wide.Flops != tall.Flops || wide.Memory.Total() != tall.Memory.Total() {
		t.Errorf("300 × 2000: %d entries, %g flops, %d bytes; transposed: %g, %d", wide.KernelEntries, wide.Flops, wide.Memory.Total(), tall.Flops, tall.Memory.Total())
	}
	if same := plan(1000, 1000, false); same.Flops != square.Flops {
		t.Errorf("1000 × 1000 of two sources: %g flops, of one: %g", same.Flops, square.Flops)
	}
}
