package paper4

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/bench/internal/report"
)

// steps returns n numbers from first on, each ratio times the one before.
func steps(first, ratio float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = first * math.Pow(ratio, float64(i))
	}
	return all
}

// The grid of the oracle, much finer than that of cross-validation.
var (
	oracleWidths = steps(0.05, math.Pow(2, 0.25), 25)        // to 3.2 medians of the distance
	oracleGammas = steps(0.01, math.Sqrt(math.Sqrt(10)), 31) // to 316,228
)

// reached is the best accuracy on test rows, and where.
type reached struct {
	accuracy     float64
	width, gamma float64
}

func (r reached) String() string {
	return fmt.Sprintf("%.3f at width %.3g, γ = %.3g", r.accuracy, r.width, r.gamma)
}

// runOracle says how accurate AsK-LS gets on monks if γ and width are chosen on the very rows
// that it is tested on: what no honest choice exceeds.
func runOracle(ctx context.Context, o *options) error {
	t := &report.Table{File: "oracle", Title: "Table IV, the sets with training rows of their own: γ and width chosen on the test rows",
		Head: []string{"data", "kernel", "average = sum", "stacked", "paper"},
		Notes: []string{fmt.Sprintf("The best of %d widths from %.3g to %.3g medians of the distance between two rows (of RBF and SNE), and %d γ from %.3g to %.3g, for each way of merging. "+
			"This is no result: nobody knows the labels of the test rows. It is what a published figure would have to stay below.",
			len(oracleWidths), oracleWidths[0], oracleWidths[len(oracleWidths)-1], len(oracleGammas), oracleGammas[0], oracleGammas[len(oracleGammas)-1])}}
	for _, f := range tableFiles {
		if f.train == "" || !slices.Contains(o.sets, f.name) {
			continue
		}
		data, err := f.read()
		if err != nil {
			return err
		}
		for i, k := range families() {
			if len(k.widths) > 1 {
				k.widths = oracleWidths
			}
			best, err := data.oracle(ctx, k)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.name, k.name, err)
			}
			t.Add(f.name, k.name, best[0], best[1], []string{f.rbf, f.sne, f.tee}[i])
		}
	}
	return t.Write(o.out)
}

// oracle returns the best of what is averaged and of what is stacked, with the first machine
// of a family. A system that cannot be solved is passed over.
func (d *table) oracle(ctx context.Context, k family) (best [2]reached, err error) {
	train, test := d.part(d.given[0].Train), d.part(d.given[0].Test)
	unit := train.medianDistance()
	for _, w := range k.widths {
		for _, g := range oracleGammas {
			f, err := train.learn(ctx, k.machines[0], k.kernel(w*unit), g, test)
			if ctx.Err() != nil {
				return best, ctx.Err()
			}
			if err != nil {
				continue
			}
			on, err := f.accuracies(train.labels, test.labels)
			if err != nil {
				return best, err
			}
			for merge, accuracy := range on {
				if accuracy > best[merge].accuracy {
					best[merge] = reached{accuracy, w, g}
				}
			}
		}
	}
	return best, nil
}
