package lowrank

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// rings returns n rows on two rings and in a blob, with the part of each.
func rings(n int, seed uint64) (x blas64.General, of []int) {
	x, of = matrix.New(n, 2), make([]int, n)
	random := sketch.NewRandom(seed, "rings")
	for i := range n {
		draws := random.At(uint64(i))
		of[i] = i % 3
		radius, angle := []float64{1, 2.5, 0}[of[i]], 2*math.Pi*draws.Float64()
		x.Data[2*i] = radius*math.Cos(angle) + 0.1*draws.Normal()
		x.Data[2*i+1] = radius*math.Sin(angle) + 0.1*draws.Normal()
		if of[i] == 2 {
			x.Data[2*i] += 5
		}
	}
	return x, of
}

// ask returns outputs of a model for rows.
func ask(t *testing.T, m *Model, x blas64.General, kinds ...model.Output) blas64.General {
	t.Helper()
	out, err := model.TransformMatrix(t.Context(), stream.Engine{}, m, x, model.Request{Outputs: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reloaded returns the model after saving and loading.
func reloaded(t *testing.T, m *Model) *Model {
	t.Helper()
	a, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(a)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// blobs returns n rows in three blobs, with the blob of each.
func blobs(n int, seed uint64) (x blas64.General, of []int) {
	x, of = matrix.New(n, 2), make([]int, n)
	random := sketch.NewRandom(seed, "blobs")
	for i := range n {
		draws := random.At(uint64(i))
		of[i] = i % 3
		x.Data[2*i] = 0.4*draws.Normal() + []float64{0, 4, 0}[of[i]]
		x.Data[2*i+1] = 0.4*draws.Normal() + []float64{0, 0, 4}[of[i]]
	}
	return x, of
}

// TestClusters: rings and a blob are separated, also for new rows. The eigengap finds the number of blobs, and
// refinement changes no label.
func TestClusters(t *testing.T) {
	t.Parallel()
	for k, made := range map[int]func(int, uint64) (blas64.General, []int){3: rings, AutoClusters: blobs} {
		x, of := made(900, 1)
		fresh, freshOf := made(300, 2)
		d := model.Sources{Left: stream.FromMatrix("x", x)}
		gamma := map[int]float64{3: 8, AutoClusters: 0.5}[k]
		f, err := Sampled{Method: Landmark{Rank: 60}, Clusters: k}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(gamma))
		if err != nil {
			t.Fatal(err)
		}
		if f.Clusters.K != 3 || f.Clusters.Gap() < 0 || math.Abs(f.Clusters.Values[0]-1) > 0.01 {
			t.Errorf("%d clusters, eigenvalues %v", f.Clusters.K, f.Clusters.Values[:5])
		}
		before := ask(t, f.Model, x, model.Class)
		if err := f.Refine(t.Context(), stream.Engine{}, d); err != nil {
			t.Fatal(err)
		}
		m := reloaded(t, f.Model)
		name := [3]float64{}
		for i, c := range of {
			name[c] = before.Data[i]
		}
		after := ask(t, m, x, model.Class)
		for i, c := range of {
			if before.Data[i] != name[c] || after.Data[i] != name[c] {
				t.Fatalf("row %d of set %d is in cluster %v, refined %v", i, c, before.Data[i], after.Data[i])
			}
		}
		wrong := 0
		for i, v := range ask(t, m, fresh, model.Class, model.Decision).Data {
			if i%4 == 0 && v != name[freshOf[i/4]] {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%d of 300 new rows are in another cluster", wrong)
		}
	}
}

// TestNormalisedMatrix: if the model is nearly exact, the eigenvalues are those of the dense normalised kernel matrix.
func TestNormalisedMatrix(t *testing.T) {
	t.Parallel()
	x, _ := rings(240, 3)
	k := kernelgen.RBF(2)
	m := Sampled{Method: Nystrom{Rank: 240}, Clusters: 3}
	f, err := m.Fit(t.Context(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
	if err != nil {
		t.Fatal(err)
	}
	a := kernelMatrix(k, x, x)
	roots := make([]float64, a.Rows)
	for i := range roots {
		roots[i] = 1 / math.Sqrt(dense.Sum(matrix.Row(a, i)))
	}
	dense.ScaleRows(a, roots)
	dense.ScaleColumns(a, roots)
	want := singularValues(t, a)
	for i, v := range f.Clusters.Values[:10] {
		if math.Abs(v-want[i]) > 1e-8 {
			t.Errorf("eigenvalue %d is %v, want %v", i, v, want[i])
		}
	}
}

// TestNovelty: distances equal the dense formula for every method, also for a scaled kernel and after refinement. Far
// rows have the smallest tail.
func TestNovelty(t *testing.T) {
	t.Parallel()
	x := clusters(400, 3, 5)
	far := matrix.New(4, 3)
	for i := range far.Data {
		far.Data[i] = 30
	}
	for _, text := range []string{"rbf(gamma=1)", "1e150*rbf(gamma=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d := model.Sources{Left: stream.FromMatrix("x", x)}
		for _, method := range []Method{Landmark{Rank: 6}, Nystrom{Rank: 6, Landmarks: 20}, PCA{Rank: 6},
			RPCholesky{Rank: 6}} {
			f, err := Sampled{Method: method, Novelty: true}.Fit(t.Context(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Refine(t.Context(), stream.Engine{}, d); err != nil {
				t.Fatal(err)
			}
			got := ask(t, reloaded(t, f.Model), x, model.Novelty)
			want, size := residuals(t, f.Model, k, x), math.Sqrt(diagonalOf(k, x)[0])
			for i := range want {
				if math.Abs(matrix.Row(got, i)[0]-want[i]) > 1e-6*size {
					t.Fatalf("%T of %s: row %d is %v from the span, want %v", method, text, i, matrix.Row(got, i)[0], want[i])
				}
			}
			if tail := ask(t, f.Model, far, model.Novelty).Data[2]; tail > 1/float64(len(f.Novelty.HeldOut)) {
				t.Errorf("%T: a row far away has tail %v", method, tail)
			}
		}
	}
}

// residuals returns the distances of rows from the span of the functions of a model, by a dense solve.
func residuals(t *testing.T, m *Model, k kernelgen.Kernel, x blas64.General) []float64 {
	t.Helper()
	p := m.Left.Projection
	if m.Left.Refinement.Rows > 0 {
		p = dense.Mul(blas.NoTrans, p, blas.NoTrans, m.Left.Refinement)
	}
	unit := m.Left.unit()
	p = matrix.Clone(p)
	dense.Scale(unit, p)
	j := kernelMatrix(k, m.Left.Landmarks, m.Left.Landmarks)
	g := dense.Mul(blas.Trans, p, blas.NoTrans, dense.Mul(blas.NoTrans, j, blas.NoTrans, p))
	u := ask(t, m, x, model.Coordinates)
	var solved mat.Dense
	if err := solved.Solve(matDense(g), matDense(u).T()); err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, x.Rows)
	norm := 0.0
	if c := m.Left.Center; c != nil {
		entries := kernelMatrix(k, x, m.Left.Landmarks)
		for i := range mean {
			mean[i] = dense.Dot(matrix.Row(entries, i), c.Weights)
		}
		norm = c.Norm / unit
	}
	out, diagonal := make([]float64, x.Rows), diagonalOf(k, x)
	for i := range out {
		inside := 0.0
		for c, v := range matrix.Row(u, i) {
			inside += v * solved.At(c, i)
		}
		out[i] = math.Sqrt(math.Max(0, diagonal[i]-2*mean[i]+norm-inside))
	}
	return out
}

// diagonalOf returns k(x, x) of rows.
func diagonalOf(k kernelgen.Kernel, x blas64.General) []float64 {
	d := make([]float64, x.Rows)
	k.Diag(d, x)
	return d
}

// TestSampledRefuses: clusters or novelty that cannot be learnt are refused with a remedy.
func TestSampledRefuses(t *testing.T) {
	t.Parallel()
	x := stream.FromMatrix("x", clusters(80, 2, 1))
	few := matrix.New(60, 2)
	for i := range few.Data {
		few.Data[i] = float64(i % 4)
	}
	rbf := kernelgen.RBF(1)
	for _, c := range []struct {
		says   string
		method Sampled
		d      model.Sources
		k      kernelgen.Kernel
	}{
		{"one source", Sampled{Method: Landmark{Rank: 2}, Clusters: 2}, model.Sources{Left: x, Right: x}, rbf},
		{"2 or more", Sampled{Method: Landmark{Rank: 2}, Clusters: 1}, model.Sources{Left: x}, rbf},
		{"not centred", Sampled{Method: PCA{Rank: 2}, Clusters: 2}, model.Sources{Left: x}, rbf},
		{"raise `Rank`", Sampled{Method: Landmark{Rank: 2}, Clusters: 3}, model.Sources{Left: x}, rbf},
		{"ask for fewer clusters", Sampled{Method: Nystrom{Rank: 10}, Clusters: 5},
			model.Sources{Left: stream.FromMatrix("few", few)}, rbf},
		{"are one cluster", Sampled{Method: Nystrom{Rank: 10}, Clusters: AutoClusters}, model.Sources{Left: x},
			kernelgen.RBF(0.01)},
		{"negative row sums", Sampled{Method: Nystrom{Rank: 2}, Clusters: 2},
			model.Sources{Left: stream.FromMatrix("y", centredRows())}, kernelgen.Linear()},
		{"this method has none", Sampled{Method: RFF{Rank: 4}, Novelty: true}, model.Sources{Left: x}, rbf},
		{"takes two rows", Sampled{Method: Nystrom{Rank: 2}, Novelty: true},
			model.Sources{Left: stream.FromMatrix("one", matrix.New(1, 2))}, rbf},
	} {
		if _, err := c.method.Fit(context.Background(), stream.Engine{}, c.d, c.k); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%q is not in %v", c.says, err)
		}
	}
	f, err := Landmark{Rank: 2}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: x}, rbf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Outputs(model.Left, model.Novelty); err == nil || !strings.Contains(err.Error(), "fit it again") {
		t.Error(err)
	}
}

// centredRows returns rows whose sum is small but not 0.
func centredRows() blas64.General {
	x := matrix.New(100, 2)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i*i)) + 0.01
	}
	return x
}
