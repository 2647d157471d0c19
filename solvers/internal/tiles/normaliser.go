package tiles

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/stream"
)

// SumRule says over which rows the row sums of a normalised kernel go.
type SumRule uint8

const (
	SumsAuto    SumRule = iota // exact as far as their cost allows
	SumsExact                  // over all right rows
	SumsSampled                // over sampled right rows, weighted
)

// ExactSumEntries is the most entries that exact row sums are made of where nobody asks for them: seconds.
const ExactSumEntries = 1 << 32

var sumWords = []string{"auto", "exact", "sampled"}

// String returns the word for a rule.
func (s SumRule) String() string { return words.Of(sumWords, s) }

// ParseSums returns the rule that a word of String stands for.
func ParseSums(word string) (SumRule, error) { return words.Parse[SumRule]("sums", sumWords, word) }

const (
	sumRows = 64   // left rows of a tile that is summed
	allRows = 1024 // right rows of it
)

// SumTile is the number of entries that a worker holds for row sums.
const SumTile = sumRows * allRows

// SetNormaliser makes tiles of dense rows those of the entries of a normalised kernel: row sums go over the given
// rows, each of which stands for so many of the right source. So an entry is a function of its two rows alone,
//
//	K(x, z) = weight·f(x, z) / (each·Σ_j f(x, rows_j))
//
// exact over all right rows, and an estimate over sampled ones. It comes before the first tile. Cost: an entry
// for each left row and each of the rows, whenever tiles of the left row are filled; those of [Rows] are kept.
func (t *Tiles) SetNormaliser(rows blas64.General, each float64) {
	t.over = (&Rows{Dense: rows}).Blocks(allRows)
	t.overLog = math.Log(each)
}

// Summed returns the number of rows that row sums go over, 0 without a normaliser.
func (t *Tiles) Summed() (n int) {
	for _, z := range t.over {
		n += z.Count()
	}
	return n
}

// Sum finds the row sums of left rows that many tiles share, with the workers of an engine.
func (t *Tiles) Sum(ctx context.Context, e stream.Engine, r *Rows) error {
	if t.over == nil {
		return nil
	}
	sums := make([]float64, r.Count())
	err := stream.Each(ctx, e.Threads, (len(sums)+sumRows-1)/sumRows, func(i int) error {
		var w kernelgen.Workspace
		first := i * sumRows
		part := stream.RowSlice(r.Dense, first, min(sumRows, len(sums)-first))
		copy(sums[first:], t.logSums(part, &w))
		return nil
	})
	if err == nil {
		r.summing.Do(func() { r.sums = sums })
	}
	return err
}

// logSums returns the logarithms of the row sums of left rows.
func (r *Rows) logSums(t *Tiles) []float64 {
	r.summing.Do(func() { r.sums = t.logSums(r.Dense, new(kernelgen.Workspace)) })
	return r.sums
}

// logSums returns the logarithms of the row sums of rows; NaN, which makes entries NaN, where one is not finite.
func (t *Tiles) logSums(x blas64.General, w *kernelgen.Workspace) []float64 {
	logs := make([]float64, x.Rows)
	var work Work
	sums := make([]logsum.Sum, min(sumRows, x.Rows))
	for first := 0; first < x.Rows; first += sumRows {
		rows := stream.RowSlice(x, first, min(sumRows, x.Rows-first))
		clear(sums)
		for _, z := range t.over {
			t.addSums(sums, rows, z, w, &work)
		}
		for i := range rows.Rows {
			log, err := t.LogSum(sums[i], "", 0)
			if err != nil {
				log = math.NaN()
			}
			logs[first+i] = log + t.overLog
		}
	}
	return logs
}

// addSums adds the raw entries between left and right rows to the sums of the left ones.
func (t *Tiles) addSums(sums []logsum.Sum, left blas64.General, right *Rows, w *kernelgen.Workspace, work *Work) {
	tile, give := t.room(left.Rows, right.Count())
	defer give()
	t.fillRaw(tile, left, right, w)
	for i := range tile.Rows {
		t.AddSum(&sums[i], dense.Row(tile, i), nil, work)
	}
}

// dividedDiagonal puts the entry of each row with itself into dst, times the scale.
func (t *Tiles) dividedDiagonal(dst []float64, x blas64.General) {
	t.raw.Diag(dst, x)
	t.scale(dst)
	t.Divide(blas64.General{Rows: len(dst), Cols: 1, Stride: 1, Data: dst}, t.logSums(x, new(kernelgen.Workspace)))
}
