package tiles_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/kernelgen/tiles"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// points returns n points of a curve.
func points(n int) blas64.General {
	x := stream.NewMatrix(n, 2)
	for i := range n {
		x.Data[2*i], x.Data[2*i+1] = math.Sin(float64(i)), float64(i)/float64(n)
	}
	return x
}

// A sketch CᵀK of the kernel matrix between 100,000 rows and 50 landmarks, by a sparse-sign operator C, in one pass.
func ExampleFold() {
	src := stream.FromMatrix("points", points(100_000))
	landmarks, err := stream.GatherRows(context.Background(), src, matrix.Numbers(50))
	if err != nil {
		log.Fatal(err)
	}
	signs, err := sketch.NewRowSign(200, 8, 1, "sketch of the rows")
	if err != nil {
		log.Fatal(err)
	}
	sum, err := tiles.Fold(context.Background(), stream.Engine{}, "sketch", src, kernelgen.RBF(1), landmarks,
		func() *sketch.Sum { return sketch.NewSum(200, 50) },
		func(acc *sketch.Sum, tile blas64.General, first int64) error {
			signs.FoldRows(acc.General, tile, first)
			return nil
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Rows, sum.Cols)
	// Output: 200 50
}

// TestFold compares a sketch with dense algebra, for columns in any order and any number of threads.
func TestFold(t *testing.T) {
	const n, m, c = 3000, 7, 20
	x, k := points(n), kernelgen.RBF(0.7)
	signs, err := sketch.NewRowSign(c, 3, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	var columns blas64.General
	fold := func(threads int, src stream.Source) (*sketch.Sum, error) {
		return tiles.Fold(t.Context(), stream.Engine{Threads: threads, BlockRows: 512}, "sketch", src, k, columns,
			func() *sketch.Sum { return sketch.NewSum(c, m) },
			func(acc *sketch.Sum, tile blas64.General, first int64) error {
				signs.FoldRows(acc.General, tile, first)
				return nil
			})
	}
	columns = stream.NewMatrix(m, 2)
	for j, row := range []int{2999, 4, 1000, 4, 7, 1, 0} {
		copy(columns.Data[2*j:2*j+2], x.Data[2*row:2*row+2])
	}
	want, at, values := stream.NewMatrix(c, m), make([]int, 3), make([]float64, 3)
	for i := range n {
		signs.Row(int64(i), at, values)
		for j := range m {
			dx, dy := x.Data[2*i]-columns.Data[2*j], x.Data[2*i+1]-columns.Data[2*j+1]
			for s, row := range at {
				want.Data[row*m+j] += values[s] * math.Exp(-0.7*(dx*dx+dy*dy))
			}
		}
	}
	got, err := fold(1, stream.FromMatrix("x", x))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.Data {
		if !(math.Abs(v-want.Data[i]) <= 1e-10) {
			t.Fatalf("number %d is %v, not %v", i, v, want.Data[i])
		}
	}
	again, err := fold(3, stream.FromMatrix("x", x))
	if err != nil || !slices.Equal(again.Data, got.Data) {
		t.Errorf("other bits on 3 threads: %v", err)
	}
	bad := points(n)
	bad.Data[2*2500+1] = math.NaN()
	var value *stream.DataError
	if _, err := fold(2, stream.FromMatrix("x", bad)); !errors.As(err, &value) || value.Row != 2500 || value.Column != "x1" {
		t.Error(err)
	}
	if _, err := fold(2, stream.FromMatrix("x", stream.NewMatrix(5, 3))); err == nil {
		t.Error("rows of another length are taken")
	}
	for _, text := range []string{"rbf(gamma=median)", "sne(gamma=1)"} {
		if k, err = kernelgen.Parse(text); err != nil {
			t.Fatal(err)
		}
		if _, err := fold(1, stream.FromMatrix("x", x)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
