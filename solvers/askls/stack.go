package askls

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/internal/logistic"
)

// maxLogOdds is the magnitude of the log-odds of a class with all samples or none.
const maxLogOdds = 40

// foldScale returns the factor of K in the systems of folds. Rows of a normalised kernel sum to 1 over all samples, and
// to (F−1)/F on average without a fold; the factor is the inverse. Without it, singular values near 1/γ would cross it,
// and functions of folds would differ from those of all samples. On heart.dat (sne(gamma=1), C 1, --train-fraction 0.6,
// --merge stack), the test accuracy of two seeds would fall from .85 and .67 to .16 and .22.
func (f *fit) foldScale() float64 {
	if len(f.folds) == 0 || f.data.explicit() {
		return 1
	}
	if _, normalised := f.kernel.Normaliser(); !normalised {
		return 1
	}
	return float64(len(f.folds)) / float64(len(f.folds)-1)
}

// NewStack returns the Stack of a [Model]: for each class, a logistic regression with smoothed labels on out-of-fold
// f_s and f_t. heldOut is n×2k, as in [Model.Decide], and labels has n elements. A class with all samples or none gets
// constant log-odds of ±40.
//
// Cost: about 10 passes over n×3 numbers for each class.
func NewStack(heldOut blas64.General, labels []int) (blas64.General, error) {
	n, k := heldOut.Rows, heldOut.Cols/2
	stack := matrix.New(k, 3)
	for class := range k {
		x, positive := matrix.New(n, 2), make([]bool, n)
		for i := range n {
			row := matrix.Row(heldOut, i)
			x.Data[2*i], x.Data[2*i+1] = row[class], row[k+class]
			positive[i] = labels[i] == class
		}
		m, err := logistic.Fit(x, positive)
		switch {
		case errors.Is(err, logistic.ErrOneClass):
			if stack.Data[3*class+2] = -maxLogOdds; positive[0] {
				stack.Data[3*class+2] = maxLogOdds
			}
		case err != nil:
			return stack, fmt.Errorf("stacking class %d: %w", class, err)
		default:
			copy(matrix.Row(stack, class), []float64{m.Weights[0], m.Weights[1], m.Bias})
		}
	}
	return stack, nil
}

// merge stores k decisions in dst, from f_s and f_t of k classes.
func (m *Model) merge(dst, both []float64) {
	k := m.Classes
	s, t := both[:k], both[k:2*k]
	for c := range k {
		switch m.Merge {
		case MergeSource:
			dst[c] = s[c]
		case MergeTarget:
			dst[c] = t[c]
		case MergeStack:
			w := matrix.Row(m.Stack, c)
			dst[c] = w[0]*s[c] + w[1]*t[c] + w[2]
		default:
			dst[c] = s[c]/2 + t[c]/2
		}
	}
}
