package ridge

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// parsed parses kernels.
func parsed(t *testing.T, text string) []kernelgen.Kernel {
	t.Helper()
	kernels, err := kernelgen.ParseAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return kernels
}

// TestMedianOfWeightedRows: gamma=median equals that of the table in which a row of weight k occurs k times.
func TestMedianOfWeightedRows(t *testing.T) {
	x, y := wavy(120)
	weights := make([]float64, x.Rows)
	var numbers []int
	for i := range weights {
		if weights[i] = float64(i % 3); i%3 == 0 {
			matrix.Row(x, i)[1] += 1e6
		}
		for range i % 3 {
			numbers = append(numbers, i)
		}
	}
	d := targets(t, x, y)
	beside(t, d, "w", stream.Column{Floats: weights})
	d.Weights = "w"
	var found []string
	for _, data := range []*Data{d, targets(t, dense.PickRows(x, numbers), dense.PickRows(y, numbers))} {
		f, err := Solver{Landmarks: 30, Penalties: []float64{1}, Folds: 2}.Fit(t.Context(), stream.Engine{}, data, parsed(t, "rbf(gamma=median)")[0])
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f.Model.Kernel.String())
	}
	if found[0] != found[1] {
		t.Errorf("the kernel is %s, and %s of the copies", found[0], found[1])
	}
}

// TestOneBinaryColumn: a fit accepts a single binary or constant column.
func TestOneBinaryColumn(t *testing.T) {
	_, y := wavy(60)
	for name, value := range map[string]func(i int) float64{
		"rare": func(i int) float64 { return float64(i / 58) }, "constant": func(int) float64 { return 3 },
	} {
		x := blas64.General{Rows: 60, Cols: 1, Stride: 1}
		for i := range 60 {
			x.Data = append(x.Data, value(i))
		}
		kernels := parsed(t, "laplace(gamma=0.25*median) | matern32(length=2*median)")
		f, err := Solver{Kernels: kernels[1:]}.Fit(t.Context(), stream.Engine{}, targets(t, x, y), kernels[0])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if notes := strings.Join(f.Notes, "; "); len(f.Kernels) != 2 || !strings.Contains(notes, "equal") {
			t.Errorf("%s: kernels %v, notes %s", name, f.Kernels, notes)
		}
	}
}
