package dense

import "gonum.org/v1/gonum/blas/blas64"

// Vector returns x for functions of blas64.
func Vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Dot returns xᵀy.
func Dot(x, y []float64) float64 { return blas64.Dot(Vector(x), Vector(y)) }

// Axpy makes y a·x + y.
func Axpy(a float64, x, y []float64) { blas64.Axpy(a, Vector(x), Vector(y)) }

// Norm returns ‖x‖₂.
func Norm(x []float64) float64 { return blas64.Nrm2(Vector(x)) }
