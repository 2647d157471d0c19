package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/stream"
)

// readKept reads the kept columns of src that the flags name. Cost: one pass.
func readKept(ctx context.Context, e stream.Engine, src stream.Source, asides []aside) ([]*asideValues, error) {
	info := src.Info()
	place := make(map[string]int)
	for k, f := range info.Kept {
		place[f.Name] = k
	}
	values := make([]*asideValues, len(asides))
	for i, s := range asides {
		values[i] = &asideValues{aside: s, source: info.Name, values: make([]stream.Column, len(s.columns))}
		for k, name := range s.columns {
			values[i].values[k].Kind = info.Kept[place[name]].Kind
		}
	}
	err := stream.Map(ctx, e, "labels", src, 1, true,
		func() func(blas64.General, *stream.Block) error {
			return func(blas64.General, *stream.Block) error { return nil }
		},
		func(b *stream.Block, _ blas64.General) error {
			for i, s := range asides {
				for k, name := range s.columns {
					c := &b.Kept[place[name]]
					values[i].values[k].Append(c, 0, c.Len())
				}
			}
			return nil
		})
	return values, err
}

// readAsideFile reads the columns of a file, which has one of text or any of numbers,
// for a source of so many rows. A first line of text that is one too many is a header.
func (d *dataFlags) readAsideFile(ctx context.Context, s aside, rows int64) (*asideValues, error) {
	paths, options := []string{s.file}, blockstore.Options{NoHeader: d.noHeader, Delimiter: d.delimiter}
	columns, _, err := blockstore.Columns(ctx, paths, options)
	if err != nil {
		return nil, fromData(err)
	}
	v, unit := &asideValues{aside: s, source: s.file}, "rows"
	if len(columns) == 1 && columns[0].Kind == "text" {
		unit = "lines"
		err = v.readText(ctx, rows)
	} else {
		err = v.readNumbers(ctx, paths, options)
	}
	if err != nil {
		return nil, fromData(err)
	}
	if n := int64(v.rows()); n != rows {
		return nil, fromData(fmt.Errorf("%s has %s %s, and the data have %s rows: %s needs one for each", s.file, show.Count(n), unit, show.Count(rows), s.flag))
	}
	return v, nil
}

func (v *asideValues) readText(ctx context.Context, rows int64) error {
	words, err := blockstore.ReadNodes(ctx, v.file, "0")
	if err != nil {
		return err
	}
	if int64(len(words)) == rows+1 {
		words = words[1:]
	}
	v.columns, v.values = []string{"0"}, []stream.Column{{Kind: stream.String, Strings: words}}
	return nil
}

func (v *asideValues) readNumbers(ctx context.Context, paths []string, options blockstore.Options) error {
	src, err := blockstore.Open(ctx, paths, options)
	if err != nil {
		return err
	}
	if out := blockstore.LeftOut(src); len(out) > 0 {
		return fmt.Errorf("%s: column %s holds text, and there are others: a file of labels has one column, one of numbers no text", v.file, out[0])
	}
	x, err := stream.ReadAll(ctx, src)
	if err != nil {
		return err
	}
	v.columns = src.Info().Columns
	v.values = make([]stream.Column, x.Cols)
	for k := range v.values {
		v.values[k] = stream.Column{Kind: stream.Float64, Floats: make([]float64, x.Rows)}
		for i := range x.Rows {
			v.values[k].Floats[i] = x.Data[i*x.Stride+k]
		}
	}
	return nil
}
