package solvers_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestBadRowIsNamed: an error about a non-finite number names its row and column, in any row of a source. The kernel is
// not blamed for it.
func TestBadRowIsNamed(t *testing.T) {
	const rows, columns = 1500, 3 // more than a fit fetches by number
	kernels := []string{"rbf(gamma=median)", "rbf(gamma=0.7)", "linear()", "laplace(gamma=median)", "kl(a=0.1)", "relative()"}
	h, named := 0, 0
	for _, f := range families {
		for _, r := range f.rows {
			if r.data != nil {
				continue
			}
			for i, row := range []int{rows - 1, 7} {
				if h++; testing.Short() && h%4 != 0 {
					continue
				}
				value := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[h%3]
				if r.has(unplanned) && math.IsInf(value, -1) {
					continue // the exponential of -Inf is 0
				}
				text := r.kernel
				if text == "" {
					text = kernels[h%len(kernels)]
				}
				k, err := kernelgen.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				fit := func(x blas64.General) error {
					src := stream.FromMatrix("x", x, "a", "b", "c")
					d, err := f.dataOf(t, r, src, src)
					if err == nil {
						_, err = fitOf(t.Context(), stream.Engine{}, r.method, d, k)
					}
					return err
				}
				x := normal(1, 39, rows, columns)
				for j, v := range x.Data {
					x.Data[j] = math.Abs(v) // kl takes no others
				}
				healthy := x.Data[row*x.Stride+i%columns]
				x.Data[row*x.Stride+i%columns] = value
				err = fit(x)
				var bad *stream.DataError
				if errors.As(err, &bad) && bad.Row == int64(row) && bad.Column == []string{"a", "b", "c"}[i%columns] {
					named++
					continue
				}
				x.Data[row*x.Stride+i%columns] = healthy
				if fit(x) == nil { // the method accepts such a kernel
					t.Errorf("%s, %s, %v in row %d: %v", r.name, text, value, row, err)
				}
			}
		}
	}
	if named < h/8 {
		t.Errorf("only %d of %d fits name a row: the test looks at little", named, h)
	}
}
