package paper1

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// denseRows is up to how many rows floors come from all eigenvalues.
const denseRows = 5000

// floors returns σ_{c+1}/σ₁, the least relative spectral error of rank c without a shift,
// by c. Uniform data has none here.
func (p problem) floors(
	ctx context.Context, k kernelgen.Kernel, x blas64.General, ranks []int,
) (map[int]float64, error) {
	if p.data == uniform || len(ranks) == 0 {
		return nil, nil
	}
	values, err := leading(ctx, k, x, slices.Max(ranks)+1)
	if err != nil {
		return nil, err
	}
	floors := map[int]float64{}
	for _, c := range ranks {
		if c < len(values) {
			floors[c] = values[c] / values[0]
		}
	}
	return floors, nil
}

// leading returns the largest eigenvalues by magnitude, at least count if there are so many.
func leading(ctx context.Context, k kernelgen.Kernel, x blas64.General, count int) ([]float64, error) {
	if x.Rows <= denseRows {
		return denseEigenvalues(k, x)
	}
	// The last Ritz pairs are the worst: more columns than are looked at.
	s := lowrank.Subspace{Rank: count + 50, Passes: 3, Seed: 1, Shift: lowrank.ShiftNone}
	f, err := s.Fit(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix("data", x)}, k)
	if err != nil {
		return nil, err
	}
	return f.Values, nil
}

// denseEigenvalues returns those of a small kernel matrix.
func denseEigenvalues(k kernelgen.Kernel, x blas64.General) ([]float64, error) {
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(x.Rows, a.Data), false) {
		return nil, fmt.Errorf("the eigenvalues of kernel %s did not converge", k)
	}
	values := eig.Values(nil)
	for i, v := range values {
		values[i] = max(v, -v)
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values, nil
}
