package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// KMeans divides rows into clusters so that the inertia, the sum of the squared
// distances of rows from the mean of their cluster, is small: the best of several
// runs of Lloyd's algorithm from k-means++ seeds. It finds a local minimum.
//
// A cluster that loses all its rows gets the row that is farthest from its centre
// at that moment, which lowers the inertia; so no cluster of a result is empty.
//
// Cost of a run: k passes for the seeds, 3·n·d flops each, and 3·n·k·d flops a
// round, all over rows in memory; 16 bytes a row and k·d numbers for each partial
// sum.
type KMeans struct {
	Clusters int // k
	Restarts int // runs; 0 means 10
	Rounds   int // most rounds of a run; 0 means 300
	Seed     uint64

	// A run ends when no row changes its cluster, or when the squared distances
	// that the centres move add up to Tolerance times the mean variance of a
	// column at most (scikit-learn's rule). 0 means 1e-4.
	Tolerance float64
}

// Clustering is a division of rows into clusters.
type Clustering struct {
	Labels  []int          // the cluster of each row, 0 to k−1
	Sizes   []int          // rows of each cluster, at least 1
	Centres blas64.General // k×d: where the means were when the run ended
	Inertia float64        // Σ ‖row − its centre‖², each centre the nearest
	Rounds  int            // of the best run
	Settled bool           // the best run ended by one of the rules, not by Rounds
}

// Fit clusters the rows of x (n×d), which it reads only. It is an error if there
// are fewer than k different rows, or if a number is not finite.
func (m KMeans) Fit(ctx context.Context, e stream.Engine, x blas64.General) (*Clustering, error) {
	if m.Clusters < 1 || m.Restarts < 0 || m.Rounds < 0 || !(m.Tolerance >= 0) {
		panic(fmt.Sprintf("cluster: KMeans of %+v", m))
	}
	if x.Cols < 1 {
		return nil, errors.New("cluster: rows without columns cannot be told apart")
	}
	if x.Rows < m.Clusters {
		return nil, fmt.Errorf("cluster: %d rows for %d clusters; ask for fewer clusters", x.Rows, m.Clusters)
	}
	if err := sketch.CheckFinite(x); err != nil {
		return nil, fmt.Errorf("cluster: the rows: %w", err)
	}
	m = m.withDefaults()
	spread, err := variance(ctx, e, x)
	if err != nil {
		return nil, err
	}
	var best *Clustering
	for r := range m.Restarts {
		run := newLloyd(e, x, m.Clusters)
		if err := run.seed(ctx, m.Seed, r); err != nil {
			return nil, err
		}
		c, err := run.cluster(ctx, m.Rounds, m.Tolerance*spread)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Inertia < best.Inertia {
			best = c
		}
	}
	return best, nil
}

func (m KMeans) withDefaults() KMeans {
	if m.Restarts == 0 {
		m.Restarts = 10
	}
	if m.Rounds == 0 {
		m.Rounds = 300
	}
	if m.Tolerance == 0 {
		m.Tolerance = 1e-4
	}
	return m
}

// variance returns the mean variance of a column: the inertia of one cluster, for each
// row and column.
func variance(ctx context.Context, e stream.Engine, x blas64.General) (float64, error) {
	one := newLloyd(e, x, 1)
	copy(one.centres.Data, dense.Row(x, 0))
	part, err := one.assign(ctx)
	if err != nil {
		return 0, err
	}
	if !(part.inertia <= math.MaxFloat64) {
		return 0, errors.New("cluster: the sum of the squared distances overflows: scale the rows down")
	}
	one.move(part)
	if part, err = one.assign(ctx); err != nil {
		return 0, err
	}
	return part.inertia / float64(x.Rows) / float64(x.Cols), nil
}
