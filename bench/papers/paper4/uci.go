package paper4

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// What cross-validation chooses from: widths in medians of the distance between two
// rows, and γ.
var (
	widths = []float64{0.1, 0.2, 0.4, 0.8, 1.6}
	gammas = []float64{0.1, 1, 10, 100, 1000, 10000}
)

// mostTuned is how many rows cross-validation looks at.
const mostTuned = 600

// family is a kernel with a width to choose, and the machines that learn with it.
type family struct {
	name     string
	widths   []float64
	kernel   func(width float64) kernelgen.Kernel
	machines []symmetry
}

func families() []family {
	return []family{
		{"RBF", widths, func(w float64) kernelgen.Kernel { return kernelgen.RBF(1 / (w * w)) }, []symmetry{meanKernel}},
		{"SNE", widths, kernelgen.SNE, machines},
		{"T", []float64{1}, func(float64) kernelgen.Kernel { return kernelgen.T() }, machines},
	}
}

// runTables is Table IV.
func runTables(ctx context.Context, o *options) error {
	t := &report.Table{File: "table4", Title: "Table IV: accuracy, splits of 60/40, γ and width by 10 folds of the training rows",
		Head: append(append([]string{"data", "splits", "kernel"}, machineHead()...), "oracle", "paper"),
		Notes: []string{"Mean ± standard deviation over the splits, which are the same for all machines. RBF is symmetric: AsK-LS is the LS-SVM then. Stacked: a logistic regression on the functions of 10 folds, for " +
			"all machines alike. Every machine chooses γ and width for itself, and for its stacked functions anew, by their accuracy on the rows left out (of stacks, which have three parameters, on those that they learn from). The sum of f_s and f_t decides as their average does. " +
			fmt.Sprintf("Columns are standardised over all rows. Cross-validation looks at %d of the training rows at most. ", mostTuned) +
			"Oracle: γ, width and merging of AsK-LS (of the LS-SVM for RBF) that are best on the test rows of each split, which nobody can know: no choice from this grid does better. It is left out where cross-validation has not fitted all training rows. " +
			"monks are the 432 rows of the test files, which are all there are; given: learnt from the training files and tested on them, which fits the published figures better. The paper does not say which it took."}}
	for _, f := range tableFiles {
		if !slices.Contains(o.sets, f.name) {
			continue
		}
		data, err := f.read()
		if err != nil {
			return err
		}
		splits, err := data.splits(o.repeats)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		for i, k := range families() {
			r, oracle, err := data.measure(ctx, k, splits)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.name, k.name, err)
			}
			t.Add(append(append([]any{f.name, len(splits), k.name}, r.cells(micro)...), spread(oracle), []string{f.rbf, f.sne, f.tee}[i])...)
			if err := t.Save(o.out); err != nil {
				return err
			}
		}
	}
	return t.Write(o.out)
}

// splits returns the one that is given, or random ones.
func (d *table) splits(repeats int) ([]split.Split, error) {
	if d.given != nil {
		return d.given, nil
	}
	return split.Random(len(d.labels), 0.4, repeats, 1)
}

// measure returns the scores of all machines, and what the best choice would have reached.
func (d *table) measure(ctx context.Context, k family, splits []split.Split) (r results, oracle []float64, err error) {
	r = results{}
	for _, s := range splits {
		train, test := d.part(s.Train), d.part(s.Test)
		for _, machine := range k.machines {
			best, most, err := train.best(ctx, k, machine, test)
			if err != nil {
				return nil, nil, fmt.Errorf("%v: %w", machine, err)
			}
			if err := r.add(machine, best, train.labels, test.labels); err != nil {
				return nil, nil, err
			}
			if machine == k.machines[0] && most > 0 {
				oracle = append(oracle, most)
			}
		}
	}
	return r, oracle, nil
}

// setting is a kernel and γ, and how often the functions that they give decide right on
// samples left out.
type setting struct {
	kernel    kernelgen.Kernel
	gamma     float64
	right     float64
	functions functions
}

