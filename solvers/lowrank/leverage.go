package lowrank

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// leverageSample returns how many of m rows ridge leverage scores are estimated from.
func leverageSample(m, c int) int { return min(m, 4*c) }

// leverageRank returns the rank k for which c rows drawn by leverage are enough: about
// k·log k of them are needed, and of scores for a larger k those of rows far from
// all others stand out too much.
func leverageRank(c int) int {
	if c < 3 {
		return 1
	}
	return int(math.Ceil(float64(c) / (4 * math.Log(float64(c)))))
}

// leverageRows draws c rows of a panel without replacement, each in proportion
// to its ridge leverage score among those that are left. The random number of a
// row depends on its number in the source only (Efraimidis & Spirakis 2006).
func (t *tiles) leverageRows(ctx context.Context, e stream.Engine, p *panel, c int, seed uint64) ([]int, error) {
	scores, err := t.leverageScores(ctx, e, p, c, seed)
	if err != nil {
		return nil, err
	}
	random := sketch.NewRandom(seed, "leverage")
	type key struct {
		row            int
		place, uniform float64
	}
	keys := make([]key, len(scores))
	for i, score := range scores {
		draws := random.At(uint64(p.number[i]))
		u := draws.Float64()
		keys[i] = key{i, math.Inf(1), u}
		if score > 0 {
			keys[i].place = -math.Log1p(-u) / score
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.uniform, b.uniform), a.row-b.row)
	})
	rows := make([]int, c)
	for i := range rows {
		rows[i] = keys[i].row
	}
	return rows, nil
}

// leverageScores estimates the ridge leverage scores (K·(K + λI)⁻¹)_ii of the
// m rows of a panel (Alaoui & Mahoney 2015) from s = min(m, 4c) of them, S, drawn
// uniformly, as Musco & Musco (2017), Lemma 6, do:
//
//	(K_ii − K_iS·(K_SS + (s/m)·λI)⁻¹·K_Si)/λ, at most 1
//
// where λ is the sum of all but the k largest eigenvalues of K over k, estimated
// by those of K_SS times m/s, and at least [RankTolerance] of the largest, and
// k = ⌈c/(4·ln c)⌉. With s = m the scores are exact.
//
// Cost: (m + 2s)·s kernel entries, 2·m·s² + O(s³) flops, O(s²) numbers.
func (t *tiles) leverageScores(ctx context.Context, e stream.Engine, p *panel, c int, seed uint64) ([]float64, error) {
	m := p.rows.Rows
	sample := t.pick(p, leverageNumbers(p, c, seed))
	if err := t.chooseUnit(ctx, e, sample.rows, sample); err != nil {
		return nil, err
	}
	defer func() { t.unit = 1 }() // the landmarks decide
	eig, err := t.eigenBetween(ctx, e, sample)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, m)
	ridge := leverageRidge(eig.Values, leverageRank(c))
	if ridge == 0 {
		return scores, nil
	}
	t.diag(scores, p.rows)
	root := ridgeRoot(eig, ridge)
	lambda := ridge * float64(m) / float64(sample.rows.Rows)
	return scores, t.eachTile(ctx, e, p.rows, sample, func(first int, tile blas64.General) error {
		part := dense.Mul(blas.NoTrans, tile, blas.NoTrans, root)
		for i := range part.Rows {
			row := dense.Row(part, i)
			score := (scores[first+i] - dense.Dot(row, row)) / lambda
			if !(score < 1) {
				score = 1 // NaN as well: a row out of all proportion
			}
			scores[first+i] = math.Max(0, score)
		}
		return nil
	})
}

// leverageNumbers draws the numbers of the rows that scores are estimated from.
func leverageNumbers(p *panel, c int, seed uint64) []int64 {
	m := p.rows.Rows
	var numbers []int64
	for _, i := range sketch.NewRandom(seed, "leverage sample").Choose(int64(m), leverageSample(m, c)) {
		numbers = append(numbers, p.number[i])
	}
	return union(numbers)
}

// leverageRidge returns (s/m)·λ from the eigenvalues of K_SS, 0 if they are.
func leverageRidge(values []float64, k int) float64 {
	tail := 0.0
	for _, v := range values[min(k, len(values)):] {
		tail += math.Max(0, v)
	}
	return max(tail/float64(k), RankTolerance*values[0], 0)
}

// ridgeRoot returns V·(Λ + ridge)^(−1/2), without eigenvalues that are not positive.
func ridgeRoot(eig *eigen, ridge float64) blas64.General {
	var w []float64
	for _, v := range eig.Values {
		if v > 0 {
			w = append(w, 1/math.Sqrt(v+ridge))
		}
	}
	return scaledColumns(dense.Columns(eig.Vectors, 0, len(w)), w)
}
