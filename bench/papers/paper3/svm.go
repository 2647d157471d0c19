package paper3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
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
	alpha  blas64.General // a column for each class
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
	m := &kernelSVM{kernel: kernelgen.RBF(1 / (2 * s.sigma * s.sigma)), z: z, bias: make([]float64, classes)}
	n := z.Rows
	k := between(m.kernel, z, z)
	right := stream.NewMatrix(n, classes+1) // Y, and a column of ones
	for i, l := range labels {
		k.Data[i*k.Stride+i] += 1 / s.gamma
		for c := range dense.Row(right, i) {
			right.Data[i*right.Stride+c] = -1
		}
		right.Data[i*right.Stride+l] = 1
		right.Data[i*right.Stride+classes] = 1
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: k.Stride, Data: k.Data, Uplo: blas.Upper})
	if !ok {
		return nil, fmt.Errorf("the kernel matrix plus %g is not positive definite", 1/s.gamma)
	}
	lapack64.Potrs(factor, right)
	sums := make([]float64, classes+1)
	for i := range n {
		for c, v := range dense.Row(right, i) {
			sums[c] += v
		}
	}
	m.alpha = stream.NewMatrix(n, classes)
	for c := range m.bias {
		m.bias[c] = sums[c] / sums[classes]
	}
	for i := range n {
		r := dense.Row(right, i)
		for c, b := range m.bias {
			m.alpha.Data[i*classes+c] = r[c] - r[classes]*b
		}
	}
	return m, nil
}

// predict returns the class of each row.
func (m *kernelSVM) predict(z blas64.General) []int {
	decisions := dense.Mul(blas.NoTrans, between(m.kernel, z, m.z), blas.NoTrans, m.alpha)
	for i := range decisions.Rows {
		for c, b := range m.bias {
			decisions.Data[i*decisions.Stride+c] += b
		}
	}
	return lssvm.Winners(decisions)
}

// between returns a kernel between all rows of x and of z.
func between(k kernelgen.Kernel, x, z blas64.General) blas64.General {
	a := stream.NewMatrix(x.Rows, z.Rows)
	panel := k.Pack(z)
	var w kernelgen.Workspace
	for first := 0; first < x.Rows; first += stream.PairRows {
		n := min(stream.PairRows, x.Rows-first)
		k.Fill(stream.RowSlice(a, first, n), stream.RowSlice(x, first, n), panel, &w)
	}
	return a
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
func chooseSVM(ctx context.Context, z blas64.General, labels []int, classes int, seed uint64) (svmSetting, error) {
	z, labels, err := someRows(ctx, z, labels, svmSample, seed)
	if err != nil {
		return svmSetting{}, err
	}
	folds, err := split.StratifiedKFold(labels, svmFolds, seed)
	if err != nil {
		return svmSetting{}, err
	}
	median := medianDistance(z)
	best, most := svmSetting{sigma: median, gamma: 1}, math.Inf(-1)
	for _, width := range svmWidths {
		for _, gamma := range svmGammas {
			s := svmSetting{sigma: width * median, gamma: gamma}
			sum := 0.0
			for _, f := range folds {
				right, err := scoreSVM(ctx, z, labels, classes, f, s)
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
func scoreSVM(ctx context.Context, z blas64.General, labels []int, classes int, f split.Split, s svmSetting) (float64, error) {
	train, err := rowsOf(ctx, z, f.Train)
	if err != nil {
		return 0, err
	}
	test, err := rowsOf(ctx, z, f.Test)
	if err != nil {
		return 0, err
	}
	m, err := fitSVM(train, picked(labels, f.Train), classes, s)
	if err != nil {
		return 0, err
	}
	return metrics.Accuracy(picked(labels, f.Test), m.predict(test))
}

// someRows returns a stratified sample of at most so many rows.
func someRows(ctx context.Context, z blas64.General, labels []int, most int, seed uint64) (blas64.General, []int, error) {
	if z.Rows <= most {
		return z, labels, nil
	}
	parts, err := split.StratifiedRandom(labels, float64(most)/float64(z.Rows), 1, seed)
	if err != nil {
		return z, labels, err
	}
	some, err := rowsOf(ctx, z, parts[0].Test)
	return some, picked(labels, parts[0].Test), err
}

// medianDistance returns the median of the distances between the first 1000 rows of z, or
// 1 if that is 0.
func medianDistance(z blas64.General) float64 {
	z.Rows = min(z.Rows, 1000)
	var d []float64
	for i := range z.Rows {
		for j := range i {
			sum := 0.0
			for k, v := range dense.Row(z, i) {
				v -= z.Data[j*z.Stride+k]
				sum += v * v
			}
			d = append(d, sum)
		}
	}
	slices.Sort(d)
	if median := math.Sqrt(d[len(d)/2]); median > 0 {
		return median
	}
	return 1 // most rows are one and the same
}

// rowsOf returns some rows of x, copied.
func rowsOf(ctx context.Context, x blas64.General, rows []int64) (blas64.General, error) {
	return stream.GatherRows(ctx, stream.FromMatrix("rows", x), rows)
}

// picked returns the values with the given numbers.
func picked[T any](all []T, rows []int64) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}
