package main

import (
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
)

// denseBytes of memory are taken for granted.
const denseBytes = 4 << 30

// denseFlops is the work of a decomposition below which nobody waits for a fit either.
const denseFlops = 1e8

// denseNote tells of a fit that costs more than a decomposition of the whole matrix, if that
// fits into memory.
func (j *job) denseNote(fit *planResult, s model.Shape, symmetric bool) []string {
	symmetric = symmetric && s.OneSource()
	dense := model.PlanDense(j.engine(), s, symmetric)
	exact, need := fit.seconds(dense), dense.Memory.Total()
	if dense.Flops < denseFlops || float64(fit.EstimatedSeconds) <= exact || need > max(int64(j.memory), fit.MemoryBytes, denseBytes) {
		return nil
	}
	cols, what, by := s.Cols, "singular value decomposition", "call NumPy's svd or another"
	if s.OneSource() {
		cols = s.Rows
	}
	if symmetric {
		what, by = "eigendecomposition", "call an eigensolver, such as NumPy's eigh"
	}
	return []string{fmt.Sprintf("a dense %s of the %s × %s matrix would be exact and take less, about %s and %s of memory: form it and %s, or lower --rank",
		what, show.Count(s.Rows), show.Count(cols), show.Seconds(exact), show.Bytes(need), by)}
}
