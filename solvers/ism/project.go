package ism

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

func (m *Model) project(dst, x blas64.General) {
	if x.Cols != m.W.Rows || dst.Rows != x.Rows || dst.Cols != m.W.Cols {
		panic(fmt.Sprintf("ism: %d×%d rows projected by %d×%d into %d×%d", x.Rows, x.Cols, m.W.Rows, m.W.Cols, dst.Rows, dst.Cols))
	}
	if x.Rows > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m.W, 0, dst)
	}
}

func (m *Model) transform(ctx context.Context, e stream.Engine, src stream.Source, kept bool, emit func(b *stream.Block, xw blas64.General) error) error {
	info := src.Info()
	if d := len(info.Columns); d != m.W.Rows {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, m.W.Rows)
	}
	return stream.Map(ctx, e, "transform", src, m.W.Cols, kept, func() func(blas64.General, *stream.Block) error {
		return func(dst blas64.General, b *stream.Block) error {
			if err := inSource(info, b, sketch.CheckFinite(b.X)); err != nil {
				return err
			}
			m.project(dst, b.X)
			return nil
		}
	}, emit)
}

// inSource says in which row and column of the source a number is not finite.
func inSource(info stream.Info, b *stream.Block, err error) error {
	var bad *sketch.NonFiniteError
	if errors.As(err, &bad) {
		return &stream.BadValueError{Source: info.Name, Row: b.Start + int64(bad.Row), Column: info.Columns[bad.Col],
			Reason: fmt.Sprintf("is %v, not a finite number", bad.Value)}
	}
	return err
}

func (m *Model) loadings(most int) [][]Loading {
	all := make([][]Loading, m.W.Cols)
	for j := range all {
		for i := range m.W.Rows {
			if w := m.W.Data[i*m.W.Stride+j]; w != 0 {
				all[j] = append(all[j], Loading{Column: i, Name: m.Columns[i], Weight: w})
			}
		}
		slices.SortStableFunc(all[j], func(a, b Loading) int {
			switch x, y := math.Abs(a.Weight), math.Abs(b.Weight); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		all[j] = all[j][:min(most, len(all[j]))]
	}
	return all
}
