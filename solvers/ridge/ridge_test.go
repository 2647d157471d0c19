package ridge

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
)

func init() { blas64.Use(nyblas.Implementation{}) }

// normals returns standard normal entries.
func normals(n, d int, seed uint64) blas64.General {
	x := matrix.New(n, d)
	sketch.NewRandom(seed, "test").Normals(x)
	return x
}

// wavy returns rows and two targets, smooth functions of the rows plus noise.
func wavy(n int) (x, y blas64.General) {
	x, y = normals(n, 3, 1), normals(n, 2, 2)
	for i := range n {
		r := matrix.Row(x, i)
		matrix.Row(y, i)[0] = 3 + math.Sin(2*r[0]) + r[1]*r[2] + 0.1*matrix.Row(y, i)[0]
		matrix.Row(y, i)[1] = 100*math.Cos(r[1]) + matrix.Row(y, i)[1]
	}
	return x, y
}

// beside adds a kept column to the data.
func beside(t *testing.T, d *Data, name string, c stream.Column) {
	t.Helper()
	rows, err := stream.Beside(d.Rows, []stream.Field{{Name: name}}, c)
	if err != nil {
		t.Fatal(err)
	}
	d.Rows = rows
}

// targets returns rows with the targets target0, target1, ….
func targets(t *testing.T, x, y blas64.General) *Data {
	t.Helper()
	d := &Data{Rows: stream.FromMatrix("x", x)}
	for j := range y.Cols {
		d.Targets = append(d.Targets, fmt.Sprintf("target%d", j))
		beside(t, d, d.Targets[j], stream.Column{Floats: dense.PickColumns(y, []int{j}).Data})
	}
	return d
}

// integers returns a column of numbers.
func integers(numbers []int) stream.Column {
	c := stream.Column{Kind: stream.Int64}
	for _, v := range numbers {
		c.Ints = append(c.Ints, int64(v))
	}
	return c
}

// classed returns rows with class labels.
func classed(t *testing.T, x blas64.General, labels []int) *Data {
	t.Helper()
	d := &Data{Rows: stream.FromMatrix("x", x)}
	beside(t, d, "label", integers(labels))
	var err error
	if d.Classes, err = FindClasses(t.Context(), stream.Engine{}, d.Rows, "label"); err != nil {
		t.Fatal(err)
	}
	return d
}

// weighted adds weights to data, unless they are nil.
func weighted(t *testing.T, d *Data, weights []float64) *Data {
	t.Helper()
	if weights != nil {
		d.Weights = "weight"
		beside(t, d, d.Weights, stream.Column{Floats: weights})
	}
	return d
}

// grouped adds groups to data, unless they are nil.
func grouped(t *testing.T, d *Data, groups []int) *Data {
	t.Helper()
	if groups != nil {
		d.FoldBy = "group"
		beside(t, d, d.FoldBy, integers(groups))
	}
	return d
}

