package paper4

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// machine is AsK-LS, or an LS-SVM with a symmetrised kernel matrix.
type machine uint8

const (
	asymmetric machine = iota // AsK-LS
	meanKernel                // (K + Kᵀ)/2
	sourceGram                // K·Kᵀ, of the features as a source (Tsuda 1999)
	targetGram                // Kᵀ·K, of the features as a target
)

// machines lists the machines in the order of the columns.
var machines = []machine{asymmetric, meanKernel, sourceGram, targetGram}

func (m machine) String() string {
	return []string{"AsK-LS", "LS-SVM (K+Kᵀ)/2", "LS-SVM KKᵀ", "LS-SVM KᵀK"}[m]
}

// of returns the symmetric kernel matrix of an LS-SVM.
func (m machine) of(k *mat.Dense) blas64.General {
	var s mat.Dense
	switch m {
	case sourceGram:
		s.Mul(k, k.T())
	case targetGram:
		s.Mul(k.T(), k)
	default:
		s.Add(k, k.T())
		s.Scale(0.5, &s)
	}
	return s.RawMatrix()
}

// foldCount is the number of folds of a stack.
const foldCount = 10

// learnSymmetric learns labels from the symmetric kernel matrix k, and decides on samples whose kernel with the
// training samples is fresh. Folds hold out labels but not samples: k is unchanged, since the column of a sample is a
// feature of the others.
func learnSymmetric(s lssvm.Bordered, k, fresh blas64.General, labels []int, classes int) (f functions, err error) {
	folds, err := split.StratifiedKFold(labels, foldCount, 1)
	if err != nil {
		return f, err
	}
	targets := lssvm.Targets(labels, classes)
	decisions, err := s.Decisions(k, fresh, targets)
	if err != nil {
		return f, err
	}
	f = functions{fresh: twice(decisions), heldOut: stream.NewMatrix(k.Rows, 2*classes)}
	for _, fold := range folds {
		in, out := lssvm.Submatrix(k, fold.Train, fold.Train), lssvm.Submatrix(k, fold.Test, fold.Train)
		decisions, err := s.Decisions(in, out, lab.PickRows(targets, fold.Train))
		if err != nil {
			return f, err
		}
		for i, r := range fold.Test {
			copy(lab.Row(f.heldOut, int(r)), lab.Row(twice(decisions), i))
		}
	}
	return f, nil
}

// twice returns both functions of each class, which are equal.
func twice(decisions blas64.General) blas64.General {
	var d, both mat.Dense
	d.SetRawMatrix(decisions)
	both.Augment(&d, &d)
	return both.RawMatrix()
}
