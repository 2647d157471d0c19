package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
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
	cols     int // of C
	more     int // of C_f
	total    *sums
	layout   *layout
}

func (l *linear) newPass(g *gamma, w blas64.General) *pass { return &pass{linear: l, gamma: g, w: w} }

func (p *pass) add(f *feature) {
	f.first = p.cols
	p.cols += f.cols
	f.degrees = make([]blas64.General, len(p.gamma.parts))
	p.features = append(p.features, f)
	if f.marks == nil && f.term.base == SquaredDistance {
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
		l.moments = append(l.moments, r.matrix(part.k*d, p.cols))
		l.tau = append(l.tau, r.matrix(part.k, p.cols))
		l.tauF = append(l.tauF, r.matrix(part.k, p.more))
	}
	if p.hasDegrees() {
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
	data := p.linear.data
	size := p.newLayout(nil).size
	name := "iteration"
	if p.w.Rows == 0 {
		name = "start"
	}
	var err error
	p.total, err = stream.Fold(ctx, data.engine, name, data.src, func() *sums { return &sums{make([]float64, size)} },
		func() func(acc *sums, b *stream.Block) error {
			w := p.newWorker()
			return func(acc *sums, b *stream.Block) error {
				if int(b.Start)+b.X.Rows > data.n {
					return fmt.Errorf("%s has more rows than a pass before: the file changed", data.src.Info().Name)
				}
				w.layout = p.newLayout(acc.v)
				for first, rows := range b.Panels(stream.PanelRows) {
					w.add(rows, int(b.Start)+first)
				}
				return nil
			}
		})
	if err != nil {
		return nil, err
	}
	*data.passes++
	p.layout = p.newLayout(p.total.v)
	for _, f := range p.features {
		if f.marks != nil {
			p.linear.entries += int64(data.n) * int64(f.cols)
		}
	}
	p.linear.entries += int64(data.n) * int64(p.more)
	return p.finish()
}

// worker is the scratch memory of one worker.
type worker struct {
	*pass
	layout           *layout
	x, xw, c, cf     blas64.General
	sortedX, sortedC blas64.General
	fill             blas64.General // a feature's columns, without gaps
	degree           []float64
	order, starts    []int
	kernelgen.Workspace
}

func (p *pass) newWorker() *worker {
	n, d := stream.PanelRows, p.linear.data.d
	widest := 0
	for _, f := range p.features {
		widest = max(widest, f.cols)
	}
	for _, v := range p.values {
		widest = max(widest, v.cols)
	}
	return &worker{pass: p, x: stream.NewMatrix(n, d), xw: stream.NewMatrix(n, p.w.Cols), c: stream.NewMatrix(n, p.cols), cf: stream.NewMatrix(n, p.more),
		sortedX: stream.NewMatrix(n, d), sortedC: stream.NewMatrix(n, p.cols), fill: stream.NewMatrix(n, widest),
		degree: make([]float64, n), order: make([]int, n)}
}

// add takes in a panel of rows, the first of which has number i.
func (w *worker) add(rows blas64.General, i int) {
	n := rows.Rows
	x, xw := stream.RowSlice(w.x, 0, n), stream.RowSlice(w.xw, 0, n)
	w.linear.data.take(x, rows)
	if w.w.Rows > 0 {
		multiply(xw, x, w.w)
	}
	c, cf := stream.RowSlice(w.c, 0, n), stream.RowSlice(w.cf, 0, n)
	scales := w.linear.data.scales
	for _, f := range w.features {
		w.columns(c, f.first, f.cols, func(dst blas64.General) { f.fill(dst, xw, i, scales, &w.Workspace) })
	}
	for _, v := range w.values {
		t := w.linear.terms[v.term]
		w.columns(cf, v.first, v.cols, func(dst blas64.General) {
			v.marks.fill(dst, localPoints(t, xw, i, scales), v.marks.marks, &w.Workspace)
		})
	}
	for s, part := range w.gamma.parts {
		if part.codes != nil {
			w.addClasses(s, part.codes[i:i+n], x, c, cf)
		} else {
			w.addFactors(s, stream.RowSlice(part.g, i, n), x, c, cf)
		}
		w.addSpread(s, part, xw, i)
	}
	w.addDegrees(x, c, i)
}

// columns fills some columns of a matrix, by way of one without gaps: that is the fast
// way through the profiles.
func (w *worker) columns(dst blas64.General, first, cols int, fill func(blas64.General)) {
	if cols == dst.Cols {
		fill(dst)
		return
	}
	t := blas64.General{Rows: dst.Rows, Cols: cols, Stride: cols, Data: w.fill.Data[:dst.Rows*cols]}
	fill(t)
	for i := range t.Rows {
		copy(rowOf(dst, i)[first:], rowOf(t, i))
	}
}

// addClasses sorts the rows by class, so that each row counts once.
func (w *worker) addClasses(s int, codes []int32, x, c, cf blas64.General) {
	starts := w.sort(codes, w.gamma.parts[s].k)
	sx, sc := stream.RowSlice(w.sortedX, 0, x.Rows), stream.RowSlice(w.sortedC, 0, x.Rows)
	for to, from := range w.order[:x.Rows] {
		copy(rowOf(sx, to), rowOf(x, from))
		copy(rowOf(sc, to), rowOf(c, from))
	}
	for a := range len(starts) - 1 {
		if n := starts[a+1] - starts[a]; n > 0 {
			w.accumulate(s, a, stream.RowSlice(sx, starts[a], n), stream.RowSlice(sc, starts[a], n))
		}
	}
	for i, a := range codes {
		addTo(rowOf(w.layout.tau[s], int(a)), rowOf(c, i))
		if w.more > 0 {
			addTo(rowOf(w.layout.tauF[s], int(a)), rowOf(cf, i))
		}
	}
}

// sort puts the indices of rows in the order of their classes into w.order, and is
// where each class starts.
func (w *worker) sort(codes []int32, k int) []int {
	if len(w.starts) < k+1 {
		w.starts = make([]int, k+1)
	}
	starts := w.starts[:k+1]
	clear(starts)
	for _, a := range codes {
		starts[a+1]++
	}
	for a := range k {
		starts[a+1] += starts[a]
	}
	for i, a := range codes {
		w.order[starts[a]] = i
		starts[a]++
	}
	copy(starts[1:], starts)
	starts[0] = 0
	return starts
}

// addFactors multiplies the rows with each column of the factors in turn.
func (w *worker) addFactors(s int, g, x, c, cf blas64.General) {
	sc := stream.RowSlice(w.sortedC, 0, x.Rows)
	for a := range g.Cols {
		for i := range c.Rows {
			v, to := g.Data[i*g.Stride+a], rowOf(sc, i)
			for j, y := range rowOf(c, i) {
				to[j] = v * y
			}
		}
		w.accumulate(s, a, x, sc)
	}
	if w.cols > 0 {
		blas64.Gemm(trans, noTrans, 1, g, c, 1, w.layout.tau[s])
	}
	if w.more > 0 {
		blas64.Gemm(trans, noTrans, 1, g, cf, 1, w.layout.tauF[s])
	}
}

// accumulate adds xᵀc to B_a.
func (w *worker) accumulate(s, a int, x, c blas64.General) {
	blas64.Gemm(trans, noTrans, 1, x, c, 1, stream.RowSlice(w.layout.moments[s], a*x.Cols, x.Cols))
}

func addTo(dst, v []float64) {
	for i, x := range v {
		dst[i] += x
	}
}

// addSpread adds δ_i·‖Wᵀx_i‖².
func (w *worker) addSpread(s int, part *part, xw blas64.General, i int) {
	row := mulVector(part.table, part.sums)
	if allZero(row) || xw.Cols == 0 {
		return
	}
	for a := range xw.Rows {
		z := rowOf(xw, a)
		w.layout.spread[s] += part.rowOf(i+a, row) * dot(z, z)
	}
}

// rowOf is g_i·v.
func (p *part) rowOf(i int, v []float64) float64 {
	if p.codes != nil {
		return v[p.codes[i]]
	}
	return dot(rowOf(p.g, i), v)
}

func mulVector(m blas64.General, v []float64) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		out[i] = dot(rowOf(m, i), v)
	}
	return out
}

