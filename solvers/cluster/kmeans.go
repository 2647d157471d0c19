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

// KMeans minimises the inertia, the sum of the squared distances of the rows from the mean of their cluster. It keeps
// the best of ten runs of Lloyd's algorithm from k-means++ seeds. The result is a local minimum.
//
// A run ends when no row changes its cluster, after 300 iterations, or when the squared distances that the centers move
// sum to at most 10⁻⁴ times the mean variance of a column (scikit-learn's rule). An empty cluster receives the row
// farthest from its center, which lowers the inertia. No cluster of a result is empty.
//
// Cost of a run: k passes over the rows for the seeds, 3·n·d flops each, and 3·n·k·d flops an iteration; 16 bytes a
// row.
type KMeans struct {
	Clusters int // k
	Seed     uint64
}

// Clustering assigns each row to one of k clusters.
type Clustering struct {
	Labels  []int          // the cluster of each row, 0 to k−1
	Centers blas64.General // k×d: the means at the end of the run
	Inertia float64        // Σ ‖row − nearest center‖²
	// NotConverged reports that the run ended at the limit of iterations.
	NotConverged bool
}

// Warnings returns a warning if the best run did not converge, else nil.
func (c *Clustering) Warnings() []string {
	if !c.NotConverged {
		return nil
	}
	return []string{fmt.Sprintf("k-means did not converge in %d iterations: another `Seed` may give other clusters", maxIterations)}
}

// maxIterations limits the iterations of a run.
const maxIterations = 300

// stoppingRules holds the stopping rules of a fit.
type stoppingRules struct {
	runs, iterations int
	tolerance        float64 // of the mean variance of a column
}

// Fit clusters the rows of x (n×d); it does not change x. It fails if x has fewer than k distinct rows or an entry that
// is not finite.
func (m KMeans) Fit(ctx context.Context, e stream.Engine, x blas64.General) (*Clustering, error) {
	return m.fit(ctx, e, x, stoppingRules{runs: 10, iterations: maxIterations, tolerance: 1e-4})
}

func (m KMeans) fit(ctx context.Context, e stream.Engine, x blas64.General, l stoppingRules) (best *Clustering,
	err error) {
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

// variance returns the mean variance of a column, the inertia of a single cluster divided by n·d.
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
