package ism

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

var ctx = context.Background()

// The reference implementation: Γ, f and f' as formulas, Φ and J by double loops over rows.

// normals returns n×d standard normal numbers.
func normals(n, d int, seed uint64) blas64.General {
	x := matrix.New(n, d)
	s := sketch.NewRandom(seed, "ism tests")
	for i := range n {
		draws := s.At(uint64(i))
		for j := range d {
			x.Data[i*d+j] = draws.Normal()
		}
	}
	return x
}

// source returns the rows of x as a source.
func source(x blas64.General) stream.Source { return stream.FromMatrix("test rows", x) }

// orthonormal returns a random d×q matrix with orthonormal columns.
func orthonormal(d, q int, seed uint64) blas64.General {
	w := normals(d, q, seed)
	orthonormalise(w)
	return w
}

// plainKernel holds f and f' of a term, in the notation of the paper.
type plainKernel struct {
	text   string
	weight float64
	base   kernelgen.Base
	f, df  func(beta, sigmas float64) float64
}

const testSigma = 2.5

var plainKernels = []plainKernel{
	{"linear()", 1, kernelgen.InnerProduct, func(b, _ float64) float64 { return b }, func(b, _ float64) float64 { return 1 }},
	{"polynomial(degree=3, c=1)", 1, kernelgen.InnerProduct, func(b, _ float64) float64 { return (b + 1) * (b + 1) * (b + 1) }, func(b, _ float64) float64 { return 3 * (b + 1) * (b + 1) }},
	{"polynomial(degree=2, c=0)", 1, kernelgen.InnerProduct, func(b, _ float64) float64 { return b * b }, func(b, _ float64) float64 { return 2 * b }},
	{"polynomial(degree=1, c=2)", 1, kernelgen.InnerProduct, func(b, _ float64) float64 { return b + 2 }, func(b, _ float64) float64 { return 1 }},
	{"gaussian(sigma=2.5)", 1, kernelgen.SquaredDistance, func(b, _ float64) float64 { return math.Exp(-b / (2 * testSigma * testSigma)) },
		func(b, _ float64) float64 { return -math.Exp(-b/(2*testSigma*testSigma)) / (2 * testSigma * testSigma) }},
	{"squared()", 1, kernelgen.SquaredDistance, func(b, _ float64) float64 { return -b }, func(b, _ float64) float64 { return -1 }},
	{"multiquadratic(c=0.5)", 1, kernelgen.SquaredDistance, func(b, _ float64) float64 { return -math.Sqrt(b + 0.25) }, func(b, _ float64) float64 { return -0.5 / math.Sqrt(b+0.25) }},
	{"relative(neighbour=3)", 1, kernelgen.SquaredDistance, func(b, s float64) float64 { return math.Exp(-b / (2 * s)) }, func(b, s float64) float64 { return -math.Exp(-b/(2*s)) / (2 * s) }},
	{"inverse()", 1, kernelgen.SquaredDistance, func(b, _ float64) float64 { return 1 / (1 + b) }, func(b, _ float64) float64 { return -1 / (1 + b) / (1 + b) }},
	{"wave()", 1, kernelgen.InnerProduct, func(b, _ float64) float64 { return math.Sin(b) }, func(b, _ float64) float64 { return math.Cos(b) }},
}

// testProfiles are custom kernels.
var testProfiles = []kernelgen.Profile{
	{Name: "inverse", Base: kernelgen.SquaredDistance, PositiveSemiDefinite: true, F: func(b float64) float64 { return 1 / (1 + b) }, Derivative: func(b float64) float64 { return -1 / (1 + b) / (1 + b) }},
	{Name: "wave", Base: kernelgen.InnerProduct, F: math.Sin, Derivative: math.Cos},
}

