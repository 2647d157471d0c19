package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Clusters is normalised spectral clustering (Shi & Malik 2000; Ng, Jordan & Weiss 2002) on the factors of a model, as
// a function of a row x. With S = diag(degrees)
//
//	degree(x) = u(x)·Λ·Uᵀ1 + shift, at least k(x, x)
//	S^(−½)·U·Λ·Uᵀ·S^(−½)     has the eigenvalues Values, and the eigenvectors S^(½)·Z
//	z(x) = u(x)·Directions / degree(x)
//
// and x belongs to the cluster with the center nearest to z(x). The centers come from k-means on the sampled rows. Sums
// over the rows are estimated from the sample.
type Clusters struct {
	K          int            `json:"k" min:"2"`
	Values     []float64      `json:"-" array:"values,values,descending"` // of the normalised matrix
	Sums       []float64      `json:"-" array:"sums,rank"`                // Λ·Uᵀ1
	Directions blas64.General `json:"-" array:"directions,rank,k"`
	Centers    blas64.General `json:"-" array:"centers,k,k"`
}

const (
	// mostAutoClusters is the largest number of clusters that the eigengap may choose.
	mostAutoClusters = 20
	// negativeDegrees is the fraction of rows with negative degrees that is attributed to the error of the model.
	negativeDegrees = 0.01
)

// learnClusters divides the sample into k clusters, or a number chosen by the eigengap.
func (s *fittedSample) learnClusters(ctx context.Context, e stream.Engine, k int, seed uint64) (err error) {
	c := &Clusters{K: k, Sums: make([]float64, len(s.Values))}
	s.Clusters = c
	for i := range s.u.Rows {
		matrix.Axpy(s.weight, matrix.Row(s.u, i), c.Sums)
	}
	roots := make([]float64, len(s.Values))
	for j, v := range s.Values {
		c.Sums[j] *= v
		roots[j] = math.Sqrt(math.Max(0, v))
	}
	degrees, err := s.degrees()
	if err != nil {
		return err
	}
	scaled := matrix.Clone(s.u)
	for i := range scaled.Rows {
		blas64.Scal(math.Sqrt(s.weight/degrees[i]), dense.Vector(matrix.Row(scaled, i)))
	}
	m := dense.Mul(blas.Trans, scaled, blas.NoTrans, scaled)
	dense.ScaleRows(m, roots)
	dense.ScaleColumns(m, roots)
	eig, err := newEigen("the normalised matrix", m)
	if err != nil {
		return err
	}
	if c.Values = eig.Values; k == AutoClusters {
		if c.K, err = eigengap(c.Values); err != nil {
			return stream.NewDataError(s.name, "%w", err)
		}
	}
	if r := dense.Rank(c.Values, basisTolerance); c.K > r {
		return stream.NewDataError(s.name, "`Clusters %d` takes as many eigenvectors, and the model has %d", c.K, r).WithRemedy("raise `Rank`, or ask for fewer clusters")
	}
	leading := scaledColumns(matrix.Columns(eig.Vectors, 0, c.K), dense.Reciprocals(dense.Roots(c.Values[:c.K])))
	dense.ScaleRows(leading, roots)
	c.Directions = leading
	z := dense.Mul(blas.NoTrans, s.u, blas.NoTrans, leading)
	for i := range z.Rows {
		blas64.Scal(1/degrees[i], dense.Vector(matrix.Row(z, i)))
	}
	found, err := cluster.KMeans{Clusters: c.K, Seed: seed}.Fit(ctx, e, z)
	if err != nil {
		return err
	}
	c.Centers = found.Centers
	s.report.Warn(found.Warnings()...)
	left, err := s.unexplained(degrees, seed)
	if err != nil {
		return err
	}
	if last := c.Values[c.K-1]; left > last {
		s.report.Warn(fmt.Sprintf("the model may be too coarse to tell %d clusters apart: what it leaves of the normalised kernel matrix "+
			"has an eigenvalue of about %.2g, and the last one that clusters use is %.2g; raise `Rank`", c.K, left, last))
	}
	return nil
}

// unexplainedRows is the number of sampled rows compared by [fittedSample.unexplained].
const unexplainedRows = 400

