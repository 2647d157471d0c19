package ism

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// pass is one pass of the linear engine: what it evaluates for each row, and what it
// sums.
//
//	B_a = Xᵀ·diag(g_a)·C      d×r, for each column a of the factors of each part
//	τ   = Gᵀ·C, Gᵀ·C_f        k×r, the second for J
//	A   = Xᵀ·diag(D)·X        d×d, D the degrees
//	s   = Σ_i δ_i·‖Wᵀx_i‖²    for J of kernels with f' constant, δ = Γ1
type pass struct {
	linear   *linear
	gamma    *gamma
	w        blas64.General // d×q, or empty for Φ₀
	features []*feature
	values   []*value
	light    bool // τ alone is wanted
	cols     int  // of C
	more     int  // of C_f
	total    *sketch.Sum
	layout   *layout
}

func (l *linear) newPass(g *gamma, w blas64.General) *pass { return &pass{linear: l, gamma: g, w: w} }

func (p *pass) add(f *feature) {
	f.first = p.cols
	p.cols += f.cols
	f.degrees = make([]blas64.General, len(p.gamma.parts))
	p.features = append(p.features, f)
	if f.marks == nil && f.term.Base == kernelgen.SquaredDistance {
		for s, part := range p.gamma.parts {
			f.setDegrees(s, part, part.columnSums(f.scale))
		}
	}
}

func (p *pass) addValue(v *value) {
	v.first = p.more
	p.more += v.cols
	p.values = append(p.values, v)
}

// layout is where the sums of a pass are.
type layout struct {
	moments []blas64.General // B of each part: k·d × r, one a behind the other
	tau     []blas64.General // k×r
	tauF    []blas64.General
	degrees blas64.General // A, its upper half, or empty
	spread  []float64      // s of each part
	size    int
}

func (p *pass) newLayout(v []float64) *layout {
	r, l := &room{v: v}, &layout{}
	d := p.linear.data.d
	for _, part := range p.gamma.parts {
		if !p.light {
			l.moments = append(l.moments, r.matrix(part.k*d, p.cols))
		}
		l.tau = append(l.tau, r.matrix(part.k, p.cols))
		l.tauF = append(l.tauF, r.matrix(part.k, p.more))
	}
	if p.hasDegrees() && !p.light {
		l.degrees = r.matrix(d, d)
	}
	l.spread = r.matrix(1, len(p.gamma.parts)).Data
	l.size = r.size
	return l
}

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

// run makes the pass and is Φ and J.
func (p *pass) run(ctx context.Context) (*evaluation, error) {
	if err := p.sum(ctx); err != nil {
		return nil, err
	}
	return p.finish()
}

// sum makes the pass.
func (p *pass) sum(ctx context.Context) error {
	data := p.linear.data
	size := p.newLayout(nil).size
	name := "iteration"
	if p.w.Rows == 0 {
		name = "start"
	}
	var err error
	p.total, err = stream.Fold(ctx, data.engine, name, data.src, func() *sketch.Sum { return sketch.NewSum(1, size) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			w := p.newWorker()
			return func(acc *sketch.Sum, b *stream.Block) error {
				if int(b.Start)+b.X.Rows > data.n {
					return fmt.Errorf("%s has more rows than a pass before: the file changed", data.src.Info().Name)
				}
				w.layout = p.newLayout(acc.Data)
				for first, rows := range b.Panels(stream.PanelRows) {
					w.add(rows, int(b.Start)+first)
				}
				return nil
			}
		})
	if err != nil {
		return err
	}
	*data.passes++
	p.layout = p.newLayout(p.total.Data)
	for _, f := range p.features {
		if f.marks != nil {
			p.linear.entries += int64(data.n) * int64(f.cols)
		}
	}
	p.linear.entries += int64(data.n) * int64(p.more)
	return nil
}
