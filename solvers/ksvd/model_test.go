package ksvd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// embedded returns u or v of rows.
func embedded(t *testing.T, m *Model, e stream.Engine, side model.Side, rows stream.Source) blas64.General {
	t.Helper()
	u := matrix.New(int(rows.Info().Rows), m.Rank())
	err := m.Transform(background, e, rows, model.Request{Side: side}, func(b *stream.Block, part blas64.General) error {
		for i := range part.Rows {
			copy(matrix.Row(u, int(b.Start)+i), matrix.Row(part, i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// fitted is a test case: a fit, and its rows before C.
type fitted struct {
	name        string
	fit         *Fit
	left, right stream.Source
	tol         float64
}

// fittedCases returns fits of all kinds of data.
func fittedCases(t *testing.T) []fitted {
	t.Helper()
	x, z := gaussian(260, 4, 1, 1), gaussian(220, 4, 1, 2)
	tall := gaussian(150, 12, 1, 3)
	a := randomGraph(t, 250, 4, true, 1)
	pairs := between(t, x, z)
	table := func(m blas64.General) *Data {
		d, err := RowsAndColumns(background, stream.FromMatrix("a", m), CompatPCA, 1)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	source := func(m blas64.General) stream.Source { return stream.FromMatrix("rows", m) }
	datas := []struct {
		name        string
		data        *Data
		left, right stream.Source
	}{
		{"pairs", pairs, source(x), source(z)},
		{"tall", table(tall), source(tall), source(matrix.Transpose(tall))},
		{"wide", table(matrix.Transpose(tall)), source(matrix.Transpose(tall)), source(tall)},
		{"graph", graph(t, a), sparse.NewRows("out", a, nil), sparse.NewRows("in", a.Transpose(), nil)},
	}
	var cases []fitted
	for _, d := range datas {
		for _, text := range []string{"rbf(sigma=4)", "sne(gamma=4)", "t()"} {
			for _, centre := range []bool{false, true} {
				add := func(what string, fit *Fit, err error, tol float64) {
					name := fmt.Sprintf("%s %s centred %v %s", d.name, text, centre, what)
					if err != nil {
						t.Fatal(name, err)
					}
					cases = append(cases, fitted{name, fit, d.left, d.right, tol})
				}
				k := parse(t, text)
				fit, err := Exact{Rank: 3, Center: centre}.Fit(background, stream.Engine{}, d.data, k)
				add("exact", fit, err, 1e-7)
				for _, sums := range []Sums{SumsExact, SumsSampled} {
					fit, err := Nystrom{Rank: 3, Rows: 50, Cols: 10, Center: centre, Sums: sums}.Fit(background, stream.Engine{}, d.data, k)
					add(sums.String(), fit, err, 1e-11)
				}
			}
		}
	}
	return cases
}

// TestOutOfSample: the model embeds rows of the fit as the fit does, and a loaded model gives the same bits.
func TestOutOfSample(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	for _, c := range fittedCases(t) {
		u, v, err := factors(c.fit, stream.Engine{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		scale := func(m blas64.General) float64 { // entries may be large for a flat spectrum
			most := 1.0
			for _, x := range m.Data {
				most = math.Max(most, math.Abs(x))
			}
			return most
		}
		newU, newV := embedded(t, c.fit.Model, stream.Engine{}, model.Left, c.left), embedded(t, c.fit.Model, stream.Engine{}, model.Right, c.right)
		checkClose(t, c.name+" u", newU, u, c.tol*scale(u))
		checkClose(t, c.name+" v", newV, v, c.tol*scale(v))

		saved, err := c.fit.Save()
		if err != nil {
			t.Fatal(c.name, err)
		}
		m, err := Load(saved)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(newU.Data, embedded(t, m, stream.Engine{}, model.Left, c.left).Data); diff != "" {
			t.Errorf("%s: u of the loaded model differs", c.name)
		}
		if diff := cmp.Diff(newV.Data, embedded(t, m, stream.Engine{}, model.Right, c.right).Data); diff != "" {
			t.Errorf("%s: v of the loaded model differs", c.name)
		}
	}
}

// TestEmbedRefuses: a model refuses rows of another length or kind.
func TestEmbedRefuses(t *testing.T) {
	x := gaussian(30, 3, 1, 1)
	fit, err := Nystrom{Rank: 2, Rows: 10}.Fit(background, stream.Engine{}, between(t, x, x), kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	a := randomGraph(t, 3, 1, false, 1)
	for _, rows := range []stream.Source{stream.FromMatrix("y", gaussian(5, 4, 1, 1)), sparse.NewRows("g", a, nil)} {
		if err := fit.Transform(background, stream.Engine{}, rows, model.Request{}, nil); err == nil {
			t.Error("no error")
		}
	}
}

// TestDamagedHeaders: Load refuses a model of an unknown kernel.
func TestDamagedHeaders(t *testing.T) {
	for _, c := range fittedCases(t)[3:] {
		saved, err := c.fit.Save()
		if err != nil {
			t.Fatal(err)
		}
		header := strings.Replace(string(saved.Header), c.fit.Kernel.String(), "nonsense()", 1)
		if _, err := Load(&model.Archive{Header: []byte(header), Arrays: saved.Arrays}); err == nil {
			t.Error("no error for an unknown kernel")
		}
	}
}

// TestDeterminism: fits of a graph have the same bits for any number of threads.
func TestDeterminism(t *testing.T) {
	for _, d := range []*Data{graph(t, randomGraph(t, 300, 4, true, 1))} {
		for _, fit := range []func(e stream.Engine) (*Fit, error){
			func(e stream.Engine) (*Fit, error) {
				return Exact{Rank: 3, Center: true, Iterations: 3}.Fit(background, e, d, kernelgen.SNE(3))
			},
			func(e stream.Engine) (*Fit, error) {
				return Nystrom{Rank: 3, Center: true, Scaling: ScaleOrthonormal}.Fit(background, e, d, kernelgen.SNE(3))
			},
			func(e stream.Engine) (*Fit, error) {
				return Nystrom{Rank: 3, Center: true, Sums: SumsSampled}.Fit(background, e, d, kernelgen.StudentT())
			},
		} {
			var first []float64
			for _, threads := range []int{1, 2, 5} {
				e := stream.Engine{Threads: threads}
				f, err := fit(e)
				if err != nil {
					t.Fatal(err)
				}
				u, v, err := factors(f, e)
				if err != nil {
					t.Fatal(err)
				}
				all := append(append(append([]float64{}, f.Values...), u.Data...), v.Data...)
				if first == nil {
					first = all
				}
				if diff := cmp.Diff(first, all); diff != "" {
					t.Errorf("%d threads: %s", threads, diff[:200])
				}
			}
		}
	}
}

// TestExactPasses: the exact method evaluates the planned entries, in two passes.
func TestExactPasses(t *testing.T) {
	x, z := gaussian(500, 4, 1, 1), gaussian(400, 4, 1, 2)
	k := kernelgen.SNE(3)
	d := between(t, x, z)
	fit, err := Exact{Rank: 3}.Fit(background, stream.Engine{}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Exact{Rank: 3}.Plan(stream.Engine{}, d.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	if plan.KernelEntries != fit.KernelEntries || fit.ExactPasses != 2 {
		t.Errorf("exact: %d entries in %d passes, %d planned", fit.KernelEntries, fit.ExactPasses, plan.KernelEntries)
	}
}