// kernelMatrix returns the kernel matrix between rows by definition.
func kernelMatrix(k kernelgen.Kernel, x, y blas64.General) *mat.Dense {
	m := matrix.New(x.Rows, y.Rows)
	k.Fill(m, x, k.Pack(y), new(kernelgen.Workspace))
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// predict returns outputs of the model for rows.
func predict(t *testing.T, m *Model, x blas64.General, kinds ...model.Output) blas64.General {
	t.Helper()
	out, err := model.TransformMatrix(t.Context(), stream.Engine{}, m, x, model.Request{Outputs: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExact: with all rows as landmarks the model is kernel ridge regression with an intercept, [(K + λ·W⁻¹) 1; 1ᵀ
// 0]·[α; b] = [y; 0], for rows of the fit and new ones.
func TestExact(t *testing.T) {
	t.Parallel()
	const n, lambda = 150, 0.3
	x, y := wavy(n)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for _, w := range [][]float64{nil, weights} {
		for _, k := range []kernelgen.Kernel{kernelgen.RBF(0.4), kernelgen.Laplace(0.5), kernelgen.Matern52(1)} {
			d := weighted(t, targets(t, x, y), w)
			f, err := Solver{Landmarks: n, Penalties: []float64{lambda}, Seed: 1}.Fit(t.Context(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			a, right := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, 2, nil)
			a.Slice(0, n, 0, n).(*mat.Dense).Copy(kernelMatrix(k, x, x))
			for i := range n {
				noise := lambda
				if w != nil {
					noise /= w[i]
				}
				a.Set(i, i, a.At(i, i)+noise)
				a.Set(i, n, 1)
				a.Set(n, i, 1)
				right.SetRow(i, matrix.Row(y, i))
			}
			var alpha mat.Dense
			if err := alpha.Solve(a, right); err != nil {
				t.Fatal(err)
			}
			fresh := normals(40, 3, 9)
			for _, rows := range []blas64.General{x, fresh} {
				var want mat.Dense
				want.Mul(kernelMatrix(k, rows, x), alpha.Slice(0, n, 0, 2))
				got := predict(t, f.Model, rows, model.Value)
				for i := range rows.Rows {
					for j := range 2 {
						v := want.At(i, j) + alpha.At(n, j)
						if math.Abs(matrix.Row(got, i)[j]-v) > 1e-9*100 {
							t.Fatalf("%s, weights %v: prediction %d, %d is %v, not %v", k, w != nil, i, j, matrix.Row(got, i)[j], v)
						}
					}
				}
			}
		}
	}
}

// features returns [z | 1] of rows, by dense algebra with the landmarks of a model.
func features(k kernelgen.Kernel, landmarks, x blas64.General) *mat.Dense {
	var chol mat.Cholesky
	w := kernelMatrix(k, landmarks, landmarks)
	sym := mat.NewSymDense(landmarks.Rows, nil)
	for i := range landmarks.Rows {
		for j := range landmarks.Rows {
			sym.SetSym(i, j, w.At(i, j))
		}
	}
	if !chol.Factorize(sym) {
		panic("the kernel between landmarks is singular")
	}
	var u mat.TriDense
	chol.UTo(&u)
	var inverse, z mat.Dense
	inverse.Inverse(&u)
	z.Mul(kernelMatrix(k, x, landmarks), &inverse)
	out := mat.NewDense(x.Rows, landmarks.Rows+1, nil)
	out.Slice(0, x.Rows, 0, landmarks.Rows).(*mat.Dense).Copy(&z)
	for i := range x.Rows {
		out.Set(i, landmarks.Rows, 1)
	}
	return out
}

// refit returns the coefficients of ridge regression on the kept rows, by QR of these rows above √λ·I.
func refit(t *testing.T, z *mat.Dense, y blas64.General, lambda float64, keep func(i int) bool) *mat.Dense {
	t.Helper()
	n, p := z.Dims()
	a, right := mat.NewDense(n+p-1, p, nil), mat.NewDense(n+p-1, y.Cols, nil)
	for i := range n {
		if keep(i) {
			a.SetRow(i, z.RawRowView(i))
			right.SetRow(i, matrix.Row(y, i))
		}
	}
	for j := range p - 1 {
		a.Set(n+j, j, math.Sqrt(lambda))
	}
	var c mat.Dense
	if err := c.Solve(a, right); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestFolds compares the errors of all folds and penalties with explicit refits, and the coefficients with a refit on
// all rows.
func TestFolds(t *testing.T) {
	t.Parallel()
	const n = 400
	x, y := wavy(n)
	k := kernelgen.RBF(0.3)
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i / 7
	}
	for _, c := range []struct {
		folds  int
		groups []int
	}{{0, nil}, {3, groups}, {1, nil}} {
		s := Solver{Landmarks: 40, Folds: c.folds, Seed: 3}
		f, err := s.Fit(t.Context(), stream.Engine{BlockRows: 64}, grouped(t, targets(t, x, y), c.groups), k)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Path) < 5 || f.SourcePasses != 1 {
			t.Errorf("%d penalties, %d passes", len(f.Path), f.SourcePasses)
		}
		folds, err := s.folding(40)
		if err != nil {
			t.Fatal(err)
		}
		partOf := func(i int) int {
			if c.groups != nil {
				i = c.groups[i]
			}
			return folds.part(uint64(i))
		}
		z := features(k, f.Landmarks, x)
		for _, p := range f.Path {
			sums, rows := make([]float64, 2), 0
			for part := range folds.tested {
				b := refit(t, z, y, p.Lambda, func(i int) bool { return partOf(i) != part })
				var guess mat.Dense
				guess.Mul(z, b)
				for i := range n {
					if partOf(i) != part {
						continue
					}
					rows++
					for j := range sums {
						e := matrix.Row(y, i)[j] - guess.At(i, j)
						sums[j] += e * e
					}
				}
			}
			for j := range sums {
				if want := math.Sqrt(sums[j] / float64(rows)); math.Abs(p.RMSE[j]-want) > 1e-8*want {
					t.Errorf("%d folds, penalty %g: RMSE %v, by refits %v", c.folds, p.Lambda, p.RMSE[j], want)
				}
			}
		}
		best := f.Chosen()
		var want mat.Dense
		want.Mul(z, refit(t, z, y, best.Lambda, func(int) bool { return true }))
		got := predict(t, f.Model, x)
		for i := range n {
			for j := range 2 {
				if math.Abs(matrix.Row(got, i)[j]-want.At(i, j)) > 1e-9*100 {
					t.Fatalf("prediction %v, by a refit %v", matrix.Row(got, i)[j], want.At(i, j))
				}
			}
		}
		for j, r := range f.R2 {
			if !(r > 0.8 && r < 1) {
				t.Errorf("R² of target %d is %v", j, r)
			}
		}
	}
}

// bytesOf returns the header and the arrays of a saved model.
func bytesOf(t *testing.T, m *Model) string {
	t.Helper()
	a, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a.Header, a.Arrays)
}

// TestKernels: each of several kernels in one pass has the bits of its own fit, the best makes the model, and the
// report counts the entries of all.
func TestKernels(t *testing.T) {
	t.Parallel()
	x, y := wavy(500)
	marks, labels := rings(500)
	kernels := []kernelgen.Kernel{kernelgen.RBF(30), kernelgen.Laplace(0.5), kernelgen.RBF(0.3)}
	for name, d := range map[string]*Data{
		"targets": targets(t, x, y),
		"classes": classed(t, marks, labels),
	} {
		s := Solver{Landmarks: 50, Kernels: kernels[1:], Seed: 4}
		together, err := s.Fit(t.Context(), stream.Engine{}, d, kernels[0])
		if err != nil {
			t.Fatal(err)
		}
		if together.SourcePasses != 1 || len(together.Kernels) != len(kernels) {
			t.Fatalf("%s: %d passes of %d kernels", name, together.SourcePasses, len(together.Kernels))
		}
		var entries int64
		var best *Fit
		for i, k := range kernels {
			alone, err := Solver{Landmarks: 50, Seed: 4}.Fit(t.Context(), stream.Engine{}, d, k)
			if err != nil {
				t.Fatal(err)
			}
			entries += alone.KernelEntries
			if alone.Kernels[0].Error > together.Kernels[i].Error {
				t.Errorf("%s: the error of %s is %v alone, not %v", name, k, alone.Kernels[0].Error, together.Kernels[i].Error)
			}
			if best == nil || alone.Kernels[0].Error < best.Kernels[0].Error {
				best = alone
			}
		}
		if together.KernelEntries > entries {
			t.Errorf("%s: %d kernel entries, and %d of three fits", name, together.KernelEntries, entries)
		}
		if best.Kernel.String() == kernels[0].String() || bytesOf(t, together.Model) != bytesOf(t, best.Model) {
			t.Errorf("%s: the model is of %s with penalty %v, not %s with %v", name, together.Kernel, together.Lambda,
				best.Kernel, best.Lambda)
		}
	}
}

// rings returns rows on three concentric rings, with their classes.
func rings(n int) (x blas64.General, labels []int) {
	x, labels = normals(n, 2, 5), make([]int, n)
	for i := range n {
		r := matrix.Row(x, i)
		labels[i] = i % 3
		radius := float64(1+2*labels[i]) / dense.Norm(r)
		r[0], r[1] = r[0]*radius, r[1]*radius
	}
	return x, labels
}

// TestClasses: rings are separated, the out-of-fold error is close to that of new rows, and class, decisions and the
// largest decision agree.
func TestClasses(t *testing.T) {
	t.Parallel()
	x, labels := rings(900)
	train := matrix.Rows(x, 0, 600)
	noisy := append([]int{}, labels[:600]...)
	for i := 0; i < 600; i += 20 {
		noisy[i] = (noisy[i] + 1) % 3
	}
	f, err := Solver{Landmarks: 60, Seed: 1}.Fit(t.Context(), stream.Engine{}, classed(t, train, noisy),
		kernelgen.RBF(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if e := f.Chosen().Misclassified; e < 0.04 || e > 0.08 || f.Scored != 600 {
		t.Errorf("%v of %d rows misclassified out of fold, and 5 %% have a wrong label", e, f.Scored)
	}
	tenth := classed(t, train, noisy)
	held, err := Solver{Landmarks: 60, Folds: 1}.Fit(t.Context(), stream.Engine{}, tenth, kernelgen.RBF(0.5))
	if err != nil || held.Scored < 30 || held.Scored > 90 {
		t.Errorf("%v: errors are counted on %d rows, a tenth of 600", err, held.Scored)
	}
	out := predict(t, f.Model, matrix.Rows(x, 600, 300), model.Decision, model.Class)
	wrong := 0
	for i := range out.Rows {
		r := matrix.Row(out, i)
		if floats.MaxIdx(r[:3]) != int(r[3]) {
			t.Fatal("the class is not that of the largest decision")
		}
		if int(r[3]) != labels[600+i] {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of 300 new rows are misclassified", wrong)
	}
}

// TestSameBits: neither threads nor block sizes change a bit.
func TestSameBits(t *testing.T) {
	t.Parallel()
	x, y := wavy(1000)
	var first blas64.General
	for i, e := range []stream.Engine{{Threads: 1}, {Threads: 3}, {Threads: 2, BlockRows: 64}} {
		f, err := Solver{Landmarks: 200, Seed: 1}.Fit(t.Context(), e, targets(t, x, y), kernelgen.RBF(0.3))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = f.Coefficients
			continue
		}
		for j, v := range f.Coefficients.Data {
			if v != first.Data[j] {
				t.Fatalf("%+v: coefficient %d differs", e, j)
			}
		}
	}
}

// TestRefusals: errors name invalid data and settings.
func TestRefusals(t *testing.T) {
	t.Parallel()
	x, y := wavy(30)
	labels := make([]int, 30)
	labels[3] = 1
	negative := make([]float64, 30)
	negative[2] = -1
	null := targets(t, x, y)
	valid := []bool{0: true, 29: false}
	beside(t, null, "gap", stream.Column{Floats: make([]float64, 30), Valid: valid})
	null.Targets = []string{"target0", "gap"}
	bad := func(v float64) blas64.General {
		y := matrix.Clone(y)
		y.Data[7] = v
		return y
	}
	words := targets(t, x, y)
	beside(t, words, "word", stream.Column{Kind: stream.String, Strings: make([]string, 30)})
	words.Weights = "word"
	strange, both := classed(t, x, labels), classed(t, x, labels)
	strange.Classes.Levels.Ints, both.Targets = []int64{0, 2}, []string{"label"}
	fewer := classed(t, x, labels)
	fewer.Classes.Counts = []int64{1, 2}
	one := classed(t, x, make([]int, 30))
	rbf, plain := kernelgen.RBF(1), targets(t, x, y)
	for want, c := range map[string]struct {
		s Solver
		d *Data
		k kernelgen.Kernel
	}{
		"neither targets nor labels": {Solver{}, &Data{Rows: plain.Rows}, rbf},
		"not both":                   {Solver{}, both, rbf},
		"keeps no column \"z\" for `Data.Targets`":          {Solver{}, &Data{Rows: plain.Rows, Targets: []string{"z"}}, rbf},
		"target0 is 0 in all rows":                          {Solver{}, targets(t, x, matrix.New(30, 1)), rbf},
		`row 3 (counted from 0): column "target1": is +Inf`: {Solver{}, targets(t, x, bad(math.Inf(1))), rbf},
		`row 3 (counted from 0): column "target1": is NaN`:  {Solver{}, targets(t, x, bad(math.NaN())), rbf},
		`row 1 (counted from 0): column "gap": nothing is`:  {Solver{}, null, rbf},
		"`Data.Weights` holds text":                         {Solver{}, words, rbf},
		"one class":                                         {Solver{}, one, rbf},
		"the classes are of 3":                              {Solver{}, fewer, rbf},
		`row 3 (counted from 0): column "label": is none`:   {Solver{}, strange, rbf},
		`row 2 (counted from 0): column "weight": is -1`:    {Solver{}, weighted(t, targets(t, x, y), negative), rbf},
		"all weights are 0": {Solver{},
			weighted(t, targets(t, x, y), make([]float64, 30)), rbf},
		"31 folds of 30 rows": {Solver{Folds: 31}, plain, rbf},
		"x: column \"group\" of `Data.FoldBy` is 0 in all rows": {Solver{Folds: 2},
			grouped(t, targets(t, x, y), make([]int, 30)), rbf},
		"not known to be positive":   {Solver{}, plain, kernelgen.Sigmoid(1, 1)},
		"`Landmarks -2` must":        {Solver{Landmarks: -2}, plain, rbf},
		"`Penalties 0` must":         {Solver{Penalties: []float64{0}}, plain, rbf},
		"`Folds -2` must":            {Solver{Folds: -2}, plain, rbf},
		"is for classes, and":        {Solver{Balanced: true}, plain, rbf},
		"errors of targets are":      {Solver{ScoreRows: AllRows}, plain, rbf},
		"classes have probabilities": {Solver{Std: true}, classed(t, x, labels), rbf},
	} {
		_, err := c.s.Fit(t.Context(), stream.Engine{}, c.d, c.k)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestNasty: duplicate rows, a class absent from a fold, a huge target, or all weight on one row give finite models.
func TestNasty(t *testing.T) {
	t.Parallel()
	x, y := wavy(60)
	for i := range 30 {
		copy(matrix.Row(x, 30+i), matrix.Row(x, i))
	}
	huge := matrix.Clone(y)
	dense.Scale(1e150, huge)
	labels := make([]int, 60)
	labels[5] = 1
	few := make([]float64, 60)
	for i := range 20 {
		few[i] = 1
	}
	for name, d := range map[string]*Data{
		"copies": targets(t, x, y), "huge": targets(t, x, huge), "one of a class": classed(t, x, labels),
		"few weights": weighted(t, targets(t, x, y), few),
	} {
		f, err := Solver{Seed: 2}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := model.Request{Outputs: []model.Output{model.Probability}}
		if d.Classes == nil {
			r = model.Request{Outputs: []model.Output{model.Value, model.Lower, model.Upper}, Level: 0.9}
		}
		out, err := model.TransformMatrix(t.Context(), stream.Engine{}, f.Model, x, r)
		if err != nil || !dense.Finite(out) {
			t.Errorf("%s: predictions are not finite: %v", name, err)
		}
	}
}

// TestSaved: a loaded model has the predictions of the saved one.
func TestSaved(t *testing.T) {
	t.Parallel()
	x, labels := rings(90)
	_, y := wavy(90)
	for _, d := range []*Data{classed(t, x, labels), targets(t, x, y)} {
		kinds := []model.Output{model.Decision, model.Probability}
		if d.Classes == nil {
			kinds = []model.Output{model.Value, model.Lower, model.Upper, model.Deviation}
		}
		r := model.Request{Outputs: kinds, Level: 0.8}
		f, err := Solver{Seed: 2, Std: d.Classes == nil}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(0.5))
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Save()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(a)
		if err != nil {
			t.Fatal(err)
		}
		var out [2]blas64.General
		for i, m := range []*Model{f.Model, m} {
			if out[i], err = model.TransformMatrix(t.Context(), stream.Engine{}, m, x, r); err != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprint(out[0]) != fmt.Sprint(out[1]) {
			t.Error("the loaded model predicts otherwise")
		}
	}
}
