// Package dense is the small dense linear algebra that the solvers share: products, submatrices,
// norms, the Cholesky factorisation and the singular value decomposition.
//
// Matrices are blas64.General, row-major, and may be empty. Functions that return a matrix allocate
// it unless documented to share memory. Shapes that do not fit are programming errors and panic.
// Products use blas64, and so nyblas if a program installed it. Eigenvectors of symmetric matrices
// are in package symeig.
package dense
