package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// pass is one pass of the linear engine: the columns C computed for each row, and the sums
//
//	B_a = Xᵀ·diag(g_a)·C      d×r, for each column a of the factors of each part
//	τ   = Gᵀ·C                k×r
//	A   = Xᵀ·diag(D)·X        d×d, D the degrees
type pass struct {
	linear    *linear
	gamma     *gamma
	w         blas64.General // d×q, or empty for Φ₀
	features  []*feature     // of f', one for each term
	values    []*feature     // of f, unless it is a multiple of f'
	light     bool           // only τ is computed
	cols      int            // number of columns of C for f'
	valueCols int            // number of columns of C for f, which follow
	layout    *layout
}

// feature is a block of columns of C. It approximates f' of a term, or f, by factor·C·Q·Cᵀ.
type feature struct {
	term        term
	factor      float64
	landmarks   *landmarks // nil for a single column of ones
	first, cols int
	// degrees has a k×r matrix for each part: the degree of row i is Σ_a g_ia·degrees[a]·c_i, for one-hot factors
	// degrees[c_i]·c_i. It is empty for parts without degrees.
	degrees []blas64.General
}

// addSlope adds a block of columns for f'.
func (p *pass) addSlope(t term, factor float64, marks *landmarks) {
	f := &feature{term: t, factor: factor, landmarks: marks, first: p.cols, cols: marks.columns(), degrees: make([]blas64.General, len(p.gamma.parts))}
	p.cols += f.cols
	p.features = append(p.features, f)
	if marks != nil || t.Base == kernelgen.InnerProduct {
		return
	}
	for s, part := range p.gamma.parts {
		if !part.centred {
			f.setDegrees(s, part, blas64.General{Rows: part.k, Cols: 1, Stride: 1, Data: part.sums})
		}
	}
}

// addValue adds a block of columns for f.
func (p *pass) addValue(t term, factor float64, marks *landmarks) {
	f := &feature{term: t, factor: factor, landmarks: marks, first: p.valueCols, cols: marks.columns()}
	p.valueCols += f.cols
	p.values = append(p.values, f)
}

// hasDegrees reports whether some row has a degree.
func (p *pass) hasDegrees() bool {
	for _, f := range p.features {
		for _, d := range f.degrees {
			if d.Rows > 0 {
				return true
			}
		}
	}
	return false
}

// layout divides the sums of a pass into matrices.
type layout struct {
	moments []blas64.General // B of each part: k·d × r, stacked by a
	tau     []blas64.General // k × columns for f' and f
	degrees blas64.General   // A, its upper half; may be empty
	size    int
}

// newLayout divides a vector. If v is nil, it only computes the length.
func (p *pass) newLayout(v []float64) *layout {
	l, d := &layout{}, p.linear.data.d
	matrix := func(rows, cols int) blas64.General {
		m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols)}
		if v != nil {
			m.Data = v[l.size : l.size+rows*cols]
		}
		l.size += rows * cols
		return m
	}
	for _, part := range p.gamma.parts {
		if !p.light {
			l.moments = append(l.moments, matrix(part.k*d, p.cols))
		}
		l.tau = append(l.tau, matrix(part.k, p.cols+p.valueCols))
	}
	if p.hasDegrees() && !p.light {
		l.degrees = matrix(d, d)
	}
	return l
}

// sum makes the pass.
func (p *pass) sum(ctx context.Context) error {
	data := p.linear.data
	size := p.newLayout(nil).size
	name := "iteration"
	if p.w.Rows == 0 {
		name = "start"
	}
	total, err := stream.Fold(ctx, data.engine, name, data.src, func() *sketch.Sum { return sketch.NewSum(1, size) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			w := p.newWorker()
			return func(acc *sketch.Sum, b *stream.Block) error {
				if int(b.Start)+b.X.Rows > data.n {
					return moreRows(data.src)
				}
				w.layout = p.newLayout(acc.Data)
				for first, rows := range b.Panels(tilesize.PanelRows) {
					w.add(rows, int(b.Start)+first)
				}
				return nil
			}
		})
	if err != nil {
		return err
	}
	*data.passes++
	p.layout = p.newLayout(total.Data)
	for s, part := range p.gamma.parts {
		part.centre(p.layout.tau[s])
		if !p.light {
			part.centre(p.layout.moments[s])
		}
	}
	for _, f := range p.features {
		if f.landmarks != nil {
			p.linear.entries += int64(data.n) * int64(f.cols)
		}
	}
	p.linear.entries += int64(data.n) * int64(p.valueCols)
	return nil
}

// sumsOf returns τ of a feature of f'.
func (p *pass) sumsOf(s int, f *feature) blas64.General {
	return matrix.Columns(p.layout.tau[s], f.first, f.cols)
}
