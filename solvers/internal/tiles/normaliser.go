package tiles

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/stream"
)

// SumRule selects the right rows in the row sums of a normalised kernel.
type SumRule uint8

const (
	SumsAuto    SumRule = iota // exact if the cost allows it: see [ExactSumEntries]
	SumsExact                  // over all right rows
	SumsSampled                // over sampled right rows, weighted
)

// ExactSumEntries is the largest number of kernel entries for which [SumsAuto] is exact: a few seconds of work.
const ExactSumEntries = 1 << 32

var sumWords = []string{"auto", "exact", "sampled"}

// String returns auto, exact or sampled.
func (s SumRule) String() string { return words.Of(sumWords, s) }

// ParseSums is the inverse of String. It fails for unknown words.
func ParseSums(word string) (SumRule, error) { return words.Parse[SumRule]("sums", sumWords, word) }

const (
	sumRows = 64   // left rows of a tile that is summed
	allRows = 1024 // right rows of such a tile
)

// SumTile is the number of kernel entries that a worker holds in memory for row sums.
const SumTile = sumRows * allRows

// SetNormaliser makes tiles of dense rows those of a normalised kernel. Row sums go over rows, each of which stands for
// each rows of the right source. An entry then depends on its two rows alone:
//
//	K(x, z) = weight·f(x, z) / (each·Σ_j f(x, rows_j))
//
// It is exact if rows are all right rows, and an estimate if they are a sample. Call it before the first tile. Cost:
// one kernel entry for each left row and each of rows, whenever tiles of the left row are filled. Sums of [Rows] are
// cached.
func (t *Tiles) SetNormaliser(rows blas64.General, each float64) {
	t.normaliserRows = (&Rows{Dense: rows}).Blocks(allRows)
	t.normaliserLog = math.Log(each)
}

// RowsPerSum returns the number of rows in each row sum, 0 without a normaliser.
func (t *Tiles) RowsPerSum() (n int) {
	for _, z := range t.normaliserRows {
		n += z.Count()
	}
	return n
}

// CacheSums computes the row sums of r in parallel, and caches them for the tiles that share these left rows.
func (t *Tiles) CacheSums(ctx context.Context, e stream.Engine, r *Rows) error {
	if t.normaliserRows == nil {
		return nil
	}
	sums := make([]float64, r.Count())
	err := stream.Each(ctx, e.Threads, (len(sums)+sumRows-1)/sumRows, func(i int) error {
		var w kernelgen.Workspace
		first := i * sumRows
		part := matrix.Rows(r.Dense, first, min(sumRows, len(sums)-first))
		copy(sums[first:], t.logSums(part, &w))
		return nil
	})
	if err == nil {
		r.sumOnce.Do(func() { r.sums = sums })
	}
	return err
}

// logSums returns the logarithms of the row sums of r, computed on the first call.
func (r *Rows) logSums(t *Tiles) []float64 {
	r.sumOnce.Do(func() { r.sums = t.logSums(r.Dense, new(kernelgen.Workspace)) })
	return r.sums
}

// logSums returns the logarithms of the row sums of x. A sum that is not finite yields NaN, and so do the entries of
// its row.
func (t *Tiles) logSums(x blas64.General, w *kernelgen.Workspace) []float64 {
	logs := make([]float64, x.Rows)
	var work Work
	sums := make([]logsum.Sum, min(sumRows, x.Rows))
	for first := 0; first < x.Rows; first += sumRows {
		rows := matrix.Rows(x, first, min(sumRows, x.Rows-first))
		clear(sums)
		for _, z := range t.normaliserRows {
			t.addSums(sums, rows, z, w, &work)
		}
		for i := range rows.Rows {
			log, err := t.LogSum(sums[i], "", 0)
			if err != nil {
				log = math.NaN()
			}
			logs[first+i] = log + t.normaliserLog
		}
	}
	return logs
}

// addSums adds the raw entries between left and right rows to the sums of the left rows.
func (t *Tiles) addSums(sums []logsum.Sum, left blas64.General, right *Rows, w *kernelgen.Workspace, work *Work) {
	tile, give := t.room(left.Rows, right.Count())
	defer give()
	t.fillRaw(tile, left, right, w)
	for i := range tile.Rows {
		t.AddSum(&sums[i], matrix.Row(tile, i), nil, work)
	}
}

// dividedDiagonal stores the normalised entry of each row with itself, times the scale, in dst.
func (t *Tiles) dividedDiagonal(dst []float64, x blas64.General) {
	t.raw.Diag(dst, x)
	t.scale(dst)
	t.Divide(matrix.Of(dst, len(dst), 1), t.logSums(x, new(kernelgen.Workspace)))
}
