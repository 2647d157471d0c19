package cluster

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/spectral"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Spectral is the spectral clustering of Ng, Jordan and Weiss (2001) for a kernel
// K ≈ F·Fᵀ that is given by factors: k-means of the rows of the k leading
// eigenvectors of D^(−1/2)·K·D^(−1/2), each row divided by its norm. Nothing of
// size n×n is formed (see [Spectral.Embed]), and the kernel keeps its diagonal,
// which the paper sets to 0.
//
// Cost: three passes over F (n×r), about 4·n·r² flops, n×dimension numbers for the
// embedding, and k-means of it.
type Spectral struct {
	KMeans
	Dim int // eigenvectors; 0 means as many as clusters
}

// SpectralClustering is a clustering of the rows of a kernel.
type SpectralClustering struct {
	Clustering // of the rows of the embedding, each divided by its norm
	Spectrum   *Spectrum
}

// Fit clusters the rows of factors F.
func (s Spectral) Fit(ctx context.Context, e stream.Engine, factors stream.Source) (*SpectralClustering, error) {
	spectrum, err := s.Embed(ctx, e, factors)
	if err != nil {
		return nil, err
	}
	c, err := s.KMeans.Fit(ctx, e, spectral.UnitRows(spectrum.Vectors))
	if err != nil {
		return nil, err
	}
	return &SpectralClustering{*c, spectrum}, nil
}

// Spectrum is the leading part of the spectrum of a normalised kernel.
type Spectrum struct {
	Vectors blas64.General // n × dimension, orthonormal columns
	Values  []float64      // all r eigenvalues that the factors give, descending
	Raised  int64          // rows whose degree was below their K_ii
}

// rankTolerance is the part of the largest singular value of the normalised
// factors below which directions are noise.
const rankTolerance = 1e-10

// Embed finds the leading eigenvectors of D^(−1/2)·K·D^(−1/2), K = F·Fᵀ, which
// are the left singular vectors of D^(−1/2)·F. The degrees are D_ii = f_i·(Fᵀ1),
// but at least K_ii = f_i·f_i: a row is similar to itself, and where K is
// approximate, or has negative entries, what the others add may be negative.
// Spectrum.Raised counts such rows; if there are none, the largest eigenvalue is
// 1. A zero row of F has a zero row in the result.
//
// The columns are orthonormal to ε·σ₁/σ_dim for the singular values σ. There are
// fewer than Dim of them if F has a smaller rank, counted at 1e-10·σ₁.
//
// Cost: three passes over F: column sums, R factor of the normalised rows, vectors.
func (s Spectral) Embed(ctx context.Context, e stream.Engine, factors stream.Source) (*Spectrum, error) {
	info := factors.Info()
	if s.Dim < 0 || s.Clusters < 1 {
		panic(fmt.Sprintf("cluster: spectral clustering of %+v", s))
	}
	if info.Once {
		return nil, fmt.Errorf("%s can be read only once, and spectral clustering needs three passes; keep the factors in a file", info.Name)
	}
	if len(info.Columns) == 0 {
		return nil, fmt.Errorf("%s: factors without columns", info.Name)
	}
	dim := s.Dim
	if dim == 0 {
		dim = s.Clusters
	}
	k := spectral.Kernel{Source: factors, Cols: len(info.Columns), Panels: panelsOf(info)}
	spectrum, err := k.Embed(ctx, e, spectral.Settings{Dim: dim, Normalise: true, Tolerance: rankTolerance})
	var overflow *spectral.DegreeError
	switch {
	case errors.As(err, &overflow):
		return nil, fmt.Errorf("%s: the degree of row %d overflows: scale the factors down", info.Name, overflow.Row)
	case errors.Is(err, spectral.ErrZero):
		return nil, fmt.Errorf("%s: %w: there is nothing to cluster", info.Name, err)
	case err != nil:
		return nil, err
	}
	return &Spectrum{Vectors: spectrum.Vectors, Values: spectrum.Values, Raised: spectrum.Raised}, nil
}

// panelsOf hands on rows of factors, K_ii being f_i·f_i.
func panelsOf(info stream.Info) func() func(rows blas64.General, first int64) (spectral.Panel, error) {
	return func() func(blas64.General, int64) (spectral.Panel, error) {
		self := make([]float64, stream.PanelRows)
		return func(rows blas64.General, first int64) (spectral.Panel, error) {
			for i := range rows.Rows {
				self[i] = dense.Dot(dense.Row(rows, i), dense.Row(rows, i))
			}
			err := model.InSource(info, sketch.CheckFinite(rows), func(i int) int64 { return first + int64(i) })
			return spectral.Panel{C: rows, Self: self}, err
		}
	}
}
