package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

func normal(n, m int, seed uint64) blas64.General {
	x := stream.NewMatrix(n, m)
	sketch.NewRandom(seed, "test").Normals(x)
	return x
}

// kernelOf returns K = C·P·diag(signs)·Pᵀ·Cᵀ, and its dense matrix.
func kernelOf(c, p blas64.General, signs []float64) (*Kernel, blas64.General) {
	f := dense.Mul(blas.NoTrans, c, blas.NoTrans, p)
	signed := dense.Clone(f)
	if signs != nil {
		dense.ScaleColumns(signed, signs)
	}
	formed := dense.Mul(blas.NoTrans, signed, blas.Trans, f)
	k := &Kernel{Source: stream.FromMatrix("rows", c), Cols: c.Cols, P: p, Signs: signs, Panels: func() func(blas64.General, int64) (Panel, error) {
		return func(rows blas64.General, first int64) (Panel, error) {
			self := make([]float64, rows.Rows)
			for i := range self {
				self[i] = formed.Data[(int(first)+i)*formed.Stride+int(first)+i]
			}
			return Panel{rows, self}, nil
		}
	}}
	return k, formed
}

// wanted returns the matrix whose eigenvectors are looked for, and the degrees.
func wanted(k blas64.General, normalise bool) (blas64.General, []float64) {
	k, degrees := dense.Clone(k), make([]float64, k.Rows)
	if !normalise {
		dense.CentreColumns(k)
		k = dense.Transpose(k)
		dense.CentreColumns(k)
		return k, degrees
	}
	over := make([]float64, k.Rows)
	for i := range over {
		for _, v := range dense.Row(k, i) {
			degrees[i] += v
		}
		degrees[i] = math.Max(degrees[i], k.Data[i*k.Stride+i])
		if degrees[i] > 0 {
			over[i] = 1 / math.Sqrt(degrees[i])
		}
	}
	dense.ScaleRows(k, over)
	dense.ScaleColumns(k, over)
	return k, degrees
}

// TestEmbed compares with dense decompositions, of definite kernels and others.
func TestEmbed(t *testing.T) {
	const n, cols, dim = 300, 7, 3
	c := normal(n, cols, 1)
	for i := range n {
		c.Data[i*cols] += 2 // most similarities are above 0
	}
	clear(dense.Row(c, 17)) // a row that is similar to nothing
	p := normal(cols, 5, 2)
	for _, signs := range [][]float64{nil, {1, 1, -1, 1, 1}} {
		for _, normalise := range []bool{false, true} {
			what := fmt.Sprintf("signs %v, normalise %t", signs, normalise)
			k, formed := kernelOf(c, p, signs)
			a, degrees := wanted(formed, normalise)
			_, vectors, err := symeig.Decompose(dense.SymmetricPart(a))
			if err != nil {
				t.Fatal(err)
			}
			s := Settings{Dim: dim, Normalise: normalise, Tolerance: 1e-6, Degrees: make([]float64, n)}
			got, err := k.Embed(context.Background(), stream.Engine{Threads: 2, BlockRows: 64}, s)
			if err != nil {
				t.Fatal(what, err)
			}
			overlap := dense.Mul(blas.Trans, dense.Columns(vectors, 0, dim), blas.NoTrans, got)
			if off := math.Abs(dense.Frobenius(overlap) - math.Sqrt(dim)); off > 1e-9 {
				t.Errorf("%s: the span is off by %v", what, off)
			}
			square := dense.Mul(blas.Trans, got, blas.NoTrans, got)
			for j := range dim {
				square.Data[j*square.Stride+j]--
			}
			if off := dense.MaxAbs(square); off > 1e-10 {
				t.Errorf("%s: the vectors are orthonormal to %v", what, off)
			}
			if norm := dense.Norm(dense.Row(got, 17)); normalise && norm != 0 {
				t.Errorf("%s: the row of zeros has %v", what, norm)
			}
			for i, d := range degrees {
				if normalise && math.Abs(s.Degrees[i]-d) > 1e-10*math.Abs(d) {
					t.Fatalf("%s: degree %d is %v, not %v", what, i, s.Degrees[i], d)
				}
			}
		}
	}
}

// TestEmbedRefuses: factors of zeros, degrees that overflow, and errors of a worker.
func TestEmbedRefuses(t *testing.T) {
	ctx, s := context.Background(), Settings{Dim: 2, Normalise: true, Tolerance: 1e-6}
	one := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1}}
	k, _ := kernelOf(stream.NewMatrix(9, 2), one, nil)
	if _, err := k.Embed(ctx, stream.Engine{}, s); !errors.Is(err, ErrZero) {
		t.Errorf("zeros: %v", err)
	}
	huge := stream.NewMatrix(9, 2)
	for i := range huge.Data {
		huge.Data[i] = 1e200
	}
	k, _ = kernelOf(huge, one, nil)
	var overflow *DegreeError
	if _, err := k.Embed(ctx, stream.Engine{}, s); !errors.As(err, &overflow) || overflow.Row != 0 {
		t.Errorf("huge factors: %v", err)
	}
	stop := errors.New("stop")
	k.Panels = func() func(blas64.General, int64) (Panel, error) {
		return func(blas64.General, int64) (Panel, error) { return Panel{}, stop }
	}
	if _, err := k.Embed(ctx, stream.Engine{}, s); !errors.Is(err, stop) {
		t.Errorf("a worker's error became %v", err)
	}
}

// TestUnitRows: rows have norm 1 or 0.
func TestUnitRows(t *testing.T) {
	u := UnitRows(blas64.General{Rows: 2, Cols: 2, Stride: 3, Data: []float64{3, 4, 9, 0, 0}})
	for i, want := range []float64{0.6, 0.8, 0, 0} {
		if math.Abs(u.Data[i]-want) > 1e-15 {
			t.Errorf("entry %d is %v, not %v", i, u.Data[i], want)
		}
	}
}
