package ism

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream/tilesize"
)

// worker is the workspace of one worker.
type worker struct {
	*pass
	layout    *layout
	x, xw, c  blas64.General
	weightedX blas64.General
	weightedC blas64.General
	degree    []float64
	kernelgen.Workspace
}

// newWorker returns a workspace for panels of rows.
func (p *pass) newWorker() *worker {
	n, d := tilesize.PanelRows, p.linear.data.d
	return &worker{pass: p, x: matrix.New(n, d), xw: matrix.New(n, p.w.Cols), c: matrix.New(n, p.cols+p.valueCols),
		weightedX: matrix.New(n, d), weightedC: matrix.New(n, p.cols), degree: make([]float64, n)}
}

// add adds a panel of rows. i is the number of the first one.
func (w *worker) add(rows blas64.General, i int) {
	n := rows.Rows
	x, xw, c := matrix.Rows(w.x, 0, n), matrix.Rows(w.xw, 0, n), matrix.Rows(w.c, 0, n)
	w.linear.data.take(x, rows)
	if w.w.Rows > 0 {
		dense.Gemm(noTrans, noTrans, 1, x, w.w, 0, xw)
	}
	for _, f := range w.features {
		w.fill(matrix.Columns(c, f.first, f.cols), f, xw)
	}
	for _, f := range w.values {
		w.fill(matrix.Columns(c, w.cols+f.first, f.cols), f, xw)
	}
	for s, part := range w.gamma.parts {
		part.addSums(w.layout.tau[s], c, i)
		if !w.light {
			w.addMoments(s, part, x, matrix.Columns(c, 0, w.cols), i)
		}
	}
	if w.layout.degrees.Rows > 0 {
		w.addDegrees(x, c, i)
	}
}

// fill computes the columns of a feature.
func (w *worker) fill(dst blas64.General, f *feature, xw blas64.General) {
	if f.landmarks == nil {
		for i := range dst.Rows {
			matrix.Row(dst, i)[0] = 1
		}
		return
	}
	f.landmarks.tiles.FillDense(dst, xw, f.landmarks.rows, &w.Workspace)
}

// addMoments adds B_a for each column of the factors of a part.
func (w *worker) addMoments(s int, part *part, x, c blas64.General, i int) {
	for a := range part.k {
		wx, wc := x, matrix.Rows(w.weightedC, 0, x.Rows)
		if part.codes != nil {
			wx, wc = w.rowsOf(part.codes[i:i+x.Rows], int32(a), x, c)
		} else {
			for b := range c.Rows {
				g, to := part.g.Data[(i+b)*part.g.Stride+a], matrix.Row(wc, b)
				for j, v := range matrix.Row(c, b) {
					to[j] = g * v
				}
			}
		}
		if wx.Rows > 0 {
			blas64.Gemm(trans, noTrans, 1, wx, wc, 1, matrix.Rows(w.layout.moments[s], a*x.Cols, x.Cols))
		}
	}
}

// rowsOf returns the rows of one class.
func (w *worker) rowsOf(codes []int32, class int32, x, c blas64.General) (wx, wc blas64.General) {
	n := 0
	for b, code := range codes {
		if code == class {
			copy(matrix.Row(w.weightedX, n), matrix.Row(x, b))
			copy(matrix.Row(w.weightedC, n), matrix.Row(c, b))
			n++
		}
	}
	return matrix.Rows(w.weightedX, 0, n), matrix.Rows(w.weightedC, 0, n)
}

// addDegrees adds Σ_i D_i·x_i·x_iᵀ.
func (w *worker) addDegrees(x, c blas64.General, i int) {
	degree := w.degree[:x.Rows]
	clear(degree)
	for _, f := range w.features {
		own := matrix.Columns(c, f.first, f.cols)
		for s, part := range w.gamma.parts {
			if f.degrees[s].Rows == 0 {
				continue
			}
			if part.codes != nil {
				for a := range degree {
					degree[a] += dense.Dot(matrix.Row(own, a), matrix.Row(f.degrees[s], int(part.codes[i+a])))
				}
				continue
			}
			byColumn := dense.Mul(noTrans, own, trans, f.degrees[s])
			for a := range degree {
				degree[a] += dense.Dot(matrix.Row(part.g, i+a), matrix.Row(byColumn, a))
			}
		}
	}
	addWeighted(w.layout.degrees, x, degree, w.weightedX)
}

// addWeighted adds Σ_i weight_i·x_i·x_iᵀ to the upper half of dst, by two symmetric products: of the rows with positive
// weights, and of those with negative ones. room has at least as many rows as x.
func addWeighted(dst, x blas64.General, weight []float64, room blas64.General) {
	sym := blas64.Symmetric{Uplo: blas.Upper, N: dst.Rows, Stride: dst.Stride, Data: dst.Data}
	for _, sign := range [...]float64{1, -1} {
		n := 0
		for i, v := range weight {
			if v*sign > 0 {
				root, to := math.Sqrt(v*sign), matrix.Row(room, n)
				for j, y := range matrix.Row(x, i) {
					to[j] = root * y
				}
				n++
			}
		}
		if n > 0 {
			blas64.Syrk(trans, sign, matrix.Rows(room, 0, n), 1, sym)
		}
	}
}
