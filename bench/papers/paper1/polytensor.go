package paper1

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// polyTensorSketch is PolyTensorSketch (Han, Avron & Shin 2020), a baseline, for the kernel
// exp(−γ‖x−y‖²) = D·f(U·Uᵀ)·D with f = exp, U = √(2γ)·X and D = exp(−γ‖x‖²):
//
//	f(U·Uᵀ) ≈ Σ_l c_l·T_l·T_lᵀ    l = 0 … 10
//
// T_l is the tensor sketch of degree l with c columns, so the approximation has ten times the rank of the others. The
// c_l fit the kernel between sampled rows by least squares. Its authors fit f itself, but here its largest entries,
// e³⁶⁰ for satimage, would dominate all others. Columns are centred first, which changes no entry of the kernel and
// reduces the range of D.
type polyTensorSketch struct {
	rank int
	seed uint64
}

const (
	polyDegree = 10
	polySample = 200 // rows whose products fit the coefficients
)

// signedFactors is a matrix G·diag(signs)·Gᵀ.
type signedFactors struct {
	g     *mat.Dense
	signs []float64
}

// of returns the approximation of the kernel matrix of rows.
func (s polyTensorSketch) of(k kernelgen.Kernel, x blas64.General) (*signedFactors, error) {
	gamma, err := gaussianGamma(k, x.Cols)
	if err != nil {
		return nil, err
	}
	u := centredColumns(x)
	scales := make([]float64, x.Rows) // the diagonal of D
	for i := range scales {
		row := u.RawRowView(i)
		scales[i] = math.Exp(-gamma * floats.Dot(row, row))
	}
	u.Scale(math.Sqrt(2*gamma), u)
	sketches := s.sketches(u)
	coefficients, err := s.coefficients(k, x, sketches, scales)
	if err != nil {
		return nil, err
	}
	f := &signedFactors{}
	columns := 0
	for _, t := range sketches {
		columns += t.RawMatrix().Cols
	}
	f.g, f.signs = mat.NewDense(x.Rows, columns, nil), make([]float64, 0, columns)
	for l, t := range sketches {
		first, width := len(f.signs), t.RawMatrix().Cols
		for range width {
			f.signs = append(f.signs, math.Copysign(1, coefficients[l]))
		}
		for i := range x.Rows {
			scale := scales[i] * math.Sqrt(math.Abs(coefficients[l]))
			floats.AddScaled(f.g.RawRowView(i)[first:first+width], scale, t.RawRowView(i))
		}
	}
	return f, nil
}

// centredColumns returns x with columns of mean 0.
func centredColumns(x blas64.General) *mat.Dense {
	u, means := mat.DenseCopyOf(lab.Dense(x)), make([]float64, x.Cols)
	for i := range x.Rows {
		floats.AddScaled(means, 1/float64(x.Rows), u.RawRowView(i))
	}
	for i := range x.Rows {
		floats.Sub(u.RawRowView(i), means)
	}
	return u
}

// gaussianGamma returns γ of the kernel exp(−γ‖x−y‖²). It fails for other kernels.
func gaussianGamma(k kernelgen.Kernel, columns int) (float64, error) {
	points := stream.NewMatrix(3, columns) // at distances 0, 0.01 and 0.02
	points.Data[columns], points.Data[2*columns] = 0.01, 0.02
	values := lab.Kernel(k, stream.RowSlice(points, 0, 1), points)
	gamma := -math.Log(values.At(0, 1)) / 1e-4
	if values.At(0, 0) != 1 || !(math.Abs(-math.Log(values.At(0, 2))/4e-4-gamma) <= 1e-9*gamma) {
		return 0, fmt.Errorf("PolyTensorSketch is for Gaussian kernels, and not for %s", k)
	}
	return gamma, nil
}

