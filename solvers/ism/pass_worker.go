package ism

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

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
		dense.Gemm(noTrans, noTrans, 1, x, w.w, 0, xw)
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
		copy(dense.Row(dst, i)[first:], dense.Row(t, i))
	}
}

// addClasses sorts the rows by class, so that each row counts once.
func (w *worker) addClasses(s int, codes []int32, x, c, cf blas64.General) {
	for i, a := range codes {
		dense.Axpy(1, dense.Row(c, i), dense.Row(w.layout.tau[s], int(a)))
		if w.more > 0 {
			dense.Axpy(1, dense.Row(cf, i), dense.Row(w.layout.tauF[s], int(a)))
		}
	}
	if w.light {
		return
	}
	starts := w.sort(codes, w.gamma.parts[s].k)
	sx, sc := stream.RowSlice(w.sortedX, 0, x.Rows), stream.RowSlice(w.sortedC, 0, x.Rows)
	for to, from := range w.order[:x.Rows] {
		copy(dense.Row(sx, to), dense.Row(x, from))
		copy(dense.Row(sc, to), dense.Row(c, from))
	}
	for a := range len(starts) - 1 {
		if n := starts[a+1] - starts[a]; n > 0 {
			w.accumulate(s, a, stream.RowSlice(sx, starts[a], n), stream.RowSlice(sc, starts[a], n))
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
		if w.light {
			break
		}
		for i := range c.Rows {
			v, to := g.Data[i*g.Stride+a], dense.Row(sc, i)
			for j, y := range dense.Row(c, i) {
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

// addSpread adds δ_i·‖Wᵀx_i‖².
func (w *worker) addSpread(s int, part *part, xw blas64.General, i int) {
	row := mulVector(part.table, part.sums)
	if allZero(row) || xw.Cols == 0 {
		return
	}
	for a := range xw.Rows {
		z := dense.Row(xw, a)
		w.layout.spread[s] += part.rowOf(i+a, row) * dense.Dot(z, z)
	}
}

// rowOf returns g_i·v.
func (p *part) rowOf(i int, v []float64) float64 {
	if p.codes != nil {
		return v[p.codes[i]]
	}
	return dense.Dot(dense.Row(p.g, i), v)
}

func mulVector(m blas64.General, v []float64) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		out[i] = dense.Dot(dense.Row(m, i), v)
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
		own := dense.Columns(c, f.first, f.cols)
		for s, part := range w.gamma.parts {
			if f.degrees[s].Rows == 0 {
				continue
			}
			if part.codes != nil {
				for a := range degree {
					degree[a] += dense.Dot(dense.Row(own, a), dense.Row(f.degrees[s], int(part.codes[i+a])))
				}
				continue
			}
			byColumn := dense.Mul(noTrans, own, trans, f.degrees[s])
			for a := range degree {
				degree[a] += dense.Dot(dense.Row(part.g, i+a), dense.Row(byColumn, a))
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
				root, to := math.Sqrt(v*sign), dense.Row(room, n)
				for j, y := range dense.Row(x, i) {
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