func allZero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// addDegrees adds Σ_i D_i·x_i·x_iᵀ, as two symmetric products, of the rows with D_i
// above 0 and of those below.
func (w *worker) addDegrees(x, c blas64.General, i int) {
	if w.layout.degrees.Rows == 0 {
		return
	}
	degree := w.degree[:x.Rows]
	clear(degree)
	for _, f := range w.features {
		own := columnsOf(c, f.first, f.cols)
		for s, part := range w.gamma.parts {
			if f.degrees[s].Rows == 0 {
				continue
			}
			if part.codes != nil {
				for a := range degree {
					degree[a] += dot(rowOf(own, a), rowOf(f.degrees[s], int(part.codes[i+a])))
				}
				continue
			}
			byColumn := mul(noTrans, trans, own, f.degrees[s])
			for a := range degree {
				degree[a] += dot(rowOf(part.g, i+a), rowOf(byColumn, a))
			}
		}
	}
	addWeighted(w.layout.degrees, x, degree, w.sortedX)
}

// addWeighted adds Σ_i weight_i·x_i·x_iᵀ to the upper half of dst. room holds as many
// rows as x.
func addWeighted(dst, x blas64.General, weight []float64, room blas64.General) {
	sym := blas64.Symmetric{Uplo: blas.Upper, N: dst.Rows, Stride: dst.Stride, Data: dst.Data}
	for _, sign := range [...]float64{1, -1} {
		n := 0
		for i, v := range weight {
			if v*sign > 0 {
				root, to := math.Sqrt(v*sign), rowOf(room, n)
				for j, y := range rowOf(x, i) {
					to[j] = root * y
				}
				n++
			}
		}
		if n > 0 {
			blas64.Syrk(trans, sign, stream.RowSlice(room, 0, n), 1, sym)
		}
	}
}

