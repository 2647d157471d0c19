package ksvd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Sums says how the sums that normalise rows, and the means that centring takes
// away, are found.
type Sums uint8

const (
	// SumsAuto is exact when it goes over at most [ExactSumEntries], or over at most
	// [ExactSumPaths], and sampled otherwise.
	SumsAuto Sums = iota
	// SumsExact goes over all N·M entries: one pass over tile pairs, two if the kernel is
	// normalised and G is centred. Both sides are held in memory, in the model too, since
	// new rows need the sums as well.
	//
	// For a graph it goes over paths of two edges instead, since all other entries depend
	// on the norms of their two rows alone: except for normalised kernels where a weight
	// is negative, and functions of the distance other than exponentials of its square
	// divided by row sums where there are more than 16384 distinct norms.
	SumsExact
	// SumsSampled takes the sums over the sampled rows and columns, weighted: for
	// uniform samples the sum over m columns times M/m. It costs nothing. For a graph they
	// may be far off: few sampled columns, or none, have anything in common with a row.
	SumsSampled
)

// How much work [SumsAuto] does at most for all sums and means: seconds, and for a graph
// minutes, since sampled ones are so poor there.
const (
	ExactSumEntries = 1 << 32 // entries of G
	ExactSumPaths   = 1 << 34 // paths of two edges
)

// summing is how sums and means are found.
type summing struct {
	sums    Sums // exact or sampled; exact if there are none
	byPaths bool
	passes  int // over all entries, or over all paths
	note    string
}

// summing resolves [Nystrom.Sums].
func (m Nystrom) summing(s model.Shape, t *entries) summing {
	r := summing{sums: SumsExact, byPaths: t.pathSums(s)}
	if t.normalised {
		r.passes++
	}
	if m.Centre {
		r.passes++
		if r.byPaths && !t.normalised { // over either side
			r.passes++
		}
	}
	switch {
	case r.passes == 0 || m.Sums == SumsExact:
	case m.Sums == SumsSampled:
		r.sums = SumsSampled
	default:
		r.sums, r.note = automatic(s, r)
	}
	return r
}

// automatic resolves SumsAuto, and says why where sums are sampled.
func automatic(s model.Shape, r summing) (Sums, string) {
	work, most, what, warning := float64(s.Rows)*float64(s.Cols), float64(ExactSumEntries), "entries", ""
	if r.byPaths {
		work, most, what = float64(s.Sparse.Paths), ExactSumPaths, "paths of two edges"
	}
	work *= float64(r.passes)
	if work <= most {
		return SumsExact, ""
	}
	if s.Sparse != nil {
		warning = ", and estimates are poor for a graph, few of whose sampled columns have anything in common with a row"
	}
	return SumsSampled, fmt.Sprintf("row sums and means are estimated from the samples: exact ones go over %.3g %s, more than %.3g%s (`sums exact` makes them exact)", work, what, most, warning)
}

// Summing resolves SumsAuto for data of a shape: exact, or sampled, and then a sentence
// that says why. Where there are no sums and no means they are exact. It is an error
// where the kernel cannot be computed between sparse rows.
func (m Nystrom) Summing(s model.Shape, k kernelgen.Kernel) (Sums, string, error) {
	t, err := plannedEntries(k, s)
	if err != nil {
		return 0, "", err
	}
	r := m.summing(twoSided(s), t)
	return r.sums, r.note, nil
}

// statistics are the sums of all rows of G and the means of its rows and columns.
type statistics struct {
	logSums            []float64 // logarithms of the row sums; nil unless normalised
	rowMeans, colMeans []float64 // nil unless centred
	grand              float64
}

// grid are all rows of both sides in memory, cut into the blocks of exact passes.
type grid struct {
	entries     *entries
	engine      stream.Engine
	name        [2]string
	left, right []*points
	rows, cols  int64
	passes      int
}

func newGrid(e stream.Engine, d *Data, t *entries, left, right *points) *grid {
	g := &grid{entries: t, engine: e, name: [2]string{d.left.name(), d.right.name()}, rows: int64(left.count()), cols: int64(right.count()),
		left: left.chunks(stream.PairRows), right: right.chunks(stream.PairRows)}
	for _, r := range g.right {
		if r.sparse != nil {
			r.columns() // before workers share it
		}
	}
	return g
}

// tile visits a raw tile; i and j are the numbers of its first row and column.
type tileVisitor func(tile blas64.General, i, j int) error

// pairs makes an exact pass over all raw tiles, with the promises of
// [stream.Pairs].
func (g *grid) pairs(ctx context.Context, name string, visit func() tileVisitor) error {
	g.passes++
	rows := stream.NewRowNumbers(g.name[0], g.rows)
	cols := stream.NewRowNumbers(g.name[1], g.cols)
	return stream.Pairs(ctx, g.engine, name, rows, cols, stream.Full, func() func(i, j *stream.Block) error {
		var w scratch
		buf := make([]float64, min(stream.PairRows, g.rows)*min(stream.PairRows, g.cols))
		do := visit()
		return func(i, j *stream.Block) error {
			n, m := i.X.Rows, j.X.Rows
			tile := blas64.General{Rows: n, Cols: m, Stride: m, Data: buf[:n*m]}
			g.entries.fill(tile, g.left[i.Index], g.right[j.Index], &w)
			return do(tile, int(i.Start), int(j.Start))
		}
	})
}

