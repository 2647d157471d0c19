package cluster

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// rings returns n points on two circles around 0, in turn, and the circle of each.
func rings(n int) (x blas64.General, truth []int) {
	x = stream.NewMatrix(n, 2)
	noise := sketch.NewRandom(1, "ring test")
	for i := range n {
		d := noise.At(uint64(i))
		angle, radius := 2*math.Pi*float64(i)/float64(n), 1+2*float64(i%2)+0.05*d.Normal()
		x.Data[2*i], x.Data[2*i+1] = radius*math.Cos(angle), radius*math.Sin(angle)
		truth = append(truth, i%2)
	}
	return x, truth
}

// rootOf returns factors F with K = F·Fᵀ, all of them, from eigenvalues.
func rootOf(t *testing.T, k blas64.General) blas64.General {
	t.Helper()
	var f mat.EigenSym
	if !f.Factorize(mat.NewSymDense(k.Rows, k.Data), true) {
		t.Fatal("no eigenvalues")
	}
	var v mat.Dense
	f.VectorsTo(&v)
	factors := v.RawMatrix()
	for j, value := range f.Values(nil) {
		for i := range factors.Rows {
			factors.Data[i*factors.Stride+j] *= math.Sqrt(max(0, value))
		}
	}
	return factors
}

func kernelMatrix(k kernelgen.Kernel, x blas64.General) blas64.General {
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	return a
}

// TestRings finds what k-means of the points cannot.
func TestRings(t *testing.T) {
	x, truth := rings(300)
	factors := stream.NewCounted(stream.FromMatrix("factors", rootOf(t, kernelMatrix(kernelgen.RBF(4), x))))
	s := Spectral{KMeans: KMeans{Clusters: 2, Seed: 1}}
	got, err := s.Fit(ctx, stream.Engine{Threads: 2, BlockRows: 64}, factors)
	if err != nil {
		t.Fatal(err)
	}
	if !samePartition(got.Labels, truth) {
		t.Errorf("rings not found; eigenvalues %v", got.Spectrum.Values[:4])
	}
	if factors.Passes() != 3 {
		t.Errorf("%d passes", factors.Passes())
	}
	points, err := KMeans{Clusters: 2}.Fit(ctx, stream.Engine{}, x)
	if err != nil || samePartition(points.Labels, truth) {
		t.Errorf("k-means of the points: %v; the test shows nothing", err)
	}
	again, err := s.Fit(ctx, stream.Engine{Threads: 1, BlockRows: 64}, factors)
	if diff := cmp.Diff(got, again); err != nil || diff != "" {
		t.Errorf("another number of threads: %v %s", err, diff)
	}
}

// TestSpectrum compares with the dense normalised kernel.
func TestSpectrum(t *testing.T) {
	x, _ := clouds(120, 3, 4, 1)
	k := kernelMatrix(kernelgen.RBF(0.02), x)
	const dim = 6
	got, err := Spectral{KMeans: KMeans{Clusters: 2}, Dim: dim}.Embed(ctx, stream.Engine{BlockRows: 32}, stream.FromMatrix("factors", rootOf(t, k)))
	if err != nil {
		t.Fatal(err)
	}
	degree := make([]float64, k.Rows)
	for i := range degree {
		for _, v := range dense.Row(k, i) {
			degree[i] += v
		}
	}
	norm := stream.NewMatrix(k.Rows, k.Rows)
	for i := range k.Rows {
		for j, v := range dense.Row(k, i) {
			norm.Data[i*norm.Stride+j] = v / math.Sqrt(degree[i]*degree[j])
		}
	}
	var f mat.EigenSym
	f.Factorize(mat.NewSymDense(norm.Rows, norm.Data), false)
	values := f.Values(nil)
	for j := range dim {
		if want := values[len(values)-1-j]; math.Abs(got.Values[j]-want) > 1e-12 {
			t.Errorf("eigenvalue %d is %v, want %v", j, got.Values[j], want)
		}
	}
	if math.Abs(got.Values[0]-1) > 1e-12 || got.Raised != 0 {
		t.Errorf("largest eigenvalue %v, %d degrees raised", got.Values[0], got.Raised)
	}
	// N·U = U·Λ and UᵀU = I.
	nu := stream.NewMatrix(k.Rows, dim)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, norm, got.Vectors, 0, nu)
	for i := range nu.Rows {
		for j, v := range dense.Row(nu, i) {
			if want := got.Values[j] * dense.Row(got.Vectors, i)[j]; math.Abs(v-want) > 1e-12 {
				t.Fatalf("entry (%d, %d) of N·U is %v, want %v", i, j, v, want)
			}
		}
	}
	gram := stream.NewMatrix(dim, dim)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, got.Vectors, got.Vectors, 0, gram)
	for i := range dim {
		for j := range dim {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(gram.Data[i*dim+j]-want) > 1e-12 {
				t.Fatalf("UᵀU has %v at (%d, %d)", gram.Data[i*dim+j], i, j)
			}
		}
	}
}

// TestSpectralEdges: zero rows, negative similarities, a small rank, equal rows.
func TestSpectralEdges(t *testing.T) {
	fit := func(k int, rows, cols int, data ...float64) (*SpectralClustering, error) {
		m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
		return Spectral{KMeans: KMeans{Clusters: k}}.Fit(ctx, stream.Engine{}, stream.FromMatrix("factors", m))
	}
	c, err := fit(2, 5, 2, 1, 0, 1, 0, 0, 1, 0, 1, 0, 2)
	if err != nil || !samePartition(c.Labels, []int{0, 0, 1, 1, 1}) {
		t.Errorf("two blocks: %+v, %v", c, err)
	}
	c, err = fit(2, 4, 1, 1, 1, -3, -1)
	if err != nil || !samePartition(c.Labels, []int{0, 0, 1, 1}) || c.Spectrum.Raised != 3 {
		t.Errorf("negative similarities: %+v, %v", c, err)
	}
	c, err = fit(2, 3, 2, 1, 0, 0, 0, 1, 0)
	if err != nil || !samePartition(c.Labels, []int{0, 1, 0}) || c.Spectrum.Vectors.Cols != 1 {
		t.Errorf("a zero row: %+v, %v", c, err)
	}
	for name, err := range map[string]error{
		"all zero":   third(fit(1, 2, 1, 0, 0)),
		"no rows":    third(fit(1, 0, 1)),
		"no columns": third(fit(1, 2, 0)),
		"one block":  third(fit(2, 3, 1, 1, 1, 2)),
		"NaN":        third(fit(1, 2, 1, 1, math.NaN())),
		"overflow":   third(fit(1, 2, 1, 1e200, 1e200)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func third(_ *SpectralClustering, err error) error { return err }
