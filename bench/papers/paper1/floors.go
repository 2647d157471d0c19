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

// denseRows is the largest number of rows for floors from all eigenvalues.
const denseRows = 5000

// floors returns σ_{c+1}/σ₁, the smallest relative spectral error of rank c without a shift, by c. Uniform data has
// none here.
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

// leading returns at least count of the largest eigenvalues by magnitude, or all.
func leading(ctx context.Context, k kernelgen.Kernel, x blas64.General, count int) ([]float64, error) {
	if x.Rows <= denseRows {
		return denseEigenvalues(k, x)
	}
	// The last Ritz pairs are the least accurate, so this computes additional ones.
	s := lowrank.Subspace{Rank: count + 50, Passes: 3, Seed: 1, Shift: lowrank.ShiftNone}
	f, err := s.Fit(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix("data", x)}, k)
	if err != nil {
		return nil, err
	}
	return f.Values, nil
}

// denseEigenvalues returns the eigenvalues of a small kernel matrix.
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
