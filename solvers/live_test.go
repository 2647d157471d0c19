package solvers_test

import (
	"context"
	"iter"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestLiveBlocksHaveTheSameBits: the output for a row does not depend on the size of its block. Blocks of a pipe end
// where the pipe pauses.
func TestLiveBlocksHaveTheSameBits(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		for _, r := range f.rows {
			if r.has(fresh) || r.has(variant) && testing.Short() {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				left, right := unloaded{stream.FromMatrix("left", normalRows(1, 39))}, unloaded{stream.FromMatrix("right", normalRows(2, 39))}
				m := modelOf(f.mustFit(t, stream.Engine{Threads: 2, BlockRows: 64}, r, kernelgen.RBF(0.7), left, right))
				for _, side := range []model.Side{model.Left, model.Right} {
					checkLiveBlocks(t, m, side)
				}
			})
		}
	}
}

// checkLiveBlocks compares all outputs of rows that arrive in one block and in short ones.
func checkLiveBlocks(t *testing.T, m model.Transformer, side model.Side) {
	x := normalRows(3, 1100) // more than a panel
	r := model.Request{Side: side, Level: 0.9}
	for _, kind := range []model.Output{model.Coordinates, model.Scores, model.Value, model.Lower, model.Upper, model.Decision, model.Probability, model.Class} {
		if _, err := m.Outputs(side, kind); err == nil {
			r.Outputs = append(r.Outputs, kind)
		}
	}
	if len(r.Outputs) == 0 || m.Dimension(side) != x.Cols {
		return
	}
	want, err := model.TransformMatrix(t.Context(), stream.Engine{Threads: 2}, m, x, r)
	if err != nil {
		return // the model takes no such rows, such as that of a graph
	}
	blocks, at := 0, 0
	info := stream.Info{Name: "pipe", Columns: stream.NumberedColumns(x.Cols), Rows: -1, OnePass: true, Live: true}
	err = m.Transform(t.Context(), stream.Engine{Threads: 2}, stream.FromSeq(info, shortPieces(x)), r, func(b *stream.Block, out blas64.General) error {
		if b.Start != int64(at) {
			t.Errorf("block %d begins with row %d behind %d rows", b.Index, b.Start, at)
		}
		for i := range out.Rows {
			for j, v := range matrix.Row(out, i) {
				if w := want.Data[(at+i)*want.Stride+j]; math.Float64bits(v) != math.Float64bits(w) {
					t.Fatalf("side %v, row %d, column %d: %v in a block of %d rows, %v in one of %d", side, at+i, j, v, out.Rows, w, x.Rows)
				}
			}
		}
		blocks, at = blocks+1, at+out.Rows
		return nil
	})
	if err != nil || at != x.Rows || blocks < 20 {
		t.Errorf("%d rows in %d blocks, %v", at, blocks, err)
	}
}

// shortPieces yields a matrix in pieces of 1, 2, 3, … rows.
func shortPieces(x blas64.General) func(context.Context) iter.Seq2[stream.Batch, error] {
	return func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			for at, n := 0, 1; at < x.Rows; at, n = at+n, n+1 {
				if n = min(n, x.Rows-at); !yield(stream.Batch{X: matrix.Rows(x, at, n)}, nil) {
					return
				}
			}
		}
	}
}
