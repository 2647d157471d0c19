package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// KMeans divides rows into clusters so that the inertia, the sum of the squared
// distances of rows from the mean of their cluster, is small: the best of ten
// runs of Lloyd's algorithm from k-means++ seeds. It finds a local minimum.
//
// A run ends when no row changes its cluster, after 300 iterations, or when the squared
// distances that the centers move add up to 10⁻⁴ times the mean variance of a column at
// most (scikit-learn's rule). A cluster that loses all its rows gets the row that is farthest
// from its center at that moment, which lowers the inertia; so no cluster of a result is empty.
//
// Cost of a run: k passes over the rows for the seeds, 3·n·d flops each, and 3·n·k·d flops an
// iteration; 16 bytes a row.
type KMeans struct {
	Clusters int // k
	Seed     uint64
}

// Clustering is a division of rows into clusters.
type Clustering struct {
	Labels  []int          // the cluster of each row, 0 to k−1
	Centers blas64.General // k×d: where the means were when the run ended
	Inertia float64        // Σ ‖row − its center‖², each center the nearest
	// NotConverged reports that the run ended at the limit of iterations.
	NotConverged bool
}

// Warnings returns a reason to doubt the clusters, or nil.
func (c *Clustering) Warnings() []string {
	if !c.NotConverged {
		return nil
	}
	return []string{fmt.Sprintf("k-means did not converge in %d iterations: another `Seed` may give other clusters", mostIterations)}
}

// mostIterations is the limit of a run.
const mostIterations = 300

// limits are the numbers that a fit goes by.
type limits struct {
	runs, iterations int
	tolerance        float64 // of the mean variance of a column
}

// Fit clusters the rows of x (n×d), which it reads only. It is an error if there
// are fewer than k different rows, or if a number is not finite.
func (m KMeans) Fit(ctx context.Context, e stream.Engine, x blas64.General) (*Clustering, error) {
	return m.fit(ctx, e, x, limits{runs: 10, iterations: mostIterations, tolerance: 1e-4})
}

func (m KMeans) fit(ctx context.Context, e stream.Engine, x blas64.General, l limits) (best *Clustering, err error) {
	if m.Clusters < 1 {
		return nil, fmt.Errorf("%d clusters; ask for 1 at least", m.Clusters)
	}
	if x.Cols < 1 {
		return nil, errors.New("rows without columns cannot be told apart")
	}
	if x.Rows < m.Clusters {
		return nil, fmt.Errorf("%d rows for %d clusters; ask for fewer clusters", x.Rows, m.Clusters)
	}
	if err := sketch.CheckFinite(x); err != nil {
		return nil, fmt.Errorf("the rows: %w", err)
	}
	spread, err := variance(ctx, e, x)
	if err != nil {
		return nil, err
	}
	for r := range l.runs {
		run := newLloyd(e, x, m.Clusters)
		if err := run.seed(ctx, m.Seed, r); err != nil {
			return nil, err
		}
		c, err := run.cluster(ctx, l.iterations, l.tolerance*spread)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Inertia < best.Inertia {
			best = c
		}
	}
	return best, nil
}

// variance returns the mean variance of a column: the inertia of one cluster, for each
// row and column.
func variance(ctx context.Context, e stream.Engine, x blas64.General) (float64, error) {
	one := newLloyd(e, x, 1)
	copy(one.centers.Data, matrix.Row(x, 0))
	part, err := one.assign(ctx)
	if err != nil {
		return 0, err
	}
	if !(part.inertia <= math.MaxFloat64) {
		return 0, errors.New("the sum of the squared distances overflows: scale the rows down")
	}
	one.move(part)
	if part, err = one.assign(ctx); err != nil {
		return 0, err
	}
	return part.inertia / float64(x.Rows) / float64(x.Cols), nil
}
