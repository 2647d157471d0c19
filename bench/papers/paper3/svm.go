package paper3

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/split"
)

// kernelSVM is a least-squares SVM with a Gaussian kernel, one class against the rest
// (Suykens & Vandewalle 1999), on the whole kernel matrix: with targets Y of ±1
//
//	[ K + I/γ   1 ] [ α ]   [ Y ]
//	[   1ᵀ      0 ] [ b ] = [ 0 ]
//
// and the class of a new row z is the column where k(z)·α + b is largest.
type kernelSVM struct {
	kernel kernelgen.Kernel
	z      blas64.General // the training rows
	alpha  *mat.Dense     // a column for each class
	bias   []float64
}

// svmSetting is what cross-validation chooses.
type svmSetting struct {
	sigma float64 // of exp(−‖x−z‖²/(2σ²))
	gamma float64 // weighs the errors
}

// fitSVM trains on rows z with classes 0..classes−1, each of them in labels. Cost:
// n³/3 flops and n² numbers.
func fitSVM(z blas64.General, labels []int, classes int, s svmSetting) (*kernelSVM, error) {
	m := &kernelSVM{kernel: kernelgen.RBF(1 / (2 * s.sigma * s.sigma)), z: z, alpha: mat.NewDense(z.Rows, classes, nil)}
	k := mat.NewSymDense(z.Rows, lab.Kernel(m.kernel, z, z).RawMatrix().Data)
	right := mat.NewDense(z.Rows, classes+1, nil) // Y, and a column of ones
	for i, l := range labels {
		k.SetSym(i, i, k.At(i, i)+1/s.gamma)
		for c := range classes {
			right.Set(i, c, -1)
		}
		right.Set(i, l, 1)
		right.Set(i, classes, 1)
	}
	var factor mat.Cholesky
	if !factor.Factorize(k) {
		return nil, fmt.Errorf("the kernel matrix plus %g is not positive definite", 1/s.gamma)
	}
	if err := factor.SolveTo(right, right); err != nil {
		return nil, err
	}
	ones := right.ColView(classes)
	for c := range classes {
		column := m.alpha.ColView(c).(*mat.VecDense)
		m.bias = append(m.bias, mat.Sum(right.ColView(c))/mat.Sum(ones))
		column.AddScaledVec(right.ColView(c), -m.bias[c], ones)
	}
	return m, nil
}

// predict returns the class of each row.
func (m *kernelSVM) predict(z blas64.General) []int {
	var decisions mat.Dense
	decisions.Mul(lab.Kernel(m.kernel, z, m.z), m.alpha)
	decisions.Apply(func(_, c int, v float64) float64 { return v + m.bias[c] }, &decisions)
	classes := make([]int, z.Rows)
	model.Largest(classes, decisions.RawMatrix())
	return classes
}

// The grid that cross-validation chooses from: widths in median distances, γ. The usual
// ones come first, and win where others are no better.
var (
	svmWidths = []float64{1, 2, 0.5, 0.25}
	svmGammas = []float64{10, 1, 100, 1000}
)

// Cross-validation within the training rows: its folds, and of how many rows it takes
// a stratified sample when there are more.
const (
	svmFolds  = 5
	svmSample = 1500
)

// chooseSVM returns the setting with the best mean accuracy over folds of the training rows,
// the first of equal ones. No other row takes part.
func chooseSVM(ctx context.Context, z blas64.General, labels []int, classes int) (svmSetting, error) {
	z, labels, err := someRows(z, labels)
	if err != nil {
		return svmSetting{}, err
	}
	folds, err := split.StratifiedKFold(labels, svmFolds, seed)
	if err != nil {
		return svmSetting{}, err
	}
	median := cmp.Or(datasets.MedianDistance(z, 1000), 1) // 0: most rows are one and the same
	best, most := svmSetting{}, math.Inf(-1)
	for _, width := range svmWidths {
		for _, gamma := range svmGammas {
			s, sum := svmSetting{sigma: width * median, gamma: gamma}, 0.0
			for _, f := range folds {
				if err := context.Cause(ctx); err != nil {
					return best, err
				}
				right, err := scoreSVM(z, labels, classes, f, s)
				if err != nil {
					return best, err
				}
				sum += right
			}
			if sum > most {
				best, most = s, sum
			}
		}
	}
	return best, nil
}

// scoreSVM returns the accuracy on the test rows of a model of the training rows.
func scoreSVM(z blas64.General, labels []int, classes int, f split.Split, s svmSetting) (float64, error) {
	m, err := fitSVM(lab.PickRows(z, f.Train), picked(labels, f.Train), classes, s)
	if err != nil {
		return 0, err
	}
	return metrics.Accuracy(picked(labels, f.Test), m.predict(lab.PickRows(z, f.Test)))
}

// someRows returns a stratified sample of at most svmSample rows.
func someRows(z blas64.General, labels []int) (blas64.General, []int, error) {
	if z.Rows <= svmSample {
		return z, labels, nil
	}
	parts, err := split.StratifiedRandom(labels, svmSample/float64(z.Rows), 1, seed)
	if err != nil {
		return z, labels, err
	}
	return lab.PickRows(z, parts[0].Test), picked(labels, parts[0].Test), nil
}

// picked returns the values with the given numbers.
func picked[T any](all []T, rows []int64) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}
