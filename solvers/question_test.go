package solvers_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// question holds everything that determines a fit, so that a change can alter any part.
type question struct {
	f       family
	r       row
	x, y    blas64.General // rows of either side
	probe   blas64.General // new rows
	targets blas64.General // of x, one column each
	labels  []int          // of x: classes 0, 1 and 2
	weights []float64      // nil for equal ones
	groups  []int          // rows of a group share a fold; used with weights
	kernel  string         // for rows of the table that accept any
	scale   prepare.Scaling
	settled bool // all rows are landmarks
}

// Numbers of classes, rows and columns of a question. Values are multiples of 2⁻²⁰, so that sums with constants are
// exact.
const (
	classes           = 3
	askedRows         = 96
	askedCols         = 3
	fine      float64 = 1 << 20
)

// ask returns the unchanged question of a row of the table.
func ask(f family, r row) *question {
	q := &question{f: f, r: r, kernel: "rbf(gamma=0.7)"}
	for seed, m := range []*blas64.General{&q.x, &q.y, &q.probe, &q.targets} {
		*m = rounded(normal(uint64(seed+1), 53, []int{askedRows, askedRows, 20, askedRows}[seed], askedCols))
	}
	q.targets.Cols = 2
	for i := range askedRows {
		x, t := matrix.Row(q.x, i), matrix.Row(q.targets, i)
		t[0], t[1] = 2*math.Sin(2*x[0])+0.3*t[0], x[1]*x[2]+0.3*t[1]
		score := int(math.Floor(x[0] + x[1]*x[2] + 0.4*t[1]))
		q.labels, q.groups = append(q.labels, (score%classes+classes)%classes), append(q.groups, i)
	}
	q.targets = rounded(q.targets)
	if rff, is := r.method.(lowrank.RFF); is {
		rff.Rank = 256
		q.r.method = rff
	}
	return q
}

// rounded rounds all entries to multiples of 2⁻²⁰.
func rounded(m blas64.General) blas64.General {
	for i, v := range m.Data {
		m.Data[i] = math.Round(v*fine) / fine
	}
	return m
}

// pick restricts the question to the rows with the given numbers, which may repeat.
func (q *question) pick(numbers []int) {
	q.x, q.y, q.targets = dense.PickRows(q.x, numbers), dense.PickRows(q.y, numbers), dense.PickRows(q.targets, numbers)
	q.labels, q.groups = picked(q.labels, numbers), picked(q.groups, numbers)
	if q.weights != nil {
		q.weights = picked(q.weights, numbers)
	}
}

// picked returns the elements with the given indices.
func picked[V any](v []V, numbers []int) (p []V) {
	for _, i := range numbers {
		p = append(p, v[i])
	}
	return p
}

// rows applies a change to all rows, including new ones.
func (q *question) rows(change func(row []float64)) {
	for _, m := range []blas64.General{q.x, q.y, q.probe} {
		for i := range m.Rows {
			change(matrix.Row(m, i))
		}
	}
}

// target changes the first target.
func (q *question) target(change func(y float64) float64) {
	for i := range q.targets.Rows {
		y := matrix.Row(q.targets, i)
		y[0] = change(y[0])
	}
}

// settle makes all rows landmarks, if the method has landmarks.
func (q *question) settle() {
	if m, is := q.r.method.(transport.LowRank); is {
		m.Rank, q.kernel = q.x.Rows, fewValues
		q.r.method = m
		return
	}
	method := reflect.New(reflect.TypeOf(q.r.method)).Elem()
	method.Set(reflect.ValueOf(q.r.method))
	if field := method.FieldByName("Landmarks"); field.IsValid() {
		field.SetInt(int64(10 * q.x.Rows))
		q.r.method = method.Interface()
	}
}

// fewValues is a kernel with few large eigenvalues, which every method finds.
const fewValues = "rbf(gamma=0.02)"

// smooth settles a question, with a kernel that every method approximates well and a single penalty.
func smooth(q *question) {
	q.settled = true
	if q.kernel = fewValues; q.f.name == "ridge" {
		s := q.r.method.(ridge.Solver)
		s.Penalties = []float64{0.1}
		q.r.method = s
	}
}

