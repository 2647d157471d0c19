package family

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/solvers/model"

	"github.com/nystream/nystream/internal/matrix"
)

// Decisions answers a [model.Request] to a classifier from decision values, one for each class.
type Decisions struct {
	Classes int
	// Probabilities writes class probabilities to dst, one row for each row of decisions. It is nil if the model has
	// none.
	Probabilities func(dst, decisions blas64.General)
}

// Answer writes the columns requested by r to dst, one row for each row of decisions.
func (d Decisions) Answer(dst blas64.General, r model.Request, decisions blas64.General) {
	first, outputs := 0, r.Outputs
	if len(outputs) == 0 {
		outputs = []model.Output{model.Coordinates}
	}
	for _, k := range outputs {
		part := dst
		part.Data = dst.Data[min(first, len(dst.Data)):]
		part.Cols = d.Classes
		switch k {
		case model.Class:
			part.Cols = 1
			for i := range dst.Rows {
				part.Data[i*part.Stride] = float64(floats.MaxIdx(decisions.Data[i*decisions.Stride:][:d.Classes]))
			}
		case model.Probability:
			d.Probabilities(part, decisions)
		default:
			for i := range dst.Rows {
				copy(part.Data[i*part.Stride:][:d.Classes], decisions.Data[i*decisions.Stride:])
			}
		}
		first += part.Cols
	}
}

// Largest writes the index of the largest entry of each row of decisions to classes, the first in a tie.
func Largest(classes []int, decisions blas64.General) {
	for i := range classes {
		classes[i] = floats.MaxIdx(matrix.Row(decisions, i))
	}
}
