package lssvm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// Model is a set of linear functions of a row of features: column k of the
// decisions is wᵀx + b for column k of Weights and element k of Bias.
type Model struct {
	Weights blas64.General // d × number of classes or targets
	Bias    []float64      // one for each column
	Gamma   float64        // γ of the fit
}

// Fit learns the classes 0..classes−1 from the rows of src, whose labels are
// given in the order of the rows. A class without rows gets the decision −1
// everywhere.
//
// Cost: one pass. With n ≥ d rows it solves the primal problem, from a Gram
// matrix: n·d² + d³/3 flops and (d+k)² numbers for each partial result, however
// many rows there are. With n < d it solves the dual one: the rows are held in
// memory, n²·d + n³/3 flops. Either squares the condition number of the centred
// features, and γ bounds it: an error says that γ is too large for them.
func Fit(ctx context.Context, e stream.Engine, src stream.Source, labels []int, classes int, gamma float64) (*Model, error) {
	if classes < 1 {
		panic(fmt.Sprintf("lssvm: %d classes", classes))
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("lssvm: row %d has label %d, which is none of the classes 0 to %d", i, l, classes-1)
		}
	}
	return fit(ctx, e, src, gamma, &targets{rows: len(labels), cols: classes, fill: func(dst []float64, i int) {
		for c := range dst {
			dst[c] = -1
		}
		dst[labels[i]] = 1
	}})
}

// FitTargets learns real targets, row i of which (y is n×k) belongs to row i of
// src: ridge regression with a bias. Targets ±1 make it a classifier for rows
// that may belong to several classes. Cost as [Fit].
func FitTargets(ctx context.Context, e stream.Engine, src stream.Source, y blas64.General, gamma float64) (*Model, error) {
	if y.Cols < 1 {
		panic("lssvm: no targets")
	}
	for i := range y.Rows {
		for j, v := range dense.Row(y, i) {
			if v-v != 0 {
				return nil, fmt.Errorf("lssvm: target %d of row %d is %v, not a finite number", j, i, v)
			}
		}
	}
	return fit(ctx, e, src, gamma, &targets{rows: y.Rows, cols: y.Cols, fill: func(dst []float64, i int) {
		copy(dst, dense.Row(y, i))
	}})
}

// targets are n rows of targets, which need not lie in memory.
type targets struct {
	rows, cols int
	fill       func(dst []float64, i int)
}

func fit(ctx context.Context, e stream.Engine, src stream.Source, gamma float64, y *targets) (*Model, error) {
	info := src.Info()
	if err := check(info, gamma, y); err != nil {
		return nil, err
	}
	solve := primal
	if y.rows < len(info.Columns) {
		solve = dual
	}
	m, err := solve(ctx, e, src, gamma, y)
	if err != nil {
		return nil, err
	}
	m.Gamma = gamma
	return m, nil
}

func check(info stream.Info, gamma float64, y *targets) error {
	switch {
	case !(gamma > 0 && gamma <= math.MaxFloat64):
		return fmt.Errorf("lssvm: gamma is %v; it must be positive and finite", gamma)
	case len(info.Columns) == 0:
		return fmt.Errorf("%s: rows without columns have nothing to learn from", info.Name)
	case y.rows == 0:
		return fmt.Errorf("%s: no rows to learn from", info.Name)
	case info.Rows >= 0 && info.Rows != int64(y.rows):
		return rowsError(info, info.Rows, y)
	}
	return nil
}

func rowsError(info stream.Info, rows int64, y *targets) error {
	return fmt.Errorf("%s: %d rows, and labels or targets for %d", info.Name, rows, y.rows)
}
