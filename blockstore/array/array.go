// Package array has the arrays that models are made of, in memory and in files.
package array

// Array is a named vector or matrix. Exactly one of Floats and Ints is used; a matrix holds
// Floats. Ints is not nil in an array of integers, however short.
type Array struct {
	// Name is the name in the archive, without ".npy".
	Name string
	// Shape is the length, or rows and columns.
	Shape []int
	// Floats are the values of a float64 array, in row-major order.
	Floats []float64
	// Ints are the values of an int64 vector.
	Ints []int64
}

// Sound reports whether a has the numbers that its shape promises: those of a vector, or the
// floats of a matrix.
func (a Array) Sound() bool {
	if len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Ints != nil) || a.Floats != nil && a.Ints != nil {
		return false
	}
	return a.Size() == len(a.Floats)+len(a.Ints)
}

// Size returns how many numbers the shape promises.
func (a Array) Size() int {
	size := 1
	for _, n := range a.Shape {
		size *= n
	}
	return size
}
