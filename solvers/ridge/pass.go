package ridge

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// made is what a worker makes of a block: the rows [z | 1 | y]·√w of each part.
type made struct {
	parts []sketch.WhitenedRows
	rows  []int // of each part
}

// pass returns the Gram matrix of [z | 1 | y]·√w of each part, by one pass over the rows. Features are
// k(x, J)·U⁻¹; the other columns pass through the identity that extends U.
// Cost for n rows, ℓ landmarks: n·ℓ kernel entries, 2·n·ℓ² flops.
func (f *fit) pass(ctx context.Context) ([]blas64.General, error) {
	d, name := f.data, f.data.Rows.Info().Name
	by, err := sketch.NewWhitening(extended(f.upper, 1+f.outputs))
	if err != nil {
		return nil, err
	}
	newGram := func() *sketch.WhitenedGram { return sketch.NewWhitenedGram(by) }
	tiles, width := newGram().Tiles(), f.upper.Cols+1+f.outputs
	features := f.features.Features(name)
	e := f.engine.Given(f.features.Landmarks.Rows, f.upper, d.Targets.Data, d.labels(), d.Weights, d.Groups)
	defer f.features.Tiles.CountPass(f.rows * int64(f.features.Landmarks.Count()))()
	sum, err := stream.FoldWide(ctx, e, "fit", d.Rows, stream.Wide[sketch.List[*sketch.WhitenedGram], *made]{
		New: func() sketch.List[*sketch.WhitenedGram] {
			l := make(sketch.List[*sketch.WhitenedGram], f.folds.parts)
			for p := range l {
				l[p] = newGram()
			}
			return l
		},
		Room: func() *made {
			return &made{make([]sketch.WhitenedRows, f.folds.parts), make([]int, f.folds.parts)}
		},
		Worker: func() func(*made, *stream.Block) error {
			fill, room, sorted := features.Worker(), stream.NewMatrix(stream.WideRows, width), stream.NewMatrix(stream.WideRows, width)
			return func(m *made, b *stream.Block) error {
				if err := model.CheckRows(d.Rows.Info(), b.X, b.Start); err != nil {
					return err
				}
				rows := stream.RowSlice(room, 0, b.X.Rows)
				if err := fill(dense.Columns(rows, 0, features.Width), b.X, b.Start); err != nil {
					return err
				}
				f.complete(rows, b.Start)
				for p := range m.parts {
					part := f.ofPart(sorted, rows, b.Start, p)
					if m.rows[p] = part.Rows; part.Rows > 0 {
						m.parts[p].Whiten(part, by)
					}
				}
				return nil
			}
		},
		Take: func(acc sketch.List[*sketch.WhitenedGram], m *made, _ *stream.Block) error {
			for p, gram := range acc {
				gram.Expect(m.rows[p])
			}
			return nil
		},
		Tiles: tiles * f.folds.parts,
		Add: func(acc sketch.List[*sketch.WhitenedGram], all []*made, tile int) {
			p := tile / tiles
			var rows []*sketch.WhitenedRows
			for _, m := range all {
				if m.rows[p] > 0 {
					rows = append(rows, &m.parts[p])
				}
			}
			if len(rows) > 0 {
				acc[p].AddTile(tile%tiles, rows)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	grams := make([]blas64.General, len(sum))
	for p, gram := range sum {
		grams[p], sum[p] = gram.Matrix(), nil
	}
	return grams, nil
}

// complete puts the columns behind the features, and multiplies rows by the roots of their weights.
func (f *fit) complete(rows blas64.General, start int64) {
	for i := range rows.Rows {
		row, number := dense.Row(rows, i), start+int64(i)
		at := len(row) - 1 - f.outputs
		row[at] = 1
		f.data.put(row[at+1:], number)
		if w := f.data.weight(number); w != 1 {
			blas64.Scal(math.Sqrt(w), dense.Vector(row))
		}
	}
}

// ofPart copies the rows of a part to dst, and returns them.
func (f *fit) ofPart(dst, rows blas64.General, start int64, part int) blas64.General {
	n := 0
	for i := range rows.Rows {
		if f.folds.part(start+int64(i)) == part {
			copy(dense.Row(dst, n), dense.Row(rows, i))
			n++
		}
	}
	return stream.RowSlice(dst, 0, n)
}

// extended returns the triangle U with an identity of n more columns.
func extended(u blas64.General, n int) blas64.General {
	out := stream.NewMatrix(u.Rows+n, u.Cols+n)
	for i := range out.Rows {
		if i < u.Rows {
			copy(dense.Row(out, i), dense.Row(u, i))
		} else {
			dense.Row(out, i)[i] = 1
		}
	}
	return out
}

// gather fetches the landmarks and the sample that out-of-fold predictions are made of, and whitens the
// landmarks.
func (f *fit) gather(ctx context.Context) error {
	landmarks, err := sketch.NewSample(f.rows, int(min(f.rows, int64(f.landmarks))), f.Seed, "landmarks")
	if err != nil {
		return err
	}
	sample, err := sketch.NewSample(f.rows, int(min(f.rows, SampleRows)), f.Seed, "scores")
	if err != nil {
		return err
	}
	panels, err := basis.Gather(ctx, f.data.Rows, basis.Set{Numbers: landmarks.Positions()}, basis.Set{Numbers: sample.Positions()})
	if err != nil {
		return err
	}
	f.sample = panels[1]
	f.features.Landmarks, f.upper, err = basis.Whiten(ctx, f.engine, f.features.Tiles, panels[0])
	return err
}
