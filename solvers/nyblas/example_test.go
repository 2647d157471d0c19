package nyblas_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/solvers/nyblas"
)

// One line at the start of a program is enough.
func Example() {
	blas64.Use(nyblas.Implementation{})
	defer blas64.Use(gonum.Implementation{}) // only because this is a test

	a := mat.NewDense(200, 200, nil)
	for i := range 200 {
		a.Set(i, 199-i, 2)
	}
	var square mat.Dense
	square.Mul(a, a)
	fmt.Println(square.At(7, 7), square.At(7, 8))
	// Output: 4 0
}
