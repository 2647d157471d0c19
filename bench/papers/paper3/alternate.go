package paper3

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// The turns of the slow methods without labels end when J rises by less than
// turnTolerance of itself, and after mostTurns at the latest.
const (
	turnTolerance = 1e-3
	mostTurns     = 20
)

// mostGrowth is the largest dimension that dimension growth gets without labels: each
// turn is an ascent for each column.
const mostGrowth = 5

// turns is where W and Y ended that took turns.
type turns struct {
	ascended
	y     blas64.General // n×clusters, orthonormal
	count int
}

// alternate finds W and Y without labels as ism.Unsupervised does, but climbs for W by a
// slow method: Y are the leading eigenvectors of H·K_XW·H, of all columns at first, and
// W is the best for Γ = Y·Yᵀ.
func alternate(ctx context.Context, method string, x blas64.General, t term, clusters, dim int, seed uint64) (*turns, error) {
	w := identity(x.Cols)
	r := &turns{}
	for r.count < mostTurns {
		y, err := leadingVectors(x, w, t, clusters)
		if err != nil {
			return nil, err
		}
		o, err := newObjective(x, dense.Mul(blas.NoTrans, y, blas.Trans, y), t)
		if err != nil {
			return nil, err
		}
		next, err := baselines[method](ctx, o, dim, usualAscent, seed)
		if err != nil {
			return nil, err
		}
		r.count++
		rise := next.value - r.value
		r.ascended, r.y, w = *next, y, next.w
		if r.count > 1 && rise <= turnTolerance*math.Abs(next.value) {
			return r, nil
		}
	}
	r.settled = false
	return r, nil
}

// leadingVectors returns those of H·K_XW·H, n×k.
func leadingVectors(x, w blas64.General, t term, k int) (blas64.General, error) {
	kernel := stream.NewMatrix(x.Rows, x.Rows)
	(&objective{x: x, terms: []term{t}}).visit(w, func(i, j int, dot, distance float64) {
		kernel.Data[i*kernel.Stride+j], _ = t.f(pick(t.distance, distance, dot))
	})
	dense.CentreColumns(kernel)
	kernel = dense.Transpose(kernel)
	dense.CentreColumns(kernel)
	_, vectors, err := symeig.Decompose(dense.SymmetricPart(kernel))
	if err != nil {
		return vectors, fmt.Errorf("the kernel of the projected rows: %w", err)
	}
	return dense.Clone(dense.Columns(vectors, 0, k)), nil
}

func identity(n int) blas64.General {
	m := stream.NewMatrix(n, n)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

// slowWithoutLabels adds a row for each slow method, beside the exact fit of ISM.
func (o *options) slowWithoutLabels(ctx context.Context, t *report.Table, p problem, d *datasets.Labelled, k kernelChoice, x blas64.General, exact *ism.Fit) error {
	kernel, ok := denseTerm(exact.Kernel)
	if !ok || o.baselineFolds == 0 || x.Rows > mostDense {
		return nil
	}
	for _, method := range slowMethods {
		if method == "DG" && p.dim > mostGrowth {
			continue
		}
		began := time.Now()
		r, err := alternate(ctx, method, x, kernel, d.Classes, p.dim, o.seed)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		seconds := time.Since(began).Seconds()
		labels, err := clustersOf(ctx, r.y, d.Classes, o.seed)
		if err != nil {
			return err
		}
		if err := o.addClusters(ctx, t, p, d, x, k.name, method, clustering{w: r.w, labels: labels, value: r.value, seconds: seconds, rounds: r.count, iterations: r.rounds, settled: r.settled}, unknown); err != nil {
			return err
		}
	}
	return nil
}

// clustersOf returns those of the rows of Y by k-means, each divided by its norm.
func clustersOf(ctx context.Context, y blas64.General, clusters int, seed uint64) ([]int, error) {
	rows := dense.Clone(y)
	for i := range rows.Rows {
		if norm := dense.Norm(dense.Row(rows, i)); norm > 0 {
			blas64.Scal(1/norm, dense.Vector(dense.Row(rows, i)))
		}
	}
	c, err := cluster.KMeans{Clusters: clusters, Seed: seed}.Fit(ctx, stream.Engine{}, rows)
	if err != nil {
		return nil, err
	}
	return c.Labels, nil
}

// clustering is what a method found without labels.
type clustering struct {
	w                  blas64.General
	labels             []int
	value, seconds     float64
	rounds, iterations int
	settled            bool
}

// addClusters adds a row of the unsupervised table.
func (o *options) addClusters(ctx context.Context, t *report.Table, p problem, d *datasets.Labelled, x blas64.General, kernel, method string, c clustering, paper published) error {
	nmi, err := metrics.NMI(d.Labels, c.labels)
	if err != nil {
		return err
	}
	again, err := spectralClusters(ctx, projected(x, c.w), d.Classes, o.seed)
	if err != nil {
		return err
	}
	after, err := metrics.NMI(d.Labels, again)
	if err != nil {
		return err
	}
	t.Add(kernel, method, p.dim, d.Classes, nmi, after, paper.nmi, c.value, c.seconds, paper.clusterSeconds, c.rounds, c.iterations, c.settled)
	fmt.Fprintf(os.Stderr, "%s: %s: %s: NMI %.3f, of XW %.3f, %.3g s\n", p.name, kernel, method, nmi, after, c.seconds)
	return nil
}
