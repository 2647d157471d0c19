package askls

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// positiveRows returns positive rows, for divergences.
func positiveRows(x blas64.General) blas64.General {
	p := matrix.Clone(x)
	for i := range p.Rows {
		sum, row := 0.0, matrix.Row(p, i)
		for j, v := range row {
			row[j] = 0.2 + v*v
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return p
}

// TestEngines compares f_s and f_t of new rows with the system of the paper.
func TestEngines(t *testing.T) {
	const n = 40
	x, labels := clouds(n, 3, 3, 2, 1)
	fresh, _ := clouds(25, 3, 3, 2, 2)
	for _, kernel := range []string{"sne(gamma=2)", "t()", "rbf(gamma=0.3)", "kl(a=2)", "linear()"} {
		train, test := x, fresh
		if kernel == "kl(a=2)" {
			train, test = positiveRows(x), positiveRows(fresh)
		}
		k := formed(kernel, train, train, train)
		out, in := formed(kernel, test, train, train), matrix.Transpose(formed(kernel, train, test, train))
		data, err := Samples(source(train), labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, gamma := range []float64{0.3, 7} {
			for _, ridge := range []float64{0, 0.5} {
				want := reference(k, labels, 3, gamma, ridge, out, in)
				for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
					m := Solver{C: gamma, Ridge: ridge, Algorithm: engine, Rank: n, Landmarks: n, ResidualTol: 1e-13}
					if engine == AlgorithmIterative {
						m.Rank = 10
					}
					fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, kernel))
					if err != nil {
						t.Fatal(kernel, gamma, ridge, engine, err)
					}
					if len(fit.Notes) > 0 && engine == AlgorithmDense || fit.Ridge != ridge {
						t.Errorf("ridge %v, notes %v", fit.Ridge, fit.Notes)
					}
					what := name(kernel, " gamma ", gamma, " ridge ", ridge, " ", engine, " iterations ", fit.Iterations, " condition ", fit.Condition)
					tol := 1e-10
					if kernel == "kl(a=2)" && engine == AlgorithmLowRank {
						tol = 1e-7 // singular values of K reach 1e-17; the approximation omits the last ones
					}
					expect(t, what, functionsOf(t, fit.Model, stream.Engine{BlockRows: 8}, source(test)), want, tol)
				}
			}
		}
	}
}

