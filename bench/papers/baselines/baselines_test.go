package baselines

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// clusters returns n rows in d dimensions around a few centres.
func clusters(n, d int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, d)
	centre, noise := sketch.NewRandom(seed, "test centres"), sketch.NewRandom(seed, "test noise")
	for i := range n {
		c, e := centre.At(uint64(i%7)), noise.At(uint64(i))
		for j := range d {
			m.Data[i*d+j] = c.Float64() + 0.15*e.Normal()
		}
	}
	return m
}

func sources(x blas64.General) model.Sources {
	return model.Sources{Left: stream.FromMatrix("x", x)}
}

// approximation returns U and U·diag(values)·Uᵀ of the rows x.
func approximation(t *testing.T, f *lowrank.Fit, x blas64.General) (u, a *mat.Dense) {
	t.Helper()
	rows, err := model.TransformMatrix(background, stream.Engine{}, f.Model, x, model.Request{})
	if err != nil {
		t.Fatal(err)
	}
	u, a = mat.NewDense(rows.Rows, rows.Cols, rows.Data), new(mat.Dense)
	a.Product(u, mat.NewDiagDense(len(f.Values), f.Values), u.T())
	return u, a
}

// relative returns ‖A−B‖_F/‖A‖_F.
func relative(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2) / mat.Norm(a, 2)
}

// orthogonality returns ‖UᵀU − I‖_F.
func orthogonality(u *mat.Dense) float64 {
	var g mat.Dense
	g.Mul(u.T(), u)
	for i := range u.RawMatrix().Cols {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2)
}

// TestFastSPSD holds the fit against C·(SᵀC)⁺·(SᵀKS)·(CᵀS)⁺·Cᵀ by QR factorisations, with
// S drawn by their scores.
func TestFastSPSD(t *testing.T) {
	const n, c, seed = 300, 12, 5
	x, k := clusters(n, 4, 3), kernelgen.RBF(2)
	f, err := FastSPSD{Rank: c, Seed: seed}.Fit(background, stream.Engine{}, sources(x), k)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := sketch.NewSample(n, c, seed, "C")
	if err != nil {
		t.Fatal(err)
	}
	all := lab.Kernel(k, x, x)
	columns := mat.NewDense(n, c, nil)
	for j, landmark := range sample.Positions() {
		columns.SetCol(j, mat.Col(nil, int(landmark), all))
	}
	core := referenceCore(columns, sample.Positions(), 5*c, seed)
	sc, sks := mat.NewDense(len(core), c, nil), mat.NewDense(len(core), len(core), nil)
	for i, a := range core {
		sc.SetRow(i, columns.RawRowView(a))
		for j, b := range core {
			sks.Set(i, j, all.At(a, b))
		}
	}
	var half, u, want mat.Dense // half = (SᵀC)⁺·SᵀKS, u = half·(CᵀS)⁺
	if err := half.Solve(sc, sks); err != nil {
		t.Fatal(err)
	}
	if err := u.Solve(sc, half.T()); err != nil {
		t.Fatal(err)
	}
	want.Product(columns, u.T(), columns.T())
	basis, got := approximation(t, f, x)
	if e := relative(&want, got); !(e <= 1e-9) {
		t.Errorf("%g away from the dense formula, with %d core points", e, len(core))
	}
	if e := orthogonality(basis); !(e <= 1e-9) {
		t.Errorf("‖UᵀU−I‖ = %g", e)
	}
	if f.KernelEntries != int64(n*c+len(core)*len(core)) || f.Shift != 0 || len(f.Values) != c {
		t.Errorf("%d entries for %d core points, shift %g, %d values", f.KernelEntries, len(core), f.Shift, len(f.Values))
	}
	if _, err := (FastSPSD{Rank: n + 1}).Fit(background, stream.Engine{}, sources(x), k); err == nil {
		t.Error("more landmarks than rows are accepted")
	}
}

// referenceCore draws by leverage scores from Householder reflections, one row after the
// other.
func referenceCore(columns *mat.Dense, landmarks []int64, s int, seed uint64) (core []int) {
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(columns)
	qr.QTo(&q)
	n, c := columns.Dims()
	random, priority, in := sketch.NewRandom(seed, "leverage"), make([]float64, n), make([]bool, n)
	for i := range priority {
		draws := random.At(uint64(i))
		row := mat.NewVecDense(c, q.RawRowView(i)[:c])
		priority[i] = mat.Dot(row, row) / (1 - draws.Float64())
	}
	for range s {
		best := 0
		for i, p := range priority {
			if p > priority[best] {
				best = i
			}
		}
		in[best], priority[best] = true, 0
	}
	for _, i := range landmarks {
		in[i] = true
	}
	for i, is := range in {
		if is {
			core = append(core, i)
		}
	}
	return core
}