// sketches returns T_0 … T_10. The one of degree l has the inner products (u·v)^l in expectation.
func (s polyTensorSketch) sketches(u *mat.Dense) []*mat.Dense {
	n, d := u.Dims()
	fft := fourier.NewFFT(s.rank)
	buckets, signs := make([][]int, polyDegree), make([][]float64, polyDegree)
	random := sketch.NewRandom(s.seed, "tensor sketch")
	for l := range polyDegree {
		draws := random.At(uint64(l))
		for range d {
			buckets[l] = append(buckets[l], min(s.rank-1, int(draws.Float64()*float64(s.rank))))
			signs[l] = append(signs[l], math.Copysign(1, draws.Float64()-0.5))
		}
	}
	all := []*mat.Dense{mat.NewDense(n, 1, nil)}
	for range polyDegree {
		all = append(all, mat.NewDense(n, s.rank, nil))
	}
	counts, product := make([]float64, s.rank), make([]complex128, s.rank/2+1)
	transformed := make([]complex128, s.rank/2+1)
	for i := range n {
		all[0].Set(i, 0, 1)
		for j := range product {
			product[j] = 1
		}
		for l := range polyDegree {
			clear(counts)
			for j, v := range u.RawRowView(i) {
				counts[buckets[l][j]] += signs[l][j] * v
			}
			fft.Coefficients(transformed, counts)
			for j, v := range transformed {
				product[j] *= v
			}
			row := all[l+1].RawRowView(i)
			fft.Sequence(row, product)
			floats.Scale(1/float64(s.rank), row)
		}
	}
	return all
}

// coefficients returns the c_l that fit D·f(U·Uᵀ)·D between sampled rows, by least squares.
func (s polyTensorSketch) coefficients(k kernelgen.Kernel, x blas64.General, sketches []*mat.Dense, scales []float64) ([]float64, error) {
	drawn, err := sketch.NewSample(int64(x.Rows), min(x.Rows, polySample), s.seed, "coreset")
	if err != nil {
		return nil, err
	}
	rows := drawn.Positions()
	some := lab.PickRows(x, rows)
	design := mat.NewDense(len(rows)*len(rows), len(sketches), nil)
	lengths := make([]float64, len(sketches))
	for l, t := range sketches {
		picked := lab.Dense(lab.PickRows(t.RawMatrix(), rows))
		for i, row := range rows {
			floats.Scale(scales[row], picked.RawRowView(i))
		}
		var p mat.Dense
		p.Mul(picked, picked.T())
		if lengths[l] = mat.Norm(&p, 2); lengths[l] == 0 {
			lengths[l] = 1
		}
		for i, v := range p.RawMatrix().Data {
			design.Set(i, l, v/lengths[l])
		}
	}
	wanted := mat.NewVecDense(len(rows)*len(rows), lab.Kernel(k, some, some).RawMatrix().Data)
	inverse, err := pseudoInverse(design)
	if err != nil {
		return nil, err
	}
	var found mat.VecDense
	found.MulVec(inverse, wanted)
	c := found.RawVector().Data
	floats.Div(c, lengths)
	return c, nil
}

// errors returns ‖A−Â‖/‖A‖ in the spectral and in the Frobenius norm, from exact strips of A.
func (f *signedFactors) errors(k kernelgen.Kernel, x blas64.General) (spectral, frobenius float64, err error) {
	weighted := mat.DenseCopyOf(f.g)
	for i := range x.Rows {
		floats.Mul(weighted.RawRowView(i), f.signs)
	}
	exact := func(_ model.Side, v *mat.Dense) (*mat.Dense, error) {
		y := mat.NewDense(x.Rows, v.RawMatrix().Cols, nil)
		strips(x.Rows, func(first, n int) {
			part := y.Slice(first, first+n, 0, v.RawMatrix().Cols).(*mat.Dense)
			part.Mul(lab.Kernel(k, stream.RowSlice(x, first, n), x), v)
		})
		return y, nil
	}
	all, err := lab.Norm(x.Rows, exact)
	if err != nil {
		return 0, 0, err
	}
	off, err := lab.Norm(x.Rows, func(side model.Side, v *mat.Dense) (*mat.Dense, error) {
		y, err := exact(side, v)
		if err != nil {
			return nil, err
		}
		var small, z mat.Dense
		small.Mul(f.g.T(), v)
		z.Mul(weighted, &small)
		y.Sub(y, &z)
		return y, nil
	})
	squares, rest := 0.0, 0.0
	strips(x.Rows, func(first, n int) {
		a := lab.Kernel(k, stream.RowSlice(x, first, n), x)
		squares += math.Pow(mat.Norm(a, 2), 2)
		var z mat.Dense
		z.Mul(weighted.Slice(first, first+n, 0, len(f.signs)), f.g.T())
		z.Sub(a, &z)
		rest += math.Pow(mat.Norm(&z, 2), 2)
	})
	return off / all, math.Sqrt(rest / squares), err
}

// stripRows is the number of rows of a matrix formed at a time.
const stripRows = 256

// strips calls do with the first row and the number of rows of each strip of n rows.
func strips(n int, do func(first, rows int)) {
	for first := 0; first < n; first += stripRows {
		do(first, min(stripRows, n-first))
	}
}
