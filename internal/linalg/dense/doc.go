// Package dense is the algebra of small matrices that the solvers share: products,
// parts of matrices, the singular value decomposition.
//
// Matrices are blas64.General, row-major, and may be empty; functions that return a
// matrix make a new one unless they say that it shares memory. Shapes that do not
// fit panic, since they are mistakes of the program. Products go through blas64, and
// so through nyblas where a program chose it. Eigenvectors of symmetric matrices are
// in package symeig.
package dense