// data returns the data for the method.
func (q *question) data(t *testing.T, x, y stream.Source) model.Data {
	switch s := q.r.method.(type) {
	case ridge.Solver:
		return q.ridgeData(t, s, x)
	case askls.Solver:
		return must(askls.Samples(x, q.labels, classes))(t)
	case ism.Solver:
		if s.Paradigm != ism.Unsupervised {
			return &ism.Data{Rows: x, Response: must(ism.Classes(q.labels, classes))(t)}
		}
	}
	d := must(q.f.dataOf(t, q.r, x, y))(t)
	if q.weights == nil {
		return d
	}
	switch d := d.(type) {
	case *rkhs.Data:
		return must(d.Weighted(q.weights))(t)
	case *transport.Data:
		if d.LeftWeights = q.weights; q.r.has(two) {
			d.RightWeights = q.weights
		}
	}
	return d
}

// ridgeData returns data with targets, or with classes if the row of the table is a classifier.
func (q *question) ridgeData(t *testing.T, s ridge.Solver, x stream.Source) model.Data {
	var label, group stream.Column
	for i, l := range q.labels {
		label.Ints, group.Ints = append(label.Ints, int64(l)), append(group.Ints, int64(q.groups[i]))
	}
	label.Kind, group.Kind = stream.Int64, stream.Int64
	columns := []stream.Column{label, group, {Floats: q.weights}, {}, {}}
	fields := []stream.Field{{Name: "label"}, {Name: "group"}, {Name: "weight"}, {Name: "target0"}, {Name: "target1"}}
	if q.weights == nil {
		columns[2].Floats = slices.Repeat([]float64{1}, q.x.Rows)
	}
	for j := range q.targets.Cols {
		columns[3+j].Floats = dense.PickColumns(q.targets, []int{j}).Data
	}
	d := &ridge.Data{Rows: must(stream.Beside(x, fields, columns...))(t), Targets: []string{"target0", "target1"}}
	if ofClasses(s) {
		d.Targets, d.Classes = nil, must(ridge.FindClasses(t.Context(), stream.Engine{}, d.Rows, "label"))(t)
	}
	if q.weights != nil {
		d.Weights, d.FoldBy = "weight", "group"
	}
	return d
}

// ofClasses reports whether the method fits classes.
func ofClasses(method any) bool {
	switch s := method.(type) {
	case ridge.Solver:
		return s.Folds == 3
	case ism.Solver:
		return s.Paradigm != ism.Unsupervised
	case askls.Solver:
		return true
	}
	return false
}

// part is a part of an answer.
type part struct {
	name string
	kind partKind
	blas64.General
}

// partKind is the meaning of the columns of a part.
type partKind int

const (
	plain     partKind = iota // without units: shares, eigenvalues, products of coordinates
	values                    // of the targets
	spreads                   // errors of the targets
	decisions                 // of the classes
	points                    // columns of rows
)

