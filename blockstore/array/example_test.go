package array_test

import (
	"fmt"

	"github.com/nystream/nystream/blockstore/array"
)

// The shape of an array determines its number of values.
func ExampleArray() {
	a := array.Array{Name: "values", Shape: []int{2, 3}, Floats: []float64{1, 2, 3, 4, 5, 6}}
	fmt.Println(a.Size(), a.Sound())
	a.Floats = a.Floats[:5]
	fmt.Println(a.Sound())
	// Output:
	// 6 true
	// false
}
