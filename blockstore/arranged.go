package blockstore

import (
	"context"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// arrangedSource presents the numbers of a source as kept columns, among its other kept columns.
// Entry k of list is the index of a kept column of src or, if negative, -1-j for the number in
// column j.
type arrangedSource struct {
	src   stream.Gatherer
	info  stream.Info
	order []int
}

// arrange returns the numbers and kept columns of src as kept columns, in the order of list.
func arrange(src stream.Gatherer, list []int) *arrangedSource {
	a := &arrangedSource{src, src.Info(), list}
	a.info.Columns, a.info.Nameless, a.info.Kept = nil, false, nil
	for _, k := range list {
		f := stream.Field{Kind: stream.Float64, NoNulls: true} // NaN if a row has no vector
		if k >= 0 {
			f = src.Info().Kept[k]
		} else {
			f.Name = src.Info().Columns[-1-k]
		}
		a.info.Kept = append(a.info.Kept, f)
	}
	return a
}

func (a *arrangedSource) Info() stream.Info { return a.info }

// Open implements stream.Source.
func (a *arrangedSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := a.src.Open(ctx, first)
	if err != nil {
		return nil, err
	}
	return &arrangedReader{Reader: r, a: a}, nil
}

// batch returns a batch of src with the given number of rows.
func (a *arrangedSource) batch(rows int) *stream.Batch {
	info := a.src.Info()
	return &stream.Batch{X: matrix.New(rows, len(info.Columns)), Kept: info.NewKept()}
}

// put appends the first n rows of from to the kept columns of dst.
func (a *arrangedSource) put(dst, from *stream.Batch, n int) {
	for k, of := range a.order {
		if dst.Kept == nil {
			return
		}
		to := &dst.Kept[k]
		if of >= 0 {
			to.Append(&from.Kept[of], 0, n)
			continue
		}
		for i := range n {
			to.Floats = append(to.Floats, from.X.Data[i*from.X.Stride-1-of])
		}
	}
}

// clear empties the kept columns of dst.
func (a *arrangedSource) clear(dst *stream.Batch) {
	for k := range dst.Kept {
		dst.Kept[k].Kind, dst.Kept[k].Type = a.info.Kept[k].Kind, a.info.Kept[k].Type
		dst.Kept[k].Reset()
	}
}

// Gather implements stream.Gatherer.
func (a *arrangedSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	from := a.batch(len(rows))
	if err := a.src.Gather(ctx, rows, from); err != nil {
		return err
	}
	a.clear(dst)
	a.put(dst, from, len(rows))
	return nil
}

// arrangedReader reads src into a batch of its own.
type arrangedReader struct {
	stream.Reader
	a    *arrangedSource
	from *stream.Batch
}

// Read implements stream.Reader.
func (r *arrangedReader) Read(dst *stream.Batch) (int, error) {
	if r.from == nil || r.from.X.Rows != dst.X.Rows {
		r.from = r.a.batch(dst.X.Rows)
	}
	n, err := r.Reader.Read(r.from)
	r.a.clear(dst)
	r.a.put(dst, r.from, n)
	return n, err
}
