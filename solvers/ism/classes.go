package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// LearnClasses makes the model choose classes: by linear discriminant analysis of the rows of
// XW (Fisher 1936), that is the class whose mean is nearest in the metric of the covariance
// within classes, weighed by how many rows it has. labels are the classes 0..classes−1 of the
// rows. Cost: one pass.
func (m *Model) LearnClasses(ctx context.Context, e stream.Engine, rows stream.Source, labels []int, classes int) error {
	info, q := rows.Info(), m.Dim()
	if info.Rows != int64(len(labels)) {
		return fmt.Errorf("%s has %d rows, and %d have a class", info.Name, info.Rows, len(labels))
	}
	e, err := model.ForModel(e, m)
	if err != nil {
		return err
	}
	e = e.Given(wide(labels))
	newSum := func() *sketch.Sum { return sketch.NewSum(classes+q, q+1) }
	sum, err := stream.Fold(ctx, e, "classes", rows, newSum, func() func(*sketch.Sum, *stream.Block) error {
		xw := stream.NewMatrix(stream.PanelRows, q)
		return func(acc *sketch.Sum, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				start := b.Start + int64(first)
				if err := model.CheckRows(info, x, start); err != nil {
					return err
				}
				part := stream.RowSlice(xw, 0, x.Rows)
				m.Project(part, x)
				addClasses(acc, part, labels[start:], classes)
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	return m.discriminate(sum, classes)
}

// wide returns numbers of a fixed size.
func wide(labels []int) []int64 {
	out := make([]int64, len(labels))
	for i, l := range labels {
		out[i] = int64(l)
	}
	return out
}

// addClasses adds the sums of the rows of each class, with their number, and XWᵀXW.
func addClasses(acc *sketch.Sum, xw blas64.General, labels []int, classes int) {
	for i := range xw.Rows {
		r, of := dense.Row(xw, i), dense.Row(acc.General, labels[i])
		dense.Axpy(1, r, of[:len(r)])
		of[len(r)]++
		for k, v := range r {
			dense.Axpy(v, r, dense.Row(acc.General, classes+k)[:len(r)])
		}
	}
}

// without is the decision for a class that no row has.
const without = -1e300

// discriminate works out the decisions x·W·S⁻¹·μ_c − ½·μ_cᵀ·S⁻¹·μ_c + log(n_c/n) for the means μ_c
// and the covariance S within classes.
func (m *Model) discriminate(sum *sketch.Sum, classes int) error {
	q := m.Dim()
	means, n := stream.NewMatrix(classes, q), 0.0
	within := dense.Clone(dense.Columns(stream.RowSlice(sum.General, classes, q), 0, q))
	counts := make([]float64, classes)
	for c := range classes {
		r := dense.Row(sum.General, c)
		if counts[c] = r[q]; counts[c] == 0 {
			continue
		}
		n += counts[c]
		mean := dense.Row(means, c)
		dense.Axpy(1/counts[c], r[:q], mean)
		for k, v := range mean {
			dense.Axpy(-counts[c]*v, mean, dense.Row(within, k))
		}
	}
	s, err := dense.NewSVD(within)
	if err != nil {
		return fmt.Errorf("ism: the covariance within classes: %w; scale the rows (`scale standard`)", err)
	}
	scale := math.Max(1, n-float64(classes))
	inverse := make([]float64, q)
	for k, v := range s.S {
		inverse[k] = scale / math.Max(v, 1e-10*s.S[0]+math.SmallestNonzeroFloat64)
		inverse[k] = math.Min(inverse[k], 1e100)
	}
	towards := dense.Mul(noTrans, means, noTrans, s.U)
	dense.ScaleColumns(towards, inverse)
	slopes := dense.Mul(noTrans, towards, trans, s.U) // classes×q
	m.Decision = stream.NewMatrix(q+1, classes)
	for c := range classes {
		for k, v := range dense.Row(slopes, c) {
			dense.Row(m.Decision, k)[c] = v
		}
		bias := &dense.Row(m.Decision, q)[c]
		*bias = without
		if counts[c] > 0 {
			*bias = math.Log(counts[c]/n) - dense.Dot(dense.Row(slopes, c), dense.Row(means, c))/2
		}
	}
	return nil
}

// classOutputs returns the names of the class or of the decisions.
func (m *Model) classOutputs(kind model.Kind) ([]string, error) {
	if err := kind.Only(model.Class, model.Decision); err != nil {
		return nil, err
	}
	if m.Decision.Rows == 0 {
		return nil, errors.New("the model was fitted without the classes of its rows, and chooses none: fit it with one column as `label`")
	}
	if kind == model.Class {
		return []string{"class"}, nil
	}
	names := make([]string, m.Decision.Cols)
	for c := range names {
		names[c] = fmt.Sprintf("decision%d", c)
	}
	return names, nil
}

// answer makes a worker that gives the classes and decisions of rows.
func (m *Model) answer(r model.Request) model.Worker {
	answers := model.Decisions{Classes: m.Decision.Cols}
	projected := stream.NewMatrix(stream.PanelRows, m.Dim())
	decisions := stream.NewMatrix(stream.PanelRows, answers.Classes)
	return func(dst blas64.General, b *stream.Block) error {
		for first, x := range b.Panels(stream.PanelRows) {
			xw, d := stream.RowSlice(projected, 0, x.Rows), stream.RowSlice(decisions, 0, x.Rows)
			m.Project(xw, x)
			m.decide(d, xw)
			answers.Answer(stream.RowSlice(dst, first, x.Rows), r, d)
		}
		return nil
	}
}

// decide puts the decisions for rows of XW into dst, a column for each class.
func (m *Model) decide(dst, xw blas64.General) {
	q := m.Dim()
	blas64.Gemm(noTrans, noTrans, 1, xw, stream.RowSlice(m.Decision, 0, q), 0, dst)
	for i := range dst.Rows {
		dense.Axpy(1, dense.Row(m.Decision, q), dense.Row(dst, i))
	}
}

// Predict returns the classes of rows. Cost: one pass.
func (m *Model) Predict(ctx context.Context, e stream.Engine, rows stream.Source) ([]int, error) {
	var classes []int
	err := m.Transform(ctx, e, rows, model.Request{Kinds: []model.Kind{model.Class}}, func(_ *stream.Block, class blas64.General) error {
		for i := range class.Rows {
			classes = append(classes, int(class.Data[i*class.Stride]))
		}
		return nil
	})
	return classes, err
}
