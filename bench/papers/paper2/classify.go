package paper2

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// The setting of node classification: an LS-SVM, one class against the rest, with the
// paper's regularisation, on a tenth of the nodes.
const (
	lssvmGamma = 1.0
	testShare  = 0.1
)

// bandwidths are the γ of SNE and RBF that cross-validation chooses from.
var bandwidths = []float64{1.5, 2, 3}

// grid is what else cross-validation on the training nodes chooses from: the scale of
// the features, and the exponent p of the weights (s/s₁)^p of the singular vectors.
type grid struct{ powers, scales []float64 }

// The grid of Table 1 was written down, with bandwidths, before a test score of KPCA,
// SVD or KSVD on the splits of splitSeed was seen, and is the same for all four
// methods: no weights, the root, or in full. Figure 2 has a part of it.
var (
	tableGrid  = grid{[]float64{0, 0.5, 1}, []float64{3, 10, 30, 100}}
	figureGrid = grid{[]float64{1}, []float64{10, 30, 100}}
)

// splitSeed draws the splits of Table 1 and Figure 2. Seed 1 served to find out what
// the paper leaves out (loops, weights, scale), so its splits are not used again.
const splitSeed = 20_261

// choice is what cross-validation chooses, and its mean micro F1 over the folds.
type choice struct {
	features     *features
	power, scale float64
	validated    float64
}

// f1 are the two figures of Table 1.
type f1 struct{ micro, macro float64 }

// classifier classifies the nodes of one graph.
type classifier struct {
	ctx     context.Context
	labels  []int
	classes int
	folds   int
	grid    grid
}

// score returns what a choice reaches on the test nodes.
func (c *classifier) score(gram blas64.General, scale float64, s split.Split) (r f1, err error) {
	f := newFold(gram, c.labels, c.classes, s)
	predicted, err := f.predict(scale, lssvmGamma)
	if err != nil {
		return r, err
	}
	if r.micro, err = metrics.Accuracy(f.truth, predicted); err == nil {
		r.macro, err = metrics.MacroF1(f.truth, predicted)
	}
	return r, err
}

// rowsOf returns some rows of x as a source.
func rowsOf(ctx context.Context, x blas64.General, rows []int64) (stream.Gatherer, error) {
	m, err := stream.GatherRows(ctx, stream.FromMatrix("features", x), rows)
	return stream.FromMatrix("features", m), err
}

// picked returns the values with the given numbers.
func picked[T any](all []T, rows []int64) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}

// choose returns the best of the grid for each split, by mean micro F1 over folds of its
// training nodes; the first of equal ones. The test nodes take no part.
func (c *classifier) choose(all []*features, splits []split.Split) ([]choice, error) {
	best := make([]choice, len(splits))
	for _, f := range all {
		for _, power := range c.grid.powers {
			gram := innerProducts(f.weighted(power, 1))
			err := eachOf(c.ctx, len(splits), func(i int) error {
				means, err := c.crossValidated(gram, splits[i].Train, uint64(i))
				if err != nil {
					return err
				}
				for k, scale := range c.grid.scales {
					if best[i].features == nil || means[k] > best[i].validated {
						best[i] = choice{f, power, scale, means[k]}
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// crossValidated returns the mean micro F1 over folds of the training nodes for each scale.
func (c *classifier) crossValidated(gram blas64.General, train []int64, seed uint64) ([]float64, error) {
	folds, err := split.StratifiedKFold(picked(c.labels, train), c.folds, seed)
	if err != nil {
		return nil, err
	}
	means := make([]float64, len(c.grid.scales))
	for _, s := range folds {
		f := newFold(gram, c.labels, c.classes, split.Split{Train: picked(train, s.Train), Test: picked(train, s.Test)})
		for k, scale := range c.grid.scales {
			predicted, err := f.predict(scale, lssvmGamma)
			if err != nil {
				return nil, err
			}
			micro, err := metrics.Accuracy(f.truth, predicted)
			if err != nil {
				return nil, err
			}
			means[k] += micro / float64(len(folds))
		}
	}
	return means, nil
}

// innerProducts returns those of all rows of x.
func innerProducts(x blas64.General) blas64.General {
	g := stream.NewMatrix(x.Rows, x.Rows)
	blas64.Syrk(blas.NoTrans, 1, x, 0, blas64.Symmetric{Uplo: blas.Upper, N: x.Rows, Stride: g.Stride, Data: g.Data})
	for i := range x.Rows {
		for j := range i {
			g.Data[i*g.Stride+j] = g.Data[j*g.Stride+i]
		}
	}
	return g
}
