package basis

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// mapOf returns features of x by its first landmarks, whitened.
func mapOf(t *testing.T, k kernelgen.Kernel, x blas64.General, landmarks int) *Map {
	t.Helper()
	tl := tiles.Plain(k)
	all := NewPanel(x, matrix.Numbers(x.Rows), nil)
	j, u, err := Whiten(t.Context(), stream.Engine{}, tl, all.Select(matrix.Numbers(landmarks)))
	if err != nil {
		t.Fatal(err)
	}
	return &Map{Tiles: tl, Landmarks: j, Project: Inverse(u)}
}

// TestMoments: the Gram matrices of parts are those of the columns [1 | z | z' | y]·√w, with the same bits for any
// number of threads.
func TestMoments(t *testing.T) {
	t.Parallel()
	const n, parts = 700, 3
	x, y := clusters(n, 4, 1), clusters(n, 2, 2)
	root := func(row int64) float64 { return math.Sqrt(1 + float64(row%5)) }
	first, second := mapOf(t, kernelgen.RBF(1), x, 9), mapOf(t, kernelgen.Laplace(1), x, 5)
	columns := &Columns{One: true, Features: []Features{first.Features("x"), second.Features("x")}, Targets: y, SqrtWeight: root, Rows: n}
	part := func(row int64) int { return int(row) % parts }
	moments := func(threads int) []blas64.General {
		newState := func() sketch.List[*sketch.QR] {
			var l sketch.List[*sketch.QR]
			for range parts {
				l = append(l, sketch.NewQR(columns.Width()))
			}
			return l
		}
		e := stream.Engine{Threads: threads, BlockRows: 64}
		l, err := Moments(t.Context(), e, "fit", stream.FromMatrix("x", x), columns, newState, func() func(sketch.List[*sketch.QR], Rows) error {
			return func(l sketch.List[*sketch.QR], r Rows) error {
				for i := range r.Z.Rows {
					if err := l[part(r.Start+int64(i))].Add(matrix.Rows(r.Z, i, 1)); err != nil {
						return err
					}
				}
				return nil
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var out []blas64.General
		for _, qr := range l {
			out = append(out, dense.Mul(blas.Trans, qr.R(), blas.NoTrans, qr.R()))
		}
		return out
	}
	got, again := moments(1), moments(3)
	all := matrix.New(n, columns.Width())
	for i := range n {
		if err := columns.Worker(stream.Info{Name: "x"})(matrix.Rows(all, i, 1), matrix.Rows(x, i, 1), int64(i)); err != nil {
			t.Fatal(err)
		}
		row := matrix.Row(all, i)
		z := dense.MulVector(blas.Trans, first.Project, kernelRow(kernelgen.RBF(1), matrix.Row(x, i), first.Landmarks.Rows))
		want := append([]float64{1}, z...)
		for j, v := range want {
			if math.Abs(row[j]-v*root(int64(i))) > 1e-10 {
				t.Fatalf("row %d, column %d: %v, not %v", i, j, row[j], v*root(int64(i)))
			}
		}
		if last := row[len(row)-1]; last != matrix.Row(y, i)[1]*root(int64(i)) {
			t.Fatalf("row %d: target %v", i, last)
		}
	}
	for p, g := range got {
		var numbers []int
		for i := p; i < n; i += parts {
			numbers = append(numbers, i)
		}
		rows := dense.PickRows(all, numbers)
		if want := dense.Mul(blas.Trans, rows, blas.NoTrans, rows); distance(g, want) > 1e-12*dense.Frobenius(want) {
			t.Errorf("part %d is off by %g", p, distance(g, want))
		}
		if distance(g, again[p]) != 0 {
			t.Errorf("part %d depends on the threads", p)
		}
	}
}

// kernelRow returns k(x, z) for each landmark z.
func kernelRow(k kernelgen.Kernel, x []float64, landmarks blas64.General) []float64 {
	return matrix.Row(kernelMatrix(k, matrix.Of(x, 1, len(x)), landmarks), 0)
}

// TestMoreRowsThanPromised: the pass fails if the source has more rows than targets or weights.
func TestMoreRowsThanPromised(t *testing.T) {
	t.Parallel()
	x := clusters(40, 2, 1)
	c := &Columns{One: true, Targets: matrix.New(39, 1), Rows: 39}
	err := c.Worker(stream.Info{Name: "x"})(matrix.New(40, 2), x, 0)
	if err == nil || !strings.Contains(err.Error(), "more rows than were promised") {
		t.Errorf("error %v", err)
	}
}

// TestWhiten: features of the landmarks are orthonormal coordinates whose products are the kernel. Whiten drops copies
// of landmarks and refuses an indefinite kernel.
func TestWhiten(t *testing.T) {
	t.Parallel()
	x := clusters(60, 3, 4)
	copies := dense.PickRows(x, []int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4})
	m := mapOf(t, kernelgen.RBF(2), copies, 10)
	if m.Width() != 5 || m.Landmarks.Count() != 5 {
		t.Fatalf("%d features of 5 different rows", m.Width())
	}
	z := matrix.New(5, 5)
	if err := m.Features("x").Worker()(z, m.Landmarks.Rows, 0); err != nil {
		t.Fatal(err)
	}
	want := kernelMatrix(kernelgen.RBF(2), m.Landmarks.Rows, m.Landmarks.Rows)
	if d := distance(dense.Mul(blas.NoTrans, z, blas.Trans, z), want); d > 1e-12 {
		t.Errorf("products of features are off by %g", d)
	}
	all := NewPanel(x, matrix.Numbers(x.Rows), nil)
	if _, _, err := Whiten(context.Background(), stream.Engine{}, tiles.Plain(kernelgen.Sigmoid(0.1, -1)), all); !errors.Is(err, ErrNotDefinite) {
		t.Errorf("a negative kernel: %v", err)
	}
}
