// Package array defines the named numeric arrays of which models consist.
package array

// Array is a named vector or matrix. Exactly one of Floats and Ints is used; matrices use Floats.
// Ints is not nil in an integer array, even an empty one.
type Array struct {
	// Name is the name in the archive, without ".npy".
	Name string
	// Shape is the length of a vector, or the rows and columns of a matrix.
	Shape []int
	// Floats are the values of a float64 array, in row-major order.
	Floats []float64
	// Ints are the values of an int64 vector.
	Ints []int64
}

// Sound reports whether the number of values agrees with the shape.
func (a Array) Sound() bool {
	if len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Ints != nil) || a.Floats != nil && a.Ints != nil {
		return false
	}
	return a.Size() == len(a.Floats)+len(a.Ints)
}

// Size returns the number of values according to the shape.
func (a Array) Size() int {
	size := 1
	for _, n := range a.Shape {
		size *= n
	}
	return size
}