// answer fits the question. It returns numbers of the fit, and outputs for new rows.
func (q *question) answer(t *testing.T) []part {
	if q.settled {
		q.settle()
	}
	e := stream.Engine{Threads: 1}
	x, probe := q.prepared(t, q.x)
	y, right := q.prepared(t, q.y)
	d := q.data(t, x, y)
	k := q.r.kernelOr(t, must(kernelgen.Parse(q.kernel))(t))
	fit := must(fitOf(t.Context(), e, q.r.method, d, k))(t)
	if f, is := fit.(*ism.Fit); is && ofClasses(q.r.method) {
		if err := f.LearnClasses(t.Context(), e, x, q.labels, classes); err != nil {
			t.Fatal(err)
		}
	}
	m := modelOf(fit)
	parts := append(q.figures(fit), shares("values", m.Describe().Values...))
	for side, probe := range []blas64.General{probe, right} {
		for kind := model.Coordinates; kind <= model.Novelty; kind++ {
			request := model.Request{Side: model.Side(side), Outputs: []model.Output{kind}, Level: 0.8}
			_, one := m.Outputs(request.Side, model.Coordinates)
			if _, err := request.Names(m); one != nil || err != nil || kind == model.Scores || m.Dimension(request.Side) != probe.Cols {
				continue
			}
			out := must(model.TransformMatrix(t.Context(), e, m, probe, request))(t)
			if p, is := q.said(kind, out, m.Describe().Values); is {
				p.name = fmt.Sprintf("%v of %v rows", kind, request.Side)
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// prepared returns rows as a source, and new rows, after scaling.
func (q *question) prepared(t *testing.T, m blas64.General) (stream.Source, blas64.General) {
	p := must(prepare.New(t.Context(), stream.Engine{}, stream.FromMatrix("rows", m), prepare.Treatment{Scale: q.scale}))(t)
	again := must(p.Apply(t.Context(), stream.Engine{}, stream.FromMatrix("new", q.probe)))(t)
	return p, must(stream.ReadAll(t.Context(), again))(t)
}

// said returns an output of new rows as a part. Coordinates are unique up to rotations within equal values, so it
// compares their products. Numbers of clusters are arbitrary, so it compares which rows share one.
func (q *question) said(kind model.Output, out blas64.General, weights []float64) (part, bool) {
	switch {
	case kind == model.Value || kind == model.Lower || kind == model.Upper:
		return part{kind: values, General: out}, true
	case kind == model.Deviation:
		return part{kind: spreads, General: out}, true
	case kind == model.Novelty:
		return part{General: out}, true
	case kind == model.Decision && q.f.name != "lowrank", kind == model.Probability:
		if q.f.name == "ism" { // a term common to all classes depends on the origin
			out = matrix.Transpose(out)
			dense.CenterColumns(out)
			out = matrix.Transpose(out)
		}
		return part{kind: decisions, General: out}, true
	case kind == model.Class && q.f.name == "lowrank":
		return part{General: shared(out)}, true
	case kind != model.Coordinates || q.f.name == "ridge" || q.f.name == "askls":
		return part{}, false
	case q.f.name == "transport":
		return part{kind: points, General: out}, true
	case q.f.name == "ism":
		dense.CenterColumns(out) // shifted rows have shifted projections
		return part{General: products(out, nil)}, true
	}
	return part{General: products(out, weights)}, true
}

// products returns C·diag(|weights|)·Cᵀ. The weights repeat for imaginary parts.
func products(c blas64.General, weights []float64) blas64.General {
	weighted, w := matrix.Clone(c), slices.Repeat([]float64{1}, c.Cols)
	for j := range min(c.Cols, c.Cols*len(weights)) {
		w[j] = math.Abs(weights[j%len(weights)])
	}
	dense.ScaleColumns(weighted, w)
	return dense.Mul(blas.NoTrans, weighted, blas.Trans, c)
}

// shared returns a matrix with 1 for pairs of rows with equal numbers, else 0.
func shared(m blas64.General) blas64.General {
	out := matrix.New(m.Rows, m.Rows)
	for i := range m.Rows {
		for j := range m.Rows {
			if matrix.Row(m, i)[0] == matrix.Row(m, j)[0] {
				matrix.Row(out, i)[j] = 1
			}
		}
	}
	return out
}

// column returns numbers as a part of one column.
func column(name string, numbers ...float64) part {
	return part{name: name, General: matrix.Of(numbers, len(numbers), 1)}
}

// shares returns fractions, or counts of iterations, as a part whose scale is at least 1: errors of 1e-9 are rounding.
func shares(name string, numbers ...float64) part {
	const most = 1100 // iterations of transport are at most 1,000
	all := make([]float64, most)
	all[most-1] = 1
	copy(all, numbers)
	return column(name, all...)
}

// figures returns the numbers of a fit besides the model: its estimates, and the choices of ridge. It omits condition
// numbers and residuals, which depend on rounding.
func (q *question) figures(fit any) (parts []part) {
	v := reflect.ValueOf(fit).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "Condition" || !v.Type().Field(i).IsExported() {
			continue
		}
		switch field := v.Field(i).Interface().(type) {
		case float64:
			parts = append(parts, shares(name, field))
		case []float64:
			parts = append(parts, shares(name, field...))
		}
	}
	for i, e := range reportOf(fit).Estimates {
		parts = append(parts, shares(fmt.Sprint("estimate ", i), e.Value))
	}
	f, is := fit.(*ridge.Fit)
	if !is {
		return parts
	}
	for i, p := range f.Path {
		errors := column(fmt.Sprint("errors of penalty ", i), p.RMSE...)
		errors.kind, errors.Rows, errors.Cols, errors.Stride = spreads, 1, len(p.RMSE), len(p.RMSE)
		if ofClasses(q.r.method) {
			errors.kind = decisions
		}
		parts = append(parts, errors, column(fmt.Sprint("penalty ", i), p.Lambda, p.Misclassified))
	}
	for i, tried := range f.Kernels {
		parts = append(parts, column(fmt.Sprint("error of kernel ", i), tried.Error))
	}
	parts = append(parts, column("penalty chosen", f.Lambda))
	if s := f.Scores; s != nil {
		parts = append(parts, column("accuracy", s.Accuracy), column("standard error", s.StandardError),
			column("macro F1", s.MacroF1), column("log loss", s.LogLoss))
	}
	return parts
}