// finish makes Φ and J of the sums.
func (p *pass) finish() (*evaluation, error) {
	d := p.linear.data.d
	v := &evaluation{w: p.w, phi: stream.NewMatrix(d, d)}
	for s, part := range p.gamma.parts {
		eig, err := part.spectrum()
		if err != nil {
			return nil, err
		}
		for _, f := range p.features {
			v.objective += p.flatObjective(s, part, f)
			for e, tau := range eig.values {
				p.addProduct(v.phi, s, part, f, eig, e, tau)
			}
		}
	}
	v.objective += p.sumObjective()
	if a := p.layout.degrees; a.Rows > 0 {
		for i := range d {
			for j := i; j < d; j++ {
				v.phi.Data[i*d+j] += a.Data[i*a.Stride+j]
				if i != j {
					v.phi.Data[j*d+i] += a.Data[i*a.Stride+j]
				}
			}
		}
	}
	symmetrise(v.phi)
	return v, nil
}

// spectrum is the decomposition of T without eigenvalues that are rounding.
func (p *part) spectrum() (*eigen, error) {
	eig, err := newEigen(p.table)
	if err != nil {
		return nil, err
	}
	largest := maxAbs(p.table)
	for e, tau := range eig.values {
		if math.Abs(tau) <= 1e-14*largest {
			eig.values[e] = 0
		}
	}
	return eig, nil
}

// addProduct adds the part of Φ that belongs to eigenvector e of T: with
// M = Σ_a v_a·B_a, coefficient·τ·(MP)·diag(signs)·(MP)ᵀ, and −2 times that for distances.
func (p *pass) addProduct(phi blas64.General, s int, part *part, f *feature, eig *eigen, e int, tau float64) {
	if tau == 0 {
		return
	}
	d := phi.Rows
	m := stream.NewMatrix(d, f.cols)
	for a := range part.k {
		v := eig.vectors.Data[a*eig.vectors.Stride+e]
		if v != 0 {
			addScaled(m, v, columnsOf(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, f.cols))
		}
	}
	factor := f.coefficient * tau
	if f.term.base == SquaredDistance {
		factor *= -2
	}
	if f.marks == nil {
		blas64.Gemm(noTrans, trans, factor, m, m, 1, phi)
		return
	}
	n := mul(noTrans, noTrans, m, f.marks.project)
	signed := cloneOf(n)
	for i := range d {
		row := rowOf(signed, i)
		for j, sign := range f.marks.signs {
			row[j] *= sign
		}
	}
	blas64.Gemm(noTrans, trans, factor, signed, n, 1, phi)
}

