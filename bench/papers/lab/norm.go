package lab

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
)

// The iteration for a norm: number of vectors, tolerance, and limit of steps.
const (
	normWidth     = 8
	normTolerance = 1e-4
	normSteps     = 60
)

// Norm returns ‖E‖₂ of a matrix given by its products, E·x for the left side and Eᵀ·x for the right. The result is a
// lower bound, by simultaneous iteration on EᵀE. It is NaN if a product is not finite.
func Norm(columns int, product func(model.Side, *mat.Dense) (*mat.Dense, error)) (float64, error) {
	x := mat.NewDense(columns, min(columns, normWidth), nil)
	sketch.NewRandom(1, "norm").Normals(x.RawMatrix())
	before := 0.0
	for range normSteps {
		q, _, err := sketch.CholeskyQR(x.RawMatrix())
		var bad *sketch.NonFiniteError
		if errors.As(err, &bad) {
			return math.NaN(), nil
		}
		if err != nil {
			return 0, err
		}
		y, err := product(model.Left, Dense(q))
		if err != nil {
			return 0, err
		}
		if length := mat.Norm(y, 2); math.IsNaN(length) || math.IsInf(length, 0) {
			return math.NaN(), nil
		}
		var svd mat.SVD
		if !svd.Factorize(y, mat.SVDNone) {
			return 0, errors.New("the singular values of a block did not converge")
		}
		now := svd.Values(nil)[0]
		if now-before <= normTolerance*now {
			return now, nil
		}
		before = now
		if x, err = product(model.Right, y); err != nil {
			return 0, err
		}
	}
	return before, nil
}
