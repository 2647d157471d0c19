package askls

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// solution is the result of an engine.
type solution struct {
	source, target blas64.General // coefficients of K(x, ·) and of K(·, x)
	biases         [2][]float64
	functions      *ksvd.Model    // f_s and f_t without biases; nil for an explicit matrix
	heldOut        blas64.General // n×2k: out-of-fold f_s and f_t of each sample
	ridge          float64
	condition      float64 // NaN if unknown
	iterations     int
	rank           int
	report         model.Report
}

func newSolution() *solution { return &solution{condition: math.NaN()} }

// take reads the functions from a solution of the system.
func (s *solution) take(x blas64.General) {
	parts := partsOf(x)
	s.source, s.target, s.biases = parts.b, parts.a, [2][]float64{parts.b1, parts.b2}
}

// expand turns duals into functions of a row.
func (s *solution) expand(k kernelMatrix) {
	if rows, ok := k.(*ksvd.Matrix); ok {
		s.functions = rows.Functions(s.source, s.target)
	}
}

// check returns an error if a function is not finite.
func (s *solution) check() error {
	for _, m := range []blas64.General{s.source, s.target, s.heldOut, rowMatrix(s.biases[0]), rowMatrix(s.biases[1])} {
		if !dense.Finite(m) {
			return errors.New("the functions are not finite: the kernel overflows, or the system is singular; " +
				"scale the columns (`Treatment.Scale standard`), or give a ridge (`Ridge 1`)")
		}
	}
	return nil
}

// rowMatrix returns a vector as a matrix of one row.
func rowMatrix(v []float64) blas64.General {
	return matrix.Of(v, 1, len(v))
}

// fallbackRidge is λ for singular plain systems.
const fallbackRidge = 1

// fallbackNote returns the note on a singular plain system.
func fallbackNote(condition, ridge float64) string {
	return fmt.Sprintf("the system is singular (condition number %.1e): "+
		"the ridge system (M² + λI)x = Mr with λ = %v was solved instead (`Ridge`)", condition, ridge)
}
