package askls

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

var ctx = context.Background()

// randomMatrix returns standard normal entries.
func randomMatrix(rows, cols int, seed uint64) blas64.General {
	m := matrix.New(rows, cols)
	random := sketch.NewRandom(seed, "askls test")
	for i := range m.Data {
		d := random.At(uint64(i))
		m.Data[i] = d.Normal()
	}
	return m
}

// clouds returns n rows of d columns around k centres, distance apart, with the class of each row.
func clouds(n, d, k int, distance float64, seed uint64) (blas64.General, []int) {
	x, labels := randomMatrix(n, d, seed), make([]int, n)
	for i := range n {
		labels[i] = int(uint(i*7+i/3) % uint(k))
		matrix.Row(x, i)[labels[i]%d] += distance * float64(1+labels[i]/d)
	}
	return x, labels
}

// source returns the rows of x as a source.
func source(x blas64.General) stream.Source { return stream.FromMatrix("x", x) }

// parse parses a kernel.
func parse(t testing.TB, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// kernelEntry returns K(x, z) by definition. A normalised kernel sums over the rows of train.
func kernelEntry(kernel string, x, z []float64, train blas64.General) float64 {
	raw := func(x, z []float64) float64 {
		d := 0.0
		for i := range x {
			d += (x[i] - z[i]) * (x[i] - z[i])
		}
		switch kernel {
		case "sne(gamma=2)":
			return math.Exp(-d / 4)
		case "t()":
			return 1 / (1 + d)
		case "rbf(gamma=0.3)":
			return math.Exp(-0.3 * d)
		case "linear()":
			return dense.Dot(x, z)
		case "kl(a=2)":
			d = 0
			for i := range x {
				d += x[i] * math.Log(x[i]/z[i])
			}
			return math.Exp(-2 * d)
		}
		panic(kernel)
	}
	v := raw(x, z)
	if kernel == "sne(gamma=2)" || kernel == "t()" {
		sum := 0.0
		for i := range train.Rows {
			sum += raw(x, matrix.Row(train, i))
		}
		v /= sum
	}
	return v
}

// formed returns the kernel matrix between the rows of x and z by definition.
func formed(kernel string, x, z, train blas64.General) blas64.General {
	k := matrix.New(x.Rows, z.Rows)
	for i := range k.Rows {
		for j := range k.Cols {
			k.Data[i*k.Stride+j] = kernelEntry(kernel, matrix.Row(x, i), matrix.Row(z, j), train)
		}
	}
	return k
}

// solvePrinted solves the system of the paper, with the labels y inside, by LU. With a ridge it solves the normal
// equations.

func solvePrinted(k blas64.General, y []float64, gamma, ridge float64) (b1, b2 float64, alpha, beta []float64) {
	n := len(y)
	m, r := mat.NewDense(2*n+2, 2*n+2, nil), mat.NewVecDense(2*n+2, nil)
	for i := range n {
		m.Set(0, 2+i, y[i])
		m.Set(1, 2+n+i, y[i])
		m.Set(2+i, 0, y[i])
		m.Set(2+n+i, 1, y[i])
		m.Set(2+i, 2+i, 1/gamma)
		m.Set(2+n+i, 2+n+i, 1/gamma)
		r.SetVec(2+i, 1)
		r.SetVec(2+n+i, 1)
		for j := range n {
			h := y[i] * k.Data[i*k.Stride+j] * y[j]
			m.Set(2+i, 2+n+j, h)
			m.Set(2+n+j, 2+i, h)
		}
	}
	var x mat.VecDense
	if ridge > 0 {
		var square mat.Dense
		square.Mul(m, m)
		for i := range 2*n + 2 {
			square.Set(i, i, square.At(i, i)+ridge)
		}
		var right mat.VecDense
		right.MulVec(m, r)
		x.SolveVec(&square, &right)
	} else {
		x.SolveVec(m, r)
	}
	return x.AtVec(0), x.AtVec(1), x.RawVector().Data[2 : 2+n], x.RawVector().Data[2+n:]
}

// reference returns f_s and f_t of new samples by the formulas of the paper. Row i of out holds K(x, x_j), and of in
// K(x_j, x), for new sample i.
func reference(k blas64.General, labels []int, classes int, gamma, ridge float64, out, in blas64.General) blas64.General {
	both := matrix.New(out.Rows, 2*classes)
	for c := range classes {
		y := make([]float64, len(labels))
		for i, l := range labels {
			y[i] = -1
			if l == c {
				y[i] = 1
			}
		}
		b1, b2, alpha, beta := solvePrinted(k, y, gamma, ridge)
		for i := range out.Rows {
			s, t := b1, b2
			for j := range y {
				s += beta[j] * y[j] * out.Data[i*out.Stride+j]
				t += alpha[j] * y[j] * in.Data[i*in.Stride+j]
			}
			both.Data[i*2*classes+c], both.Data[i*2*classes+classes+c] = s, t
		}
	}
	return both
}

// functionsOf returns f_s and f_t of rows by the model.
func functionsOf(t testing.TB, m *Model, e stream.Engine, rows stream.Source) blas64.General {
	t.Helper()
	out := blas64.General{Cols: 2 * m.Classes, Stride: 2 * m.Classes}
	err := m.Evaluate(ctx, e, rows, false, func(_ *stream.Block, both blas64.General) error {
		for i := range both.Rows {
			out.Data = append(out.Data, matrix.Row(both, i)...)
		}
		out.Rows += both.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// expect compares matrices, with errors relative to the largest entry or 1.
func expect(t testing.TB, what string, got, want blas64.General, tol float64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	worst := 0.0
	for i := range got.Rows {
		for j, v := range matrix.Row(got, i) {
			d := math.Abs(v - want.Data[i*want.Stride+j])
			if !(d <= worst) {
				worst = d
			}
		}
	}
	if scale := max(1, dense.MaxAbs(want)); !(worst <= tol*scale) {
		t.Errorf("%s: off by %.2e of %.2e", what, worst, scale)
	}
}

// name joins parts to the name of a subtest.
func name(parts ...any) string { return fmt.Sprint(parts...) }
