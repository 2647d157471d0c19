package main

import (
	"math/rand/v2"
	"unsafe"

	"github.com/nystream/nystream/internal/simd"
)

func newMatrix[T simd.Float](rows, cols int) simd.Matrix[T] {
	return simd.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: make([]T, rows*cols)}
}

// uniform returns a matrix of numbers drawn from [0, 1).
func uniform[T simd.Float](rows, cols int, seed uint64) simd.Matrix[T] {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := newMatrix[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(rng.Float64())
	}
	return m
}

func rowOf[T simd.Float](m simd.Matrix[T], i int) []T { return m.Data[i*m.Stride:][:m.Cols] }

// rowsOf returns n rows of m from the given one on.
func rowsOf[T simd.Float](m simd.Matrix[T], first, n int) simd.Matrix[T] {
	m.Data, m.Rows = m.Data[first*m.Stride:][:n*m.Stride], n
	return m
}

func elementSize[T simd.Float]() int {
	var e T
	return int(unsafe.Sizeof(e))
}
