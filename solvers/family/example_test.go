package family_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/family"
)

// The class of a row is that of its largest decision value, the first of equal ones.
func ExampleLargest() {
	classes := make([]int, 2)
	family.Largest(classes, blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{
		-1, 2, 0,
		1, 0, 1,
	}})
	fmt.Println(classes)
	// Output: [1 0]
}
