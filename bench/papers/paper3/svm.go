package paper3

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
)

// svmSetting has the parameters chosen by cross-validation.
type svmSetting struct {
	sigma float64 // of exp(−‖x−z‖²/(2σ²))
	gamma float64 // weight of the errors
}

// predict returns the classes of new rows by a least-squares SVM with a Gaussian kernel, one
// class against the rest. Cost: n³/3 flops and 4n² numbers for n training rows.
func (s svmSetting) predict(train blas64.General, labels []int, classes int, fresh blas64.General) ([]int, error) {
	k := kernelgen.RBF(1 / (2 * s.sigma * s.sigma))
	between, across := lab.Kernel(k, train, train).RawMatrix(), lab.Kernel(k, fresh, train).RawMatrix()
	decisions, err := lssvm.NewDual(between, across, lssvm.Targets(labels, classes)).Decisions(1, s.gamma)
	if err != nil {
		return nil, err
	}
	return lssvm.Winners(decisions), nil
}

// The grid of cross-validation: widths in median distances, γ. The usual ones come first, and win ties.
var (
	svmWidths = []float64{1, 2, 0.5, 0.25}
	svmGammas = []float64{10, 1, 100, 1000}
)

// Cross-validation within the training rows: the number of folds, and the size of the stratified sample of many rows.
const (
	svmFolds  = 5
	svmSample = 1500
)

// chooseSVM returns the setting with the best mean accuracy over folds of the training rows, the first in a tie. It
// uses no other rows.
func chooseSVM(ctx context.Context, z blas64.General, labels []int, classes int) (svmSetting, error) {
	z, labels, err := someRows(z, labels)
	if err != nil {
		return svmSetting{}, err
	}
	folds, err := split.StratifiedKFold(labels, svmFolds, seed)
	if err != nil {
		return svmSetting{}, err
	}
	median := cmp.Or(datasets.MedianDistance(z, 1000), 1) // 0 if most rows are equal
	best, most := svmSetting{}, math.Inf(-1)
	for _, width := range svmWidths {
		for _, gamma := range svmGammas {
			s, sum := svmSetting{sigma: width * median, gamma: gamma}, 0.0
			for _, f := range folds {
				if err := context.Cause(ctx); err != nil {
					return best, err
				}
				right, err := s.score(z, labels, classes, f)
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

// score returns the accuracy on the test rows of a model of the training rows.
func (s svmSetting) score(z blas64.General, labels []int, classes int, f split.Split) (float64, error) {
	train, test := lab.PickRows(z, f.Train), lab.PickRows(z, f.Test)
	predicted, err := s.predict(train, scores.Picked(labels, f.Train), classes, test)
	if err != nil {
		return 0, err
	}
	return metrics.Accuracy(scores.Picked(labels, f.Test), predicted)
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
	return lab.PickRows(z, parts[0].Test), scores.Picked(labels, parts[0].Test), nil
}
