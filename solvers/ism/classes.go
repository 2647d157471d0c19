package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// LearnClasses turns the model into a classifier. It must not run concurrently with other methods. The classifier is
// linear discriminant analysis on the rows of XW (Fisher 1936): it predicts the class with the nearest mean, in the
// metric of the within-class covariance, with prior probabilities by the numbers of rows. labels are the classes
// 0..classes−1 of the rows.
//
// Cost: one pass, and 2·n·(k+q)² flops for k classes with rows and q columns of W.
func (m *Model) LearnClasses(ctx context.Context, e stream.Engine, rows stream.Source, labels []int, classes int) error {
	info, q := rows.Info(), m.Dim()
	if info.Rows != int64(len(labels)) {
		return fmt.Errorf("%s has %d rows, and %d have a class", info.Name, info.Rows, len(labels))
	}
	e, err := family.ForModel(e, m)
	if err != nil {
		return err
	}
	counts := make([]float64, classes)
	for _, c := range labels {
		counts[c]++
	}
	column, k := make([]int, classes), 0 // index of each class in the factor
	for c, n := range counts {
		if n > 0 {
			column[c] = k
			k++
		}
	}
	factor, err := stream.Fold(ctx, e.WithInputs(toInt64(labels)), "classes", rows, func() *sketch.QR { return sketch.NewQR(k + q) },
		func() func(*sketch.QR, *stream.Block) error {
			room := matrix.New(tilesize.PanelRows, k+q)
			return func(acc *sketch.QR, b *stream.Block) error {
				for first, x := range b.Panels(tilesize.PanelRows) {
					start := b.Start + int64(first)
					if err := input.CheckRows(info, x, start); err != nil {
						return err
					}
					part := matrix.Rows(room, 0, x.Rows)
					for i := range x.Rows {
						row := matrix.Row(part, i)[:k]
						clear(row)
						row[column[labels[start+int64(i)]]] = 1
					}
					m.Project(matrix.Columns(part, k, q), x)
					if err := acc.Add(part); err != nil {
						return err
					}
				}
				return nil
			}
		})
	if err != nil {
		return err
	}
	return m.discriminate(factor.R(), counts)
}

// toInt64 converts labels to int64.
func toInt64(labels []int) []int64 {
	out := make([]int64, len(labels))
	for i, l := range labels {
		out[i] = int64(l)
	}
	return out
}

// missingClass is the decision for a class without rows.
const missingClass = -1e300

// discriminate computes the decisions (x·W − μ)·S⁻¹·(μ_c − μ) − ½·(μ_c − μ)ᵀ·S⁻¹·(μ_c − μ) + log(n_c/n) for the means
// μ_c of classes, the mean μ of all rows and the covariance S within classes. r is the triangular factor
//
//	[D  D·M]      D = diag(±√n_c), M the means of the classes that have rows
//	[0    T]      TᵀT the within-class scatter
//
// of the class indicators followed by XW. No squares are subtracted, so rows far from 0 lose no digits.
func (m *Model) discriminate(r blas64.General, counts []float64) error {
	q, k := m.Dim(), r.Rows-m.Dim()
	n, all := dense.Sum(counts), make([]float64, q) // the mean of all rows
	means := matrix.New(len(counts), q)
	at := 0
	for c, count := range counts {
		if count > 0 {
			row := matrix.Row(r, at)
			matrix.Axpy(1/row[at], row[k:], matrix.Row(means, c))
			matrix.Axpy(count/n, matrix.Row(means, c), all)
			at++
		}
	}
	for c, count := range counts {
		if count > 0 {
			matrix.Axpy(-1, all, matrix.Row(means, c)) // relative to that mean
		}
	}
	s, err := dense.NewSVD(matrix.Columns(matrix.Rows(r, k, q), k, q))
	if err != nil {
		return fmt.Errorf("the covariance within classes: %w; scale the rows (`Treatment.Scale standard`)", err)
	}
	scale := math.Max(1, n-float64(len(counts)))
	inverse := make([]float64, q)
	for i, v := range s.S {
		inverse[i] = scale / math.Max(v*v, 1e-10*s.S[0]*s.S[0]+math.SmallestNonzeroFloat64)
		inverse[i] = math.Min(inverse[i], 1e100)
	}
	towards := dense.Mul(noTrans, means, noTrans, s.V)
	dense.ScaleColumns(towards, inverse)
	slopes := dense.Mul(noTrans, towards, trans, s.V) // classes×q
	m.Decision = matrix.New(q+1, len(counts))
	for c, count := range counts {
		slope := matrix.Row(slopes, c)
		for i, v := range slope {
			matrix.Row(m.Decision, i)[c] = v
		}
		bias := &matrix.Row(m.Decision, q)[c]
		*bias = missingClass
		if count > 0 {
			*bias = math.Log(count/n) - dense.Dot(slope, matrix.Row(means, c))/2 - dense.Dot(slope, all)
		}
	}
	return nil
}

// classOutputs returns the names of the class or of the decisions.
func (m *Model) classOutputs(kind model.Output) ([]string, error) {
	if err := kind.RequireOneOf(model.Class, model.Decision); err != nil {
		return nil, err
	}
	if m.Decision.Rows == 0 {
		return nil, errors.New("the model was fitted without the classes of its rows, and chooses none: fit it with one column as `Data.Response`")
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

// answer returns a worker that computes the classes and decisions of rows.
func (m *Model) answer(r model.Request) model.Worker {
	answers := family.Decisions{Classes: m.Decision.Cols}
	var projected, decisions []float64 // grow to the largest panel so far
	return func(dst blas64.General, b *stream.Block) error {
		for first, x := range b.Panels(tilesize.PanelRows) {
			xw, d := matrix.Reuse(&projected, x.Rows, m.Dim()), matrix.Reuse(&decisions, x.Rows, answers.Classes)
			m.Project(xw, x)
			m.decide(d, xw)
			answers.Answer(matrix.Rows(dst, first, x.Rows), r, d)
		}
		return nil
	}
}

// decide stores the decisions for rows of XW in dst, one column for each class.
func (m *Model) decide(dst, xw blas64.General) {
	q := m.Dim()
	dense.GemmRows(noTrans, xw, matrix.Rows(m.Decision, 0, q), 0, dst)
	for i := range dst.Rows {
		matrix.Axpy(1, matrix.Row(m.Decision, q), matrix.Row(dst, i))
	}
}

// Predict returns the classes of rows. Cost: one pass.
func (m *Model) Predict(ctx context.Context, e stream.Engine, rows stream.Source) ([]int, error) {
	var classes []int
	err := m.Transform(ctx, e, rows, model.Request{Outputs: []model.Output{model.Class}}, func(_ *stream.Block, class blas64.General) error {
		for i := range class.Rows {
			classes = append(classes, int(class.Data[i*class.Stride]))
		}
		return nil
	})
	return classes, err
}
