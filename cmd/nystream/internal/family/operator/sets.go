package operator

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// write computes the sets and writes them, uncommitted.
func (c *task) write(ctx context.Context, _ model.Model) (_ []rows.PathWriter, err error) {
	if c.clusters > 0 {
		if c.labels, err = c.sets(ctx); err != nil {
			return nil, err
		}
	}
	return fit.WriteClusters(ctx, c.job, c.labels)
}

// setColumns returns the number of functions used to find sets: the number of sets, or one less if the functions are
// centred, since these lack the constant function.
func setColumns(c *task) int {
	if c.settings.Center {
		return c.clusters - 1
	}
	return c.clusters
}

// sets divides the rows of X by the values of the first right functions, scaled to equal norms. Cost: one pass, and
// k-means in memory.
func (c *task) sets(ctx context.Context) ([]int, error) {
	m := c.fitting.Model.Truncated(min(setColumns(c), c.fitting.Rank()))
	values := matrix.New(int(c.job.Sides.Prepared.Left.Info().Rows), m.Rank())
	row := 0
	err := m.Transform(ctx, c.job.App.Engine(), c.job.Sides.Prepared.Left, model.Request{Side: model.Right},
		func(_ *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				realFunctions(m, matrix.Row(values, row), matrix.Row(out, i))
				row++
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	normalizeColumns(values)
	f, err := cluster.KMeans{Clusters: c.clusters, Seed: c.job.App.Seed}.Fit(ctx, c.job.App.Engine(), values)
	if err != nil {
		return nil, err
	}
	c.job.Warnings = append(c.job.Warnings, flags.SpellAll(c.job.App.Cmd, f.Warnings())...)
	return f.Labels, nil
}

// normalizeColumns divides each column by its norm, unless that is 0.
func normalizeColumns(m blas64.General) {
	for j := range m.Cols {
		column := blas64.Vector{N: m.Rows, Inc: m.Stride, Data: m.Data[j:]}
		if norm := blas64.Nrm2(column); norm > 0 {
			blas64.Scal(1/norm, column)
		}
	}
}

// realFunctions stores the values of right functions at a row in dst, one number each. For a pair of conjugates these
// are the real and the imaginary part, which span the same space.
func realFunctions(m *rkhs.Model, dst, row []float64) {
	for i := range dst {
		dst[i] = row[i]
		if m.Imag != nil && m.Imag[i] < 0 {
			dst[i] = row[len(dst)+i]
		}
	}
}
