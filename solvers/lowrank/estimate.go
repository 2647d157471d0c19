package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The error estimate is stratified. A method knows the landmarks of A, and may
// be better or worse there than anywhere else, so the rows of a source fall into
// two strata: its landmarks, all of which are looked at, and the others, of
// which a sample is that no sketch has seen. Means of squares over the sampled
// entries of each pair of strata are weighed as the entries occur in A; for one
// source the diagonal, where the shift acts, is a stratum of its own.

// stratum is rows of a source that stand for others.
type stratum struct {
	rows *panel
	of   float64        // number of rows of the source that they stand for
	u    blas64.General // their embedding
}

// strata splits the n rows of a source.
func (t *tiles) strata(side *Embedding, landmarks []int64, known blas64.General, held *panel, n int64) ([]stratum, error) {
	p := side.pack(t)
	own := t.pack(known, landmarks, nil)
	all := []stratum{{rows: own, of: float64(len(landmarks))}, {rows: held, of: float64(n - int64(len(landmarks)))}}
	for i := range all {
		var err error
		if all[i].u, err = t.embedRows(side, p, all[i].rows, "rows of the error estimate"); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// estimate is the estimated relative Frobenius error of a model. The landmarks
// of A's rows are those of the right embedding, and the other way round: u(x)
// compares a left row with landmarks among the right rows.
func (t *tiles) estimate(m *Model, heldLeft, heldRight *panel) (float64, error) {
	if len(heldLeft.number) < 2 || len(heldRight.number) < 2 {
		return math.NaN(), nil
	}
	left, err := t.strata(m.Left, m.right().Rows, m.right().Landmarks, heldLeft, m.Rows)
	if err != nil {
		return 0, err
	}
	right := left
	if !m.Symmetric() {
		if right, err = t.strata(m.Right, m.Left.Rows, m.Left.Landmarks, heldRight, m.Cols); err != nil {
			return 0, err
		}
	}
	var sum frobenius
	for i := range left {
		for j := range right {
			if err := t.addStrata(&sum, m, left[i], right[j], m.Symmetric() && i == j); err != nil {
				return 0, err
			}
		}
	}
	return ratio(math.Sqrt(sum.diff), math.Sqrt(sum.entry)), nil
}

// addStrata adds what the entries between two strata stand for. same says that
// they are one stratum of a symmetric matrix, with a diagonal.
func (t *tiles) addStrata(sum *frobenius, m *Model, a, b stratum, same bool) error {
	var off, on frobenius
	approx := mul(blas.NoTrans, scaleCols(a.u, m.Values), blas.Trans, b.u)
	err := t.eachTile(a.rows.rows, b.rows, func(first int, tile blas64.General) error {
		for i := range tile.Rows {
			guess := rowOf(approx, first+i)
			for j, v := range rowOf(tile, i) {
				if same && first+i == j {
					on.add(v, v-guess[j]-m.Shift)
				} else {
					off.add(v, v-guess[j])
				}
			}
		}
		return nil
	})
	if same {
		sum.weigh(on, a.of)
		sum.weigh(off, a.of*(a.of-1))
	} else {
		sum.weigh(off, a.of*b.of)
	}
	return err
}

// frobenius sums squares of entries and of errors.
type frobenius struct {
	n           int
	entry, diff float64
}

func (f *frobenius) add(entry, diff float64) {
	f.n++
	f.entry += entry * entry
	f.diff += diff * diff
}

// weigh adds the mean squares of a sample of entries that stands for count.
func (f *frobenius) weigh(sample frobenius, count float64) {
	if sample.n > 0 {
		f.entry += sample.entry / float64(sample.n) * count
		f.diff += sample.diff / float64(sample.n) * count
	}
}
