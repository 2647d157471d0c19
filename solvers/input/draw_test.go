package input

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// weighted returns rows with a kept column of weights.
func weighted(t *testing.T, x blas64.General, weights []float64) stream.Source {
	t.Helper()
	src, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "w"}}, stream.Column{Floats: weights})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestSampleWeighted compares the sample of weighted rows with that of a table in which a row of weight k occurs k
// times.
func TestSampleWeighted(t *testing.T) {
	for _, n := range []int{3, 40, 3000} {
		x := matrix.New(n, 2)
		weights, ones := make([]float64, n), slices.Repeat([]float64{1}, n)
		var numbers []int
		for i := range n {
			x.Data[2*i], x.Data[2*i+1] = float64(i), float64(i*i)
			weights[i] = float64(i * i % 4)
			numbers = append(numbers, slices.Repeat([]int{i}, int(weights[i]))...)
		}
		copied := stream.FromMatrix("copies", dense.PickRows(x, numbers))
		for what, c := range map[string]struct {
			weights []float64
			plain   stream.Source
		}{"copies": {weights, copied}, "weights of 1": {ones, stream.FromMatrix("x", x)}} {
			for _, threads := range []int{1, 3} {
				got, err := DrawWeighted(t.Context(), stream.Engine{Threads: threads, BlockRows: 16}, weighted(t, x, c.weights), "w", 500, 7, "kernel")
				if err != nil {
					t.Fatal(err)
				}
				want, err := DrawRows(t.Context(), c.plain, 500, 7, "kernel")
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s of %d rows, %d threads: the sample is another", what, n, threads)
				}
			}
		}
		shares := make([]float64, n) // the weights as fractions
		for i, w := range weights {
			shares[i] = w / float64(8*n)
		}
		got, err := DrawWeighted(t.Context(), stream.Engine{}, weighted(t, x, shares), "w", 10*n, 7, "kernel")
		if err != nil || !slices.Equal(got.Data, dense.PickRows(x, numbers).Data) {
			t.Errorf("shares of %d rows: the sample is another; %v", n, err)
		}
	}
	_, err := DrawWeighted(t.Context(), stream.Engine{}, weighted(t, matrix.New(3, 1), make([]float64, 3)), "w", 2, 1, "kernel")
	if err == nil || !strings.Contains(err.Error(), "x: all weights are 0") {
		t.Errorf("weights of 0: %v", err)
	}
}
