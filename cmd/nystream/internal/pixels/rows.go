package pixels

import (
	"context"
	"io"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Columns are the names of the columns of the rows of a picture.
var Columns = []string{"red", "green", "blue"}

// Rows returns the pixels as rows, from left to right and from top to bottom: red, green and
// blue from 0 to 1, whatever the opacity.
func (p *Picture) Rows() stream.Gatherer { return pixelRows{p} }

// pixelRows are the pixels of a picture as a source.
type pixelRows struct{ p *Picture }

// Info describes the source.
func (s pixelRows) Info() stream.Info {
	return stream.Info{Name: s.p.Path, Columns: Columns, Rows: s.p.Pixels(), Lead: 1, InMemory: true}
}

// Open returns a reader of the pixels from one on.
func (s pixelRows) Open(_ context.Context, first int64) (stream.Reader, error) {
	if err := stream.CheckFirst(s.Info(), first); err != nil {
		return nil, err
	}
	return &pixelReader{s.p, first}, nil
}

// Gather puts pixels into rows.
func (s pixelRows) Gather(_ context.Context, rows []int64, dst *stream.Batch) error {
	for i, n := range rows {
		s.p.put(dst.X, i, n)
	}
	return nil
}

// put puts the colour of a pixel into row i.
func (p *Picture) put(dst blas64.General, i int, number int64) {
	c, row := p.pixel(number), dst.Data[i*dst.Stride:]
	row[0], row[1], row[2] = float64(c.R)/0xffff, float64(c.G)/0xffff, float64(c.B)/0xffff
}

type pixelReader struct {
	p    *Picture
	next int64
}

// Read reads the next pixels.
func (r *pixelReader) Read(dst *stream.Batch) (int, error) {
	n := int(min(int64(dst.X.Rows), r.p.Pixels()-r.next))
	for i := range n {
		r.p.put(dst.X, i, r.next+int64(i))
	}
	if r.next += int64(n); r.next == r.p.Pixels() {
		return n, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (r *pixelReader) Close() error { return nil }