// statistics goes over all entries: once for the row sums of a normalised kernel,
// and once for the means if they are wanted.
func (g *grid) statistics(ctx context.Context, centre bool) (*statistics, error) {
	s := &statistics{}
	var err error
	if g.entries.normalised {
		if s.logSums, err = g.logSums(ctx); err != nil {
			return nil, err
		}
	}
	if centre {
		err = g.means(ctx, s)
	}
	return s, err
}

// logSums returns the logarithms of the sums of the rows.
func (g *grid) logSums(ctx context.Context) ([]float64, error) {
	sums := make([]logsum.Sum, g.rows)
	err := g.pairs(ctx, "row sums", func() tileVisitor {
		var w scratch
		return func(tile blas64.General, i, _ int) error {
			for k := range tile.Rows {
				g.entries.addSum(&sums[i+k], dense.Row(tile, k), nil, &w)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(sums))
	for i := range sums {
		if logs[i] = g.entries.logOf(sums[i]); logs[i]-logs[i] != 0 {
			return nil, g.entries.badSum(g.name[0], int64(i), logs[i])
		}
	}
	return logs, nil
}

// means fills in the means of the rows and columns of G.
func (g *grid) means(ctx context.Context, s *statistics) error {
	s.rowMeans, s.colMeans = make([]float64, g.rows), make([]float64, g.cols)
	err := g.pairs(ctx, "means", func() tileVisitor {
		return func(tile blas64.General, i, j int) error {
			g.entries.divide(tile, s.sumsOf(i, tile.Rows))
			addMeans(tile, s.rowMeans[i:], s.colMeans[j:])
			return nil
		}
	})
	if err != nil {
		return err
	}
	s.finish()
	return s.check(g.entries.kernel.String(), g.name)
}

// sumsOf returns the sums of n rows.
func (s *statistics) sumsOf(first, n int) []float64 {
	if s.logSums == nil {
		return nil
	}
	return s.logSums[first : first+n]
}

// addMeans adds the entries of a tile to the sums of its rows and columns.
func addMeans(tile blas64.General, rows, cols []float64) {
	for i := range tile.Rows {
		sum := 0.0
		for j, v := range dense.Row(tile, i) {
			sum += v
			cols[j] += v
		}
		rows[i] += sum
	}
}

// finish turns sums of rows and columns into means.
func (s *statistics) finish() {
	for i := range s.rowMeans {
		s.rowMeans[i] /= float64(len(s.colMeans))
		s.grand += s.rowMeans[i]
	}
	s.grand /= float64(len(s.rowMeans))
	for j := range s.colMeans {
		s.colMeans[j] /= float64(len(s.rowMeans))
	}
}

// check names the first row or column whose mean is not finite.
func (s *statistics) check(kernel string, name [2]string) error {
	for side, means := range [][]float64{s.rowMeans, s.colMeans} {
		for i, v := range means {
			if v-v != 0 {
				return badRow(name[side], int64(i), fmt.Sprintf("the mean of kernel %s over the other side is %v", kernel, v))
			}
		}
	}
	return nil
}

func badRow(name string, row int64, what string) error {
	return &stream.BadValueError{Source: name, Row: row, Reason: what + "; scale the columns (`scale standard`) or drop the row"}
}

// badSum returns the error of a row that cannot be normalised.
func (e *entries) badSum(name string, row int64, log float64) error {
	return badRow(name, row, fmt.Sprintf("the logarithm of the row sum of kernel %s is %v", e.kernel, log))
}

// addSum adds a row of a raw tile, each entry times its weight; nil weights are 1. Entries that
// are no exponents are added to Rest.
func (e *entries) addSum(s *logsum.Sum, raw, weight []float64, w *scratch) {
	if len(raw) == 0 {
		return
	}
	if e.exponent == 0 {
		s.Rest += weightedSum(raw, weight)
		return
	}
	w.exps = append(w.exps[:0], raw...)
	s.AddWeighted(w.exps, weight)
}

// weightedSum returns Σ v_j·weight_j; nil weights are 1.
func weightedSum(v, weight []float64) (sum float64) {
	if weight == nil {
		return dense.Sum(v)
	}
	for j, x := range v {
		sum += x * weight[j]
	}
	return sum
}

// logOf returns the logarithm of a sum.
func (e *entries) logOf(s logsum.Sum) float64 {
	if e.exponent == 0 {
		return math.Log(s.Rest)
	}
	return s.Log()
}

// plain returns a sum that is not given by its logarithm.
func (e *entries) plain(s logsum.Sum) float64 {
	if e.exponent == 0 {
		return s.Rest
	}
	return s.Plain()
}
