package blockstore

import (
	"context"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/number"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// align makes a source of what was found of m, in the columns and kinds of info.
func (m *member) align(found selection, info stream.Info, inexact Inexact) (stream.Gatherer, error) {
	columns, pick := m.tableColumns(found.numeric)
	a := &aligned{inexact: inexact, kept: make([]keptFrom, len(found.kept)), plain: pick == nil, pick: pick}
	var kept []int
	for k, i := range found.kept {
		if i < len(m.components) {
			a.kept[k].inner = len(kept)
			kept = append(kept, m.components[i].column)
			continue
		}
		value, ok := keyValue(m.folders, info.Kept[k])
		if !ok {
			return nil, fault.File(m.Path, "no folder on its way is called %s=..., unlike for the first file", info.Kept[k].Name).
				Do("put it into one, or do not keep the column")
		}
		a.kept[k] = keptFrom{inner: -1, value: value}
		a.plain = false
	}
	inner, err := column.ChooseInexact(m.table, columns, kept, inexact)
	if err != nil {
		return nil, err
	}
	a.inner, a.info = inner, inner.Info()
	a.info.Columns, a.info.Nameless, a.info.Kept = info.Columns, info.Nameless, info.Kept
	if a.plain && slices.Equal(inner.Info().Kept, info.Kept) {
		return inner, nil
	}
	return a, nil
}

// tableColumns returns the columns of the table that hold the given components.
// If their expansion is not what is wanted, in this order, pick says where
// each wanted component is in it.
func (m *member) tableColumns(components []int) (columns, pick []int) {
	start := make(map[int]int) // of each column in the expansion
	width := 0
	plain := true
	for _, i := range components {
		c := m.components[i]
		if _, ok := start[c.column]; !ok {
			start[c.column] = width
			width += m.Columns[c.column].Width
			columns = append(columns, c.column)
		}
		plain = plain && start[c.column]+c.part == len(pick)
		pick = append(pick, start[c.column]+c.part)
	}
	if plain && width == len(pick) {
		return columns, nil
	}
	return columns, pick
}

// aligned is a source of one file in the columns and kinds of the first file.
type aligned struct {
	inner stream.Gatherer
	info  stream.Info
	pick  []int // the inner number of each number, nil if the same
	kept  []keptFrom
	plain bool // the inner numbers as they are, no constants

	inexact Inexact // what becomes of kept integers that are floats in another file
}

// keptFrom is where a kept column comes from: a kept column of the inner
// source, or, if that is negative, a constant.
type keptFrom struct {
	inner int
	value stream.Column
}

// Info describes the source.
func (a *aligned) Info() stream.Info { return a.info }

// Open returns a reader of the rows from the given one on.
func (a *aligned) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := a.inner.Open(ctx, first)
	if err != nil {
		return nil, err
	}
	return &alignedReader{Reader: r, aligned: a}, nil
}

// alignedReader is a pass over an aligned source.
type alignedReader struct {
	stream.Reader
	aligned *aligned
	batch   stream.Batch // as the inner source gives it
	scratch blas64.General
}

// Read reads from the inner source and rearranges.
func (r *alignedReader) Read(dst *stream.Batch) (n int, err error) {
	r.aligned.prepare(&r.batch, &r.scratch, dst)
	n, err = r.Reader.Read(&r.batch)
	if bad := r.aligned.deliver(&r.batch, dst, n); bad != nil {
		err = bad
	}
	return n, err
}

// Gather fetches from the inner source and rearranges.
func (a *aligned) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	var b stream.Batch
	a.prepare(&b, new(blas64.General), dst)
	if err := a.inner.Gather(ctx, rows, &b); err != nil {
		return err
	}
	return a.deliver(&b, dst, len(rows))
}

// prepare makes b ready for as many rows as dst can take, in scratch unless
// they can go to dst directly.
func (a *aligned) prepare(b *stream.Batch, scratch *blas64.General, dst *stream.Batch) {
	inner := a.inner.Info()
	b.X = dst.X
	if a.pick != nil {
		if scratch.Rows < dst.X.Rows {
			*scratch = matrix.New(dst.X.Rows, len(inner.Columns))
		}
		b.X = matrix.Rows(*scratch, 0, dst.X.Rows)
	}
	if dst.Kept != nil && b.Kept == nil {
		b.Kept = stream.KeptColumns(inner.Kept)
	}
}

// deliver puts n rows of b into dst.
func (a *aligned) deliver(b, dst *stream.Batch, n int) error {
	if a.pick != nil {
		for i := range n {
			from, to := b.X.Data[i*b.X.Stride:], dst.X.Data[i*dst.X.Stride:]
			for j, p := range a.pick {
				to[j] = from[p]
			}
		}
	}
	column.Truncate(dst, a.info.Kept)
	for k := range dst.Kept {
		from := a.kept[k]
		switch {
		case from.inner < 0:
			for range n {
				dst.Kept[k].Append(&from.value, 0, 1)
			}
		case b.Kept[from.inner].Kind == dst.Kept[k].Kind:
			dst.Kept[k].Append(&b.Kept[from.inner], 0, n)
		default:
			if err := appendAsFloats(&dst.Kept[k], &b.Kept[from.inner], n, a.inexact); err != nil {
				return fault.Cell(a.info.Name, -1, a.info.Kept[k].Name, "%w", err)
			}
		}
	}
	return nil
}

// appendAsFloats appends n integers to a column of floats.
func appendAsFloats(dst, src *stream.Column, n int, inexact Inexact) error {
	for i := range n {
		v := src.Ints[i]
		switch {
		case src.Null(i):
			column.AppendNull(dst)
			continue
		case inexact == InexactError && !number.IsExact(v):
			return number.ErrInexact(strconv.FormatInt(v, 10))
		}
		dst.Floats = append(dst.Floats, float64(v))
		column.AppendValid(dst)
	}
	return nil
}