// flatObjective is the part of J of a kernel whose f' is constant: f(0)·1ᵀΓ1 + f'·ΣΓβ.
func (p *pass) flatObjective(s int, part *part, f *feature) float64 {
	if f.marks != nil || p.w.Rows == 0 {
		return 0
	}
	d := p.linear.data.d
	z := stream.NewMatrix(part.k, p.w.Cols) // Σ_i g_ia·Wᵀx_i
	for a := range part.k {
		b := columnsOf(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, 1)
		for i := range d {
			blas64.Axpy(b.Data[i*b.Stride], blas64.Vector{N: p.w.Cols, Inc: 1, Data: rowOf(p.w, i)}, blas64.Vector{N: p.w.Cols, Inc: 1, Data: rowOf(z, a)})
		}
	}
	products := traceProduct(part.table, mul(noTrans, trans, z, z))
	if f.term.base == SquaredDistance {
		products = 2*p.layout.spread[s] - 2*products
	}
	all := dot(part.sums, mulVector(part.table, part.sums))
	return f.term.weight*f.term.f.at(0)*all + f.coefficient*products
}

// sumObjective is the part of J of the other kernels: Σ_ab T_ab·τ_a·Q·τ_bᵀ.
func (p *pass) sumObjective() float64 {
	if p.w.Rows == 0 {
		return 0
	}
	j := 0.0
	for s, part := range p.gamma.parts {
		for _, f := range p.features {
			if f.marks == nil || !f.term.known() {
				continue
			}
			all := quadratic(part.table, columnsOf(p.layout.tau[s], f.first, f.cols), f.marks) // ΣΓ·f'/coefficient
			if f.term.power > 0 {
				j += f.coefficient / f.term.power * (p.innerProducts(s, part, f) + f.term.offset*all)
			} else {
				j += f.term.weight * f.term.f.factor * all
			}
		}
		for _, v := range p.values {
			j += v.factor * quadratic(part.table, columnsOf(p.layout.tauF[s], v.first, v.cols), v.marks)
		}
	}
	return j
}

// innerProducts is ΣΓ·f'·β over the coefficient of f', for β the inner products: that is
// Tr(Wᵀ·XᵀΨX·W).
func (p *pass) innerProducts(s int, part *part, f *feature) float64 {
	d := p.linear.data.d
	sum := 0.0
	for j := range p.w.Cols {
		projected := stream.NewMatrix(part.k, f.cols) // w_jᵀ·B_a
		for a := range part.k {
			b := columnsOf(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, f.cols)
			blas64.Gemv(trans, 1, b, blas64.Vector{N: d, Inc: p.w.Stride, Data: p.w.Data[j:]}, 0,
				blas64.Vector{N: f.cols, Inc: 1, Data: rowOf(projected, a)})
		}
		sum += quadratic(part.table, projected, f.marks)
	}
	return sum
}

// quadratic is Tr(T·(τP)·diag(signs)·(τP)ᵀ).
func quadratic(table, tau blas64.General, marks *landmarks) float64 {
	n := mul(noTrans, noTrans, tau, marks.project)
	signed := cloneOf(n)
	for i := range n.Rows {
		row := rowOf(signed, i)
		for j, sign := range marks.signs {
			row[j] *= sign
		}
	}
	return traceProduct(table, mul(noTrans, trans, signed, n))
}

// traceProduct is Σ_ab A_ab·B_ab.
func traceProduct(a, b blas64.General) float64 {
	sum := 0.0
	for i := range a.Rows {
		sum += dot(rowOf(a, i), rowOf(b, i))
	}
	return sum
}

// featureSums are the sums Gᵀ·C of the pass, for each part and term.
func (p *pass) featureSums() [][]blas64.General {
	all := make([][]blas64.General, len(p.gamma.parts))
	for s := range all {
		for _, f := range p.features {
			all[s] = append(all[s], cloneOf(columnsOf(p.layout.tau[s], f.first, f.cols)))
		}
	}
	return all
}