// unexplained estimates the spectral norm of S^(−½)·(A−Â)·S^(−½) from the entries between some rows of the sample. Each
// entry off the diagonal represents many. If the norm exceeds the last eigenvalue used by clusters, the model misses a
// leading direction of the normalised matrix.
func (s *fittedSample) unexplained(degrees []float64, seed uint64) (float64, error) {
	drawn, err := sketch.NewSample(int64(s.u.Rows), min(s.u.Rows, unexplainedRows), seed, "unexplained")
	if err != nil {
		return 0, err
	}
	picked := make([]int, 0, unexplainedRows)
	for _, i := range drawn.Positions() {
		picked = append(picked, int(i))
	}
	x, u := dense.PickRows(s.rows.Rows, picked), dense.PickRows(s.u, picked)
	rest := matrix.New(len(picked), len(picked))
	s.tiles.FillDense(rest, x, &tiles.Rows{Dense: x}, nil)
	dense.Scale(1/s.Left.unit(), rest)
	scaled := matrix.Clone(u)
	dense.ScaleColumns(scaled, s.Values)
	dense.Gemm(blas.NoTrans, blas.Trans, -1, scaled, u, 1, rest)
	each := float64(s.Rows) / float64(len(picked))
	for i := range picked {
		row := matrix.Row(rest, i)
		row[i] = (row[i] - s.Shift) / each
		for j := range row {
			row[j] *= each / math.Sqrt(degrees[picked[i]]*degrees[picked[j]])
		}
	}
	eig, err := newEigen("the part of the normalised matrix that the model leaves", rest)
	if err != nil {
		return 0, err
	}
	return math.Max(math.Abs(eig.Values[0]), math.Abs(eig.Values[len(eig.Values)-1])), nil
}

// basisTolerance is the eigenvalue of the normalised matrix below which a vector is rounding.
const basisTolerance = 1e-10

// degrees returns the degrees of the sampled rows.
func (s *fittedSample) degrees() ([]float64, error) {
	negative, out := 0, make([]float64, s.u.Rows)
	for i := range out {
		u := matrix.Row(s.u, i)
		if dense.Dot(u, s.Clusters.Sums)+s.Shift < 0 {
			negative++
		}
		out[i] = s.degree(u, s.diagonal[i])
		if !(out[i] > 0) {
			return nil, errors.New("a row has no similarity to any row, itself included: clusters are of kernels with k(x, x) above 0, such as rbf or laplace")
		}
	}
	if float64(negative) > negativeDegrees*float64(len(out)) {
		return nil, fmt.Errorf("%d of %d rows have negative row sums: clusters are of kernels that are nowhere negative, such as rbf or laplace, and of a `Rank` that suffices for them", negative, len(out))
	}
	return out, nil
}

// degree returns the degree of a row, from its embedding and k(x, x).
func (m *Model) degree(u []float64, diagonal float64) float64 {
	return math.Max(dense.Dot(u, m.Clusters.Sums)+m.Shift, diagonal)
}

// eigengap returns the number of clusters followed by the largest gap between eigenvalues.
func eigengap(values []float64) (int, error) {
	k, most := 0, 0.0
	for i := 1; i < min(len(values), mostAutoClusters+1); i++ {
		if gap := values[i-1] - values[i]; gap > most {
			k, most = i, gap
		}
	}
	switch {
	case k == 0:
		return 0, errors.New("`Clusters auto` takes two eigenvalues or more: raise `Rank`")
	case k == 1:
		return 0, fmt.Errorf("the rows are one cluster to this kernel (eigenvalues 1, %.3g, …): take a narrower kernel, or say how many clusters there are (`Clusters`)", values[1])
	}
	return k, nil
}

// Gap returns the difference between the last eigenvalue used and the next one, 0 if the model has no further one.
func (c *Clusters) Gap() float64 {
	if c.K >= len(c.Values) {
		return 0
	}
	return c.Values[c.K-1] - c.Values[c.K]
}

func (c *Clusters) changeBasis(t blas64.General) {
	c.Sums = dense.MulVector(blas.NoTrans, t, c.Sums)
	c.Directions = dense.Mul(blas.NoTrans, t, blas.NoTrans, c.Directions)
}

// decide stores minus the squared distances of a row from the centers in dst; the largest one determines the cluster.
// room has one number for each cluster.
func (m *Model) decide(dst, room, u []float64, diagonal float64) {
	c := m.Clusters
	degree := m.degree(u, diagonal)
	for j := range room {
		room[j] = 0
	}
	for i, v := range u {
		matrix.Axpy(v/degree, matrix.Row(c.Directions, i), room)
	}
	for k := range dst {
		sum := 0.0
		for j, v := range matrix.Row(c.Centers, k) {
			sum += (room[j] - v) * (room[j] - v)
		}
		dst[k] = -sum
	}
}

// decider returns decide for one goroutine.
func (m *Model) decider() func(dst, u, entries []float64, diagonal float64) {
	room := make([]float64, m.Clusters.K)
	return func(dst, u, _ []float64, diagonal float64) { m.decide(dst, room, u, diagonal) }
}
