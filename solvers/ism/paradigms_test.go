package ism

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// twoViews returns rows with two clusterings: three clusters by columns 0 and 1, two by columns 2 and 3. The other
// columns are noise.
func twoViews(n, d int) (x blas64.General, first, second []int) {
	x = normals(n, d, 11)
	random := sketch.NewRandom(3, "views")
	for i := range n {
		draws := random.At(uint64(i))
		a, b := int(draws.Uint64n(3)), int(draws.Uint64n(2))
		first, second = append(first, a), append(second, b)
		row := matrix.Row(x, i)
		angle := 2 * math.Pi * float64(a) / 3
		row[0], row[1] = 0.4*row[0]+3*math.Cos(angle), 0.4*row[1]+3*math.Sin(angle)
		row[2], row[3] = 0.4*row[2]+float64(4*b-2), 0.4*row[3]+float64(2*b-1)
	}
	return x, first, second
}

// nmi returns the normalised mutual information of two labellings.
func nmi(t testing.TB, a, b []int) float64 {
	t.Helper()
	v, err := metrics.NMI(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestUnsupervised: both engines find W and clusters together, and both kinds of steps increase the same J.
func TestUnsupervised(t *testing.T) {
	x, first, _ := twoViews(400, 8)
	noise := normals(400, 8, 12)
	for i := range x.Rows { // one view only
		copy(matrix.Row(x, i)[2:], matrix.Row(noise, i)[2:])
	}
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
		task := Solver{Dim: 2, Paradigm: Unsupervised, Clusters: 3, Algorithm: engine}
		f := mustFit(t, task, stream.Engine{}, &Data{Rows: source(x)}, medianGaussian)
		if v := nmi(t, first, f.Labels); v < 0.95 {
			t.Errorf("%v: NMI %v with the clusters that are there", engine, v)
		}
		if f.Embedding.Rows != 400 || f.Embedding.Cols != 3 || orthonormality(f.Embedding) > 1e-6 {
			t.Errorf("%v: Y is %d×%d, off orthonormal by %v", engine, f.Embedding.Rows, f.Embedding.Cols, orthonormality(f.Embedding))
		}
		last := math.Inf(-1)
		for _, j := range f.History {
			if engine == AlgorithmExact && j < last*(1-1e-5) {
				t.Errorf("J fell from %v to %v from round to round", last, j)
			}
			last = j
		}
	}
}

// TestEmbedding: Y are the leading eigenvectors of the dense matrix, centred or divided by degrees, and the degrees are
// its row sums.
func TestEmbedding(t *testing.T) {
	const n, k = 150, 3
	x, _, _ := twoViews(n, 4)
	kernel := plainKernels[4]
	formed := matrix.New(n, n)
	for i := range n {
		for j := range n {
			formed.Data[i*n+j] = kernel.f(distance(matrix.Row(x, i), matrix.Row(x, j)), 1)
		}
	}
	for _, degrees := range []bool{false, true} {
		want, sums := matrix.Clone(formed), make([]float64, n)
		if degrees {
			for i := range n {
				for _, v := range matrix.Row(formed, i) {
					sums[i] += v
				}
			}
			for i := range n {
				for j := range n {
					want.Data[i*n+j] /= math.Sqrt(sums[i] * sums[j])
				}
			}
		} else {
			centreBoth(want)
		}
		eig, err := newEigen(want)
		if err != nil {
			t.Fatal(err)
		}
		s := &embedder{data: memory(x), terms: mustTerms(t, kernel.text), maxLandmarks: n, clusters: k,
			degrees: degrees}
		y, err := s.embed(ctx, inMemory(x), x)
		if err != nil {
			t.Fatal(err)
		}
		if a := angleTo(t, y.y, eig.first(k).vectors); a > 1e-4 {
			t.Errorf("degrees %v: Y is %v away", degrees, a)
		}
		for i, v := range y.degrees {
			if math.Abs(v/sums[i]-1) > 1e-4 {
				t.Fatalf("degree %d is %v, want %v", i, v, sums[i])
			}
		}
	}
}

// TestAlternative finds the other view than the given one. TestSemiSupervised finds the view of the scores.
func TestAlternative(t *testing.T) {
	x, first, second := twoViews(300, 6)
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
		f := mustFit(t, Solver{Dim: 2, Algorithm: engine, Paradigm: Alternative, Clusters: 2}, stream.Engine{}, &Data{source(x), mustClasses(t, first, 3)}, medianGaussian)
		if other, given := nmi(t, second, f.Labels), nmi(t, first, f.Labels); other < 0.95 || given > 0.05 {
			t.Errorf("%v: NMI %v with the other view, %v with the one given", engine, other, given)
		}
	}
}

func TestSemiSupervised(t *testing.T) {
	x, first, second := twoViews(300, 6)
	scores := matrix.New(300, 1)
	for i, b := range second {
		scores.Data[i] = float64(b) + 0.1*float64(first[i])
	}
	known, err := Factors(scores)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
		f := mustFit(t, Solver{Dim: 2, Algorithm: engine, Paradigm: SemiSupervised, Clusters: 2, Mu: 3}, stream.Engine{}, &Data{source(x), known}, medianGaussian)
		if v := nmi(t, second, f.Labels); v < 0.95 {
			t.Errorf("%v: NMI %v with the view that the scores speak of", engine, v)
		}
	}
}

// TestKernelTargets: a kernel of real targets finds the direction that the target follows, which a linear kernel of
// targets misses.
func TestKernelTargets(t *testing.T) {
	const n, d = 400, 6
	x := normals(n, d, 21)
	w := orthonormal(d, 1, 22)
	y := matrix.New(n, 1)
	for i := range n {
		z := dense.Dot(matrix.Row(x, i), w.Data)
		y.Data[i] = math.Sin(2 * z)
	}
	k, err := kernelgen.Parse("rbf(sigma=median)")
	if err != nil {
		t.Fatal(err)
	}
	known, err := KernelTargets(ctx, stream.Engine{}, y, k, 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := k.Resolve(y)
	if err != nil {
		t.Fatal(err)
	}
	formed := matrix.New(n, n)
	resolved.Fill(formed, y, resolved.Pack(y), nil)
	if off := relative(dense.Mul(noTrans, known.factors, trans, known.factors), formed); off > 1e-3 {
		t.Errorf("the factors of K_Y are off by %v", off)
	}
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
		f := mustFit(t, Solver{Dim: 1, Algorithm: engine}, stream.Engine{}, &Data{source(x), known}, kernelgen.Gaussian(1))
		if a := angleTo(t, f.W, w); a > 0.2 {
			t.Errorf("%v: %v from the direction", engine, a)
		}
	}
}

// centreBoth subtracts the row and column means from a symmetric matrix.
func centreBoth(m blas64.General) {
	n := float64(m.Rows)
	means, all := make([]float64, m.Rows), 0.0
	for i := range m.Rows {
		for _, v := range matrix.Row(m, i) {
			means[i] += v / n
		}
		all += means[i] / n
	}
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.Stride+j] += all - means[i] - means[j]
		}
	}
}
