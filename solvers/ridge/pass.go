package ridge

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// blockFeatures holds a worker's features [z | 1 | y]·√w of one block, for each kernel, sorted by part.
type blockFeatures struct {
	of    []sketch.WhitenedRows    // of each kernel
	parts [][]*sketch.WhitenedRows // of each kernel and part, sharing the memory of these
	rows  []int                    // of each part
}

// tileIndex identifies one tile of one Gram matrix.
type tileIndex struct{ kernel, part, tile int }

// pass sums the Gram matrix of [z | 1 | y]·√w of each kernel and part, by one pass over the rows. Features are (k(x, J)
// − c)·U⁻¹ with the mean c of k(J, J): in sums of features far from 0, the digits of their spread would cancel. The
// identity that extends U leaves the other columns unchanged. Cost for n rows with a weight, ℓ landmarks, of each
// kernel: n·ℓ kernel entries, 2·n·ℓ² flops.
func (f *fit) pass(ctx context.Context) error {
	by, indices, err := f.whitenings()
	if err != nil {
		return err
	}
	parts, given, before := f.folds.parts, append(f.columns.identity(), f.folds.identity()...), []int64{}
	for _, c := range f.candidates {
		given = append(given, c.features.Landmarks.Rows, c.upper, c.center)
		before = append(before, c.features.Tiles.Entries.Load())
	}
	e := f.engine.WithKept().WithInputs(given...)
	type gramPass = stream.Wide[sketch.List[*sketch.WhitenedGram], *blockFeatures]
	sums, err := stream.FoldWide(ctx, e, "fit", f.data.Rows, gramPass{
		New: func() (l sketch.List[*sketch.WhitenedGram]) {
			for k := range by {
				for range parts {
					l = append(l, sketch.NewWhitenedGram(by[k]))
				}
			}
			return l
		},
		NewT: func() *blockFeatures {
			return &blockFeatures{make([]sketch.WhitenedRows, len(by)), make([][]*sketch.WhitenedRows, len(by)), make([]int, parts)}
		},
		Worker: func() func(*blockFeatures, *stream.Block) error { return f.worker(by) },
		AddSmall: func(acc sketch.List[*sketch.WhitenedGram], m *blockFeatures, _ *stream.Block) error {
			for i, gram := range acc {
				gram.Expect(m.rows[i%parts])
			}
			return nil
		},
		Tiles: len(indices),
		AddTile: func(acc sketch.List[*sketch.WhitenedGram], all []*blockFeatures, tile int) {
			at := indices[tile]
			var rows []*sketch.WhitenedRows
			for _, m := range all {
				if m.rows[at.part] > 0 {
					rows = append(rows, m.parts[at.kernel][at.part])
				}
			}
			if len(rows) > 0 {
				acc[at.kernel*parts+at.part].AddTile(at.tile, rows)
			}
		},
	})
	for i, c := range f.candidates {
		if err != nil {
			break
		}
		c.sums = sums[i*parts:][:parts]
		for _, sum := range c.sums {
			c.counted += sum.Rows()
		}
		// states that replaced passes count like rows that were read
		c.features.Tiles.Entries.Store(before[i] + c.counted*int64(c.upper.Cols))
	}
	return err
}

// whitenings returns the whitening of each kernel, and the tiles of all Gram matrices.
func (f *fit) whitenings() (by []*sketch.Whitening, indices []tileIndex, err error) {
	for k, c := range f.candidates {
		w, err := sketch.NewWhitening(extendByIdentity(c.upper, 1+f.outputs))
		if err != nil {
			return nil, nil, err
		}
		by = append(by, w)
		for part := range f.folds.parts {
			for tile := range sketch.NewWhitenedGram(w).Tiles() {
				indices = append(indices, tileIndex{k, part, tile})
			}
		}
	}
	return by, indices, nil
}

// worker returns the function of a worker, which whitens the rows of a block with each kernel.
func (f *fit) worker(by []*sketch.Whitening) func(*blockFeatures, *stream.Block) error {
	info, width := f.data.Rows.Info(), 0
	fill := make([]func(dst, x blas64.General, numbers input.Numbers) error, len(by))
	for k, c := range f.candidates {
		fill[k] = c.features.Raw(info.Name)
		width = max(width, c.upper.Cols+1+f.outputs)
	}
	rowsOf, byPart := new(responses), make([][]int, f.folds.parts)
	room := matrix.New(tilesize.WideRows, width)
	return func(m *blockFeatures, b *stream.Block) error {
		if err := input.CheckRows(info, b.X, b.Start); err != nil {
			return err
		}
		given, err := f.read(rowsOf, b)
		if err != nil {
			return err
		}
		for p := range byPart {
			byPart[p] = byPart[p][:0]
		}
		for _, i := range rowsOf.weighing() {
			p := f.folds.part(rowsOf.group[i])
			byPart[p] = append(byPart[p], i)
		}
		order := slices.Concat(byPart...)
		x, numbers := dense.PickRows(b.X, order), make([]int64, len(order))
		for i, r := range order {
			numbers[i] = given.At(r)
		}
		for k, c := range f.candidates {
			rows := matrix.Columns(matrix.Rows(room, 0, x.Rows), 0, c.upper.Cols+1+f.outputs)
			entries := matrix.Columns(rows, 0, c.upper.Cols)
			if err := fill[k](entries, x, input.Numbers{List: numbers}); err != nil {
				return err
			}
			c.centerEntries(entries)
			rowsOf.complete(rows, order)
			m.of[k].Whiten(rows, by[k])
			m.parts[k] = m.parts[k][:0]
			for p, at := 0, 0; p < f.folds.parts; p++ {
				m.rows[p] = len(byPart[p])
				m.parts[k] = append(m.parts[k], m.of[k].Slice(at, at+m.rows[p]))
				at += m.rows[p]
			}
		}
		return nil
	}
}

// complete appends the constant 1 and the targets to the features of the given rows, and scales rows by √weight.
func (k *responses) complete(rows blas64.General, indices []int) {
	for i, place := range indices {
		row := matrix.Row(rows, i)
		at := len(row) - 1 - k.outputs.Cols
		row[at] = 1
		copy(row[at+1:], matrix.Row(k.outputs, place))
		if w := k.weight[place]; w != 1 {
			blas64.Scal(math.Sqrt(w), dense.Vector(row))
		}
	}
}

// extendByIdentity returns U extended by an n×n identity.
func extendByIdentity(u blas64.General, n int) blas64.General {
	out := matrix.New(u.Rows+n, u.Cols+n)
	for i := range out.Rows {
		if i < u.Rows {
			copy(matrix.Row(out, i), matrix.Row(u, i))
		} else {
			matrix.Row(out, i)[i] = 1
		}
	}
	return out
}
