package rkhs

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/stream"
)

// elements are elements Φ·a of an RKHS: a column of coefficients a for each, and with it
// that of values Φᵀ·Φ·a = G·a.
type elements struct{ a, v blas64.General }

func (x elements) count() int { return x.a.Cols }

func (x elements) columns(first, n int) elements {
	return elements{dense.Columns(x.a, first, n), dense.Columns(x.v, first, n)}
}

// times returns linear combinations.
func (x elements) times(m blas64.General) elements { return elements{mul(x.a, m), mul(x.v, m)} }

// minus takes combinations of y away.
func (x elements) minus(y elements, m blas64.General) {
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, y.a, m, 1, x.a)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, y.v, m, 1, x.v)
}

// with returns the columns of both.
func (x elements) with(y elements) elements {
	return elements{joinColumns(x.a, y.a), joinColumns(x.v, y.v)}
}

func joinColumns(a, b blas64.General) blas64.General {
	m := stream.NewMatrix(max(a.Rows, b.Rows), a.Cols+b.Cols)
	for i := range m.Rows {
		if a.Cols > 0 {
			copy(dense.Row(m, i), dense.Row(a, i))
		}
		copy(dense.Row(m, i)[a.Cols:], dense.Row(b, i))
	}
	return m
}

// space is a Hilbert space of elements: an RKHS, or the same functions with the inner
// product ⟨g, (C+ε)h⟩ for the covariance operator C = ΦΦᵀ, so that (C+ε)^(−1/2) is an
// isometry from the one to the other, or vectors a that are their own values.
type space struct {
	*gramTiles
	ridge  float64
	metric metric
}

// metric says what the inner product of elements is.
type metric uint8

const (
	ofFunctions metric = iota // that of the RKHS
	ofCovariance
	ofVectors // the coefficients are what it is about
)

// inner returns the inner products ⟨x_i, y_j⟩.
func (s space) inner(x, y elements) blas64.General {
	m := transposedTimes(x.a, y.v)
	if s.metric != ofCovariance {
		return m
	}
	for i := range m.Data {
		m.Data[i] *= s.ridge
	}
	dense.Gemm(blas.Trans, blas.NoTrans, 1, x.v, y.v, 1, m)
	return m
}

// element returns the elements of coefficients.
func (s space) element(ctx context.Context, a blas64.General) (elements, error) {
	if s.metric == ofVectors {
		return elements{a, dense.Clone(a)}, nil
	}
	v, err := s.multiply(ctx, a)
	return elements{a, v}, err
}

// norms returns those of elements.
func (s space) norms(x elements) []float64 {
	n := make([]float64, x.count())
	for j := range n {
		n[j] = math.Sqrt(math.Max(0, s.inner(x.columns(j, 1), x.columns(j, 1)).Data[0]))
	}
	return n
}

// independent is the part of the largest direction of a block, in squares, at or below which
// the others are rounding.
const independent = 1e-13

// orthonormal returns combinations of x that are orthonormal and span what is longer than
// least.
func (s space) orthonormal(x elements, least float64) (elements, error) {
	squares, vectors, err := symeig.Decompose(dense.SymmetricPart(s.inner(x, x)))
	if err != nil {
		return x, fmt.Errorf("a block of functions: %w; scale the columns (`scale standard`)", err)
	}
	keep := 0
	for keep < len(squares) && squares[keep] > max(least*least, independent*squares[0]) {
		keep++
	}
	m := dense.Clone(dense.Columns(vectors, 0, keep))
	over := make([]float64, keep)
	for j := range over {
		over[j] = 1 / math.Sqrt(squares[j])
	}
	dense.ScaleColumns(m, over)
	return x.times(m), nil
}

// unit returns elements that are multiplied to have norm 1, those of norm 0 left as they are.
func (s space) unit(x elements) elements {
	over := s.norms(x)
	for j, v := range over {
		if over[j] = 1; v > 0 {
			over[j] = 1 / v
		}
	}
	out := elements{dense.Clone(x.a), dense.Clone(x.v)}
	dense.ScaleColumns(out.a, over)
	dense.ScaleColumns(out.v, over)
	return out
}

// extend returns directions of x that a basis does not span, orthonormal, with values that
// come from an exact pass and not from differences.
func (s space) extend(ctx context.Context, basis, x elements, least float64) (elements, error) {
	away := func() {
		if basis.count() > 0 {
			x.minus(basis, s.inner(basis, x))
		}
	}
	var err error
	for round := range 2 {
		away()
		away() // once is not enough
		if x, err = s.orthonormal(x, least); err != nil || x.count() == 0 {
			return x, err
		}
		if least = 0; round == 0 {
			if x, err = s.element(ctx, x.a); err != nil {
				return x, err
			}
		}
	}
	return x, nil
}