// best chooses width and γ by what the functions of 10 folds decide, once for functions that
// are averaged and once for those that are stacked, and returns the functions with either.
// oracle is the largest accuracy on the test rows that any choice has, stacked or not; 0 if
// not all training rows were looked at.
func (d *table) best(ctx context.Context, k family, machine symmetry, test *table) (best [2]functions, oracle float64, err error) {
	tuned := d
	if d.x.Rows > mostTuned {
		few, err := split.Random(d.x.Rows, 1-mostTuned/float64(d.x.Rows), 1, 2)
		if err != nil {
			return best, 0, err
		}
		tuned = d.part(few[0].Train)
	}
	unit, chosen := tuned.medianDistance(), [2]setting{{right: -1}, {right: -1}}
	for _, w := range k.widths {
		for _, g := range gammas {
			f, err := tuned.learn(ctx, machine, k.kernel(w*unit), g, test)
			if ctx.Err() != nil {
				return best, 0, ctx.Err()
			}
			if err != nil {
				continue // a γ that is singular without a fold
			}
			on, err := f.accuracies(tuned.labels, test.labels)
			if err != nil {
				return best, 0, err
			}
			oracle = max(oracle, on[0], on[1])
			left, err := functions{f.heldOut, f.heldOut}.accuracies(tuned.labels, tuned.labels)
			if err != nil {
				return best, 0, err
			}
			for merge, right := range left {
				if right > chosen[merge].right {
					chosen[merge] = setting{k.kernel(w * unit), g, right, f}
				}
			}
		}
	}
	for merge, s := range chosen {
		switch best[merge] = s.functions; {
		case s.right < 0:
			return best, 0, fmt.Errorf("no γ gives a system that can be solved")
		case tuned != d:
			if best[merge], err = d.learn(ctx, machine, s.kernel, s.gamma, test); err != nil {
				return best, 0, err
			}
			oracle = 0
		}
	}
	return best, oracle, nil
}

// accuracies returns those on test rows, averaged and stacked.
func (f functions) accuracies(labels, truth []int) (of [2]float64, err error) {
	one := results{}
	if err := one.add(asymmetric, [2]functions{f, f}, labels, truth); err != nil {
		return of, err
	}
	for merge, s := range one[asymmetric] {
		of[merge] = s.micro[0]
	}
	return of, nil
}

// learn returns the functions of a machine.
func (d *table) learn(ctx context.Context, machine symmetry, kernel kernelgen.Kernel, gamma float64, test *table) (functions, error) {
	if machine != asymmetric {
		k, out, in, err := d.kernels(ctx, kernel, test)
		if err != nil {
			return functions{}, err
		}
		return lsSVM{gamma, 0}.functions(machine.of(k), machine.beside(k, out, in), d.labels, 2)
	}
	data, err := askls.Samples(d.source(), d.labels, 2)
	if err != nil {
		return functions{}, err
	}
	fit, err := askls.Solver{Gamma: gamma, Merge: askls.MergeStack, Folds: foldCount, Seed: 1, Engine: askls.EngineDense}.Fit(ctx, stream.Engine{}, data, kernel)
	if err != nil {
		return functions{}, err
	}
	return ofFit(ctx, fit, askls.NewSamples(test.source()))
}

// kernels returns the kernel matrix of the rows, and beside it those of test rows as
// sources, K(x, ·), and as targets, K(·, x). All are divided by sums over the rows of d.
func (d *table) kernels(ctx context.Context, kernel kernelgen.Kernel, test *table) (k, out, in blas64.General, err error) {
	if k, err = between(ctx, kernel, d, d); err != nil {
		return k, out, in, err
	}
	if out, err = between(ctx, kernel, test, d); err != nil {
		return k, out, in, err
	}
	plain, normalised := kernel.Normaliser()
	if in, err = between(ctx, plain, test, d); err != nil || !normalised {
		return k, out, in, err
	}
	shares := make([]float64, k.Rows) // of a row in its own sum: 1 over the sum
	for i := range shares {
		shares[i] = dense.Row(k, i)[i]
	}
	dense.ScaleColumns(in, shares)
	return k, out, in, nil
}

// between returns a kernel between the rows of two tables.
func between(ctx context.Context, k kernelgen.Kernel, left, right *table) (blas64.General, error) {
	data, err := ksvd.Between(left.source(), right.source())
	if err != nil {
		return blas64.General{}, err
	}
	m, err := ksvd.NewMatrix(ctx, stream.Engine{}, data, k, true)
	if err != nil {
		return blas64.General{}, err
	}
	return dense.Clone(m.Held()), nil
}

// part returns some rows of the table.
func (d *table) part(rows []int64) *table {
	p := &table{x: stream.NewMatrix(len(rows), d.x.Cols), labels: pick(d.labels, rows)}
	for i, r := range rows {
		copy(dense.Row(p.x, i), dense.Row(d.x, int(r)))
	}
	return p
}

func (d *table) source() stream.Source { return stream.FromMatrix("table", d.x) }

// medianDistance returns that between two rows.
func (d *table) medianDistance() float64 { return datasets.MedianDistance(d.x, 400) }