// randomGraph returns a directed graph with loops, divided by row sums.
func randomGraph(t testing.TB, n, edges int, seed uint64) *sparse.CSR {
	t.Helper()
	pairs := randomMatrix(edges, 2, seed)
	a, err := sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for i := range edges {
			from, to := int32(uint32(pairs.Data[2*i]*1e6)%uint32(n)), int32(uint32(pairs.Data[2*i+1]*1e6)%uint32(n))
			if !yield(sparse.Entry{Row: from, Col: to, Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.AddIdentity().ScaledByDegrees(sparse.RowStochastic)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// nodesOf divides n nodes into training nodes, with labels, and test nodes.
func nodesOf(n int) (train, test []int64, labels []int) {
	for i := range n {
		if i%3 == 1 {
			test = append(test, int64(i))
		} else {
			train = append(train, int64(i))
			labels = append(labels, i*i%5%3)
		}
	}
	return train, test, labels
}

// part returns a dense part of a sparse matrix.
func part(k *sparse.CSR, rows, cols []int64) blas64.General {
	all := matrix.New(k.Rows, k.Cols)
	for e := range k.Entries() {
		all.Data[int(e.Row)*k.Cols+int(e.Col)] = e.Value
	}
	p := matrix.New(len(rows), len(cols))
	for i, r := range rows {
		for j, c := range cols {
			p.Data[i*p.Stride+j] = all.Data[int(r)*k.Cols+int(c)]
		}
	}
	return p
}

// TestGraph compares both engines of an explicit matrix with the system of the paper, on test nodes: with γ = 1, which
// needs a ridge, and with another γ.
func TestGraph(t *testing.T) {
	k := randomGraph(t, 90, 150, 3)
	train, test, labels := nodesOf(90)
	data, err := Graph("g", k, train, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	inside, out, in := part(k, train, train), part(k, test, train), matrix.Transpose(part(k, train, test))
	for _, c := range []struct{ gamma, ridge, solved float64 }{{1, 1, 1}, {1, 0, 1}, {0.2, 0, 0}, {1, 0.01, 0.01}} {
		want := reference(inside, labels, 3, c.gamma, c.solved, out, in)
		for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative} {
			fit, err := Solver{C: c.gamma, Ridge: c.ridge, Algorithm: engine, ResidualTol: 1e-13}.Fit(ctx, stream.Engine{}, data, kernelgen.Kernel{})
			if err != nil {
				t.Fatal(c, engine, err)
			}
			if fit.Ridge != c.solved || (c.ridge != c.solved) != (len(fit.Notes) > 0 && fit.Condition > 1e6) {
				t.Errorf("%v %v: ridge %v, condition %v, notes %v", c, engine, fit.Ridge, fit.Condition, fit.Notes)
			}
			expect(t, name(c, engine, " ", fit.Iterations, " iterations"), functionsOf(t, fit.Model, stream.Engine{BlockRows: 7}, NewNodes("g", k, test)), want, 1e-10)
		}
	}
}

// foldReference returns f_s and f_t of each sample by the system of the paper for the samples of the other folds.
func foldReference(t *testing.T, fit *Fit, k blas64.General, labels []int, gamma, ridge float64) blas64.General {
	t.Helper()
	want := matrix.New(len(labels), 2*fit.Classes)
	for _, fold := range fit.Folds {
		pick := func(rows, cols []int64) blas64.General {
			p := matrix.New(len(rows), len(cols))
			for i, r := range rows {
				for j, c := range cols {
					p.Data[i*p.Stride+j] = k.Data[int(r)*k.Stride+int(c)]
				}
			}
			return p
		}
		inside := make([]int, len(fold.Train))
		for i, r := range fold.Train {
			inside[i] = labels[r]
		}
		both := reference(pick(fold.Train, fold.Train), inside, fit.Classes, gamma, ridge, pick(fold.Test, fold.Train), matrix.Transpose(pick(fold.Train, fold.Test)))
		for i, r := range fold.Test {
			copy(matrix.Row(want, int(r)), matrix.Row(both, i))
		}
	}
	return want
}

// TestFolds compares out-of-fold functions with the system of the paper for the other samples.
func TestFolds(t *testing.T) {
	x, labels := clouds(50, 3, 3, 2, 1)
	samples, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	graph := randomGraph(t, 50, 90, 3)
	edges, err := Graph("g", graph, nil, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int64, 50)
	for i := range all {
		all[i] = int64(i)
	}
	for what, c := range map[string]struct {
		data   *Data
		kernel string
		k      blas64.General
	}{
		// the row sums omit the seventh of the samples that is held out
		"samples": {samples, "sne(gamma=2)", scaledBy(7./6, formed("sne(gamma=2)", x, x, x))},
		"plain":   {samples, "rbf(gamma=0.3)", formed("rbf(gamma=0.3)", x, x, x)},
		"graph":   {edges, "linear()", part(graph, all, all)},
	} {
		for _, ridge := range []float64{0, 0.5} {
			for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
				if what == "graph" && engine == AlgorithmLowRank {
					continue
				}
				m := Solver{C: 0.4, Ridge: ridge, Algorithm: engine, Merge: MergeStack, Rank: 50, Landmarks: 50, Folds: 7, ResidualTol: 1e-13}
				fit, err := m.Fit(ctx, stream.Engine{BlockRows: 16}, c.data, parse(t, c.kernel))
				if err != nil {
					t.Fatal(what, ridge, engine, err)
				}
				expect(t, name(what, " ridge ", ridge, " ", engine), fit.HeldOut, foldReference(t, fit, c.k, labels, 0.4, ridge), 1e-10)
			}
		}
	}
}

// scaledBy returns c·m.
func scaledBy(c float64, m blas64.General) blas64.General {
	for i := range m.Data {
		m.Data[i] *= c
	}
	return m
}

// TestUnknownError: the low-rank engine reports its error against the exact machine as unknown.
func TestUnknownError(t *testing.T) {
	x, labels := clouds(150, 3, 3, 1, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := Solver{C: 1, Algorithm: AlgorithmLowRank, Rank: 5}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if len(fit.Estimates) != 1 || fit.Estimates[0].Quantity != model.DecisionValues || !math.IsNaN(fit.Estimates[0].Value) || fit.Estimates[0].Reason == "" {
		t.Errorf("errors %+v", fit.Estimates)
	}
}

// TestPlanOfStages: plans are at most 1.4 times the measured peak memory of the command under the smallest accepted
// budget, for 2,500 × 2,000 and 1,000 × 5,000 numbers in seven classes.
func TestPlanOfStages(t *testing.T) {
	m := Solver{C: 1, Algorithm: AlgorithmLowRank, Rank: 50}
	for _, c := range []struct{ rows, columns, peak int64 }{{2500, 2000, 445}, {1000, 5000, 433}} {
		p, err := m.Plan(stream.Engine{Threads: 2}, model.Size{Rows: c.rows, Columns: int(c.columns), Classes: 7}, kernelgen.SNE(0.01))
		if err != nil {
			t.Fatal(err)
		}
		if need := p.Memory.Total() >> 20; need > c.peak*7/5 || need < c.peak*9/10 {
			t.Errorf("%d × %d: %d MiB planned, the peak is %d MiB", c.rows, c.columns, need, c.peak)
		}
	}
}
