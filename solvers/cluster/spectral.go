package cluster

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
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
	c, err := s.KMeans.Fit(ctx, e, unitRows(spectrum.Vectors))
	if err != nil {
		return nil, err
	}
	return &SpectralClustering{*c, spectrum}, nil
}

// unitRows is m with each row divided by its norm; rows of zeros stay.
func unitRows(m blas64.General) blas64.General {
	unit := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		norm := dense.Norm(dense.Row(m, i))
		if norm == 0 {
			continue
		}
		for j, v := range dense.Row(m, i) {
			unit.Data[i*unit.Stride+j] = v / norm
		}
	}
	return unit
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
	sums, err := columnSums(ctx, e, factors)
	if err != nil {
		return nil, err
	}
	n := normaliser{info: info, sums: sums}
	fold, err := n.fold(ctx, e, factors)
	if err != nil {
		return nil, err
	}
	dim := s.Dim
	if dim == 0 {
		dim = s.Clusters
	}
	values, project, err := leading(fold.A.R(), dim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	vectors, err := n.project(ctx, e, factors, project)
	if err != nil {
		return nil, err
	}
	return &Spectrum{Vectors: vectors, Values: values, Raised: fold.B.Count}, nil
}

// leading gives the squares of all singular values of a triangular factor R, and
// V·Σ⁻¹ for the first dim of them.
func leading(r blas64.General, dim int) (values []float64, project blas64.General, err error) {
	v, s, err := rightSingular(r)
	if err != nil {
		return nil, project, err
	}
	if s[0] == 0 {
		return nil, project, errors.New("all factors are zero: there is nothing to cluster")
	}
	rank := 0
	for rank < min(dim, len(s)) && s[rank] > rankTolerance*s[0] {
		rank++
	}
	project = stream.NewMatrix(r.Cols, rank)
	for i := range project.Rows {
		for j := range rank {
			project.Data[i*project.Stride+j] = v.Data[i*v.Stride+j] / s[j]
		}
	}
	for _, sigma := range s {
		values = append(values, sigma*sigma)
	}
	return values, project, nil
}