// mustParse parses a kernel.
func mustParse(t testing.TB, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text, testProfiles...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// mustTerms returns the terms of a kernel.
func mustTerms(t testing.TB, text string) []term {
	t.Helper()
	terms, err := termsOf(mustParse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// medianGaussian is gaussian(sigma=median).
var medianGaussian, _ = kernelgen.Parse("gaussian()")

// naiveScales returns the distance of each row from its k-th nearest neighbour.
func naiveScales(x blas64.General, k int) []float64 {
	s := make([]float64, x.Rows)
	for i := range s {
		var all []float64
		for j := range x.Rows {
			if j != i {
				all = append(all, distance(matrix.Row(x, i), matrix.Row(x, j)))
			}
		}
		for a := range all { // exchange sort
			for b := range a {
				if all[a] < all[b] {
					all[a], all[b] = all[b], all[a]
				}
			}
		}
		s[i] = math.Sqrt(all[k-1])
	}
	return s
}

// distance returns ‖x−y‖².
func distance(x, y []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += (v - y[k]) * (v - y[k])
	}
	return sum
}

// naive returns Φ and J of kernels by their definition (eq. 1 and eq. 6).
func naive(kernels []plainKernel, gamma, x, w blas64.General) (phi blas64.General, objective float64) {
	d := x.Cols
	phi = matrix.New(d, d)
	z := dense.Mul(noTrans, x, noTrans, w)
	scales := naiveScales(x, 3)
	diff := make([]float64, d)
	for i := range x.Rows {
		for j := range x.Rows {
			g, a, b := gamma.Data[i*gamma.Stride+j], matrix.Row(x, i), matrix.Row(x, j)
			for k := range diff {
				diff[k] = a[k] - b[k]
			}
			for _, kernel := range kernels {
				left, right, beta := a, b, 0.0
				if kernel.base == kernelgen.SquaredDistance {
					left, right = diff, diff
					beta = distance(matrix.Row(z, i), matrix.Row(z, j))
				} else {
					beta = dense.Dot(matrix.Row(z, i), matrix.Row(z, j))
				}
				s := scales[i] * scales[j]
				objective += kernel.weight * g * kernel.f(beta, s)
				c := kernel.weight * g * kernel.df(beta, s) / 2
				for u := range d {
					for v := range d {
						phi.Data[u*d+v] += c * (left[u]*right[v] + right[u]*left[v])
					}
				}
			}
		}
	}
	return phi, objective
}

// centring returns H.
func centring(n int) blas64.General {
	h := matrix.New(n, n)
	for i := range n {
		h.Data[i*n+i] = 1
	}
	for i := range h.Data {
		h.Data[i] -= 1 / float64(n)
	}
	return h
}

// oneHot returns the one-hot matrix of labels in k classes.
func oneHot(labels []int, k int) blas64.General {
	y := matrix.New(len(labels), k)
	for i, l := range labels {
		y.Data[i*k+l] = 1
	}
	return y
}

// outer returns weight·a·aᵀ.
func outer(a blas64.General, weight float64) blas64.General {
	g := dense.Mul(noTrans, a, trans, a)
	for i := range g.Data {
		g.Data[i] *= weight
	}
	return g
}

// testGammas returns a Γ for each paradigm, in the form of the engines and as a dense matrix.
func testGammas(t testing.TB, n int) map[string]struct {
	gamma *gamma
	dense blas64.General
} {
	t.Helper()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = (i*i + i/3) % 3
	}
	classes, err := Classes(labels, 4) // one of them has no rows
	if err != nil {
		t.Fatal(err)
	}
	several := matrix.New(n, 2)
	for i := range n {
		several.Data[2*i], several.Data[2*i+1] = float64(i%2), float64(i/2%2)
	}
	multi, err := Factors(several)
	if err != nil {
		t.Fatal(err)
	}
	h := centring(n)
	y := orthonormal(n, 3, 5)
	degrees := make([]float64, n)
	for i := range degrees {
		degrees[i] = 1 + float64(i%5)
	}
	omega := matrix.Clone(y)
	for i := range n {
		for j := range omega.Cols {
			omega.Data[i*omega.Stride+j] /= math.Sqrt(degrees[i])
		}
	}
	known := dense.Mul(noTrans, h, noTrans, oneHot(labels, 4))
	mixed := func(mu float64) blas64.General {
		g, supervised := outer(omega, 1), outer(known, 1)
		dense.Scale(1/dense.Frobenius(g), g)
		dense.Add(mu/dense.Frobenius(supervised), supervised, g)
		return g
	}
	fit := func(p Paradigm) *fitState {
		return &fitState{Solver: Solver{Paradigm: p, Mu: 0.02, Clusters: 3}, data: &table{n: n}, response: classes}
	}
	type pair = struct {
		gamma *gamma
		dense blas64.General
	}
	return map[string]pair{
		"classes":     {&gamma{n: n, parts: []*part{classes.centred(1)}}, outer(known, 1)},
		"multi-label": {&gamma{n: n, parts: []*part{multi.centred(1)}}, outer(dense.Mul(noTrans, h, noTrans, several), 1)},
		"unsupervised": {fit(Unsupervised).gammaOf(&embedding{y: y}),
			outer(dense.Mul(noTrans, h, noTrans, y), 1)},
		"semisupervised": {fit(SemiSupervised).gammaOf(&embedding{y: y, degrees: degrees}), mixed(0.02)},
		"alternative":    {fit(Alternative).gammaOf(&embedding{y: y, degrees: degrees}), mixed(-0.02)},
	}
}

// memory returns rows in memory as the data of an engine.
func memory(x blas64.General) *table {
	return &table{src: source(x), n: x.Rows, d: x.Cols, passes: new(int)}
}

// exactly returns the exact engine for rows in memory, with local scales among all of them.
func exactly(t testing.TB, text string, x blas64.General) *exact {
	return &exact{data: memory(x), x: x, terms: mustTerms(t, text), scales: map[int][]float64{3: naiveScales(x, 3)}}
}

// relative returns the largest difference of two matrices relative to the largest entry.
func relative(a, b blas64.General) float64 {
	d := matrix.Clone(a)
	dense.Add(-1, b, d)
	return dense.MaxAbs(d) / math.Max(dense.MaxAbs(b), 1e-300)
}

// orthonormalise replaces x by Q of its QR factorisation by Householder reflections, which is orthonormal even if x is
// rank-deficient.
func orthonormalise(x blas64.General) {
	reflectors := householder.QR(matrix.Clone(x))
	q := reflectors.Thin()
	for i := range x.Rows {
		copy(matrix.Row(x, i), matrix.Row(q, i))
	}
}
