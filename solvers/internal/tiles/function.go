package tiles

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
)

// function maps raw entries between dense rows.
type function struct {
	epsilon  float64          // if positive, entries become log(entry)/epsilon
	curve    *kernelgen.Curve // of the base; nil for none
	anchored bool
}

// Logs returns the tiles of log k(x, z)/ε between dense rows: −Inf if the kernel is 0, NaN if it is negative. It also
// returns those of k^(1/ε), or nil if package kernelgen has no such kernel. Both may share [Rows]. It fails if the
// kernel is normalised or has words.
func Logs(k kernelgen.Kernel, epsilon float64) (logs, power *Tiles, err error) {
	if err := k.CheckPlain(); err != nil {
		return nil, nil, err
	}
	logs = Plain(k)
	if p, err := k.Power(1 / epsilon); err == nil && p.HasLog() {
		logs.raw, logs.logarithm = p, true
		return logs, Plain(p), nil
	}
	logs.post.epsilon = epsilon
	if epsilon == 1 {
		power = Plain(k)
	}
	return logs, power, nil
}

// ForCurve returns the tiles of a function f of one base. Anchored tiles are those of f(‖x‖²) + f(‖z‖²) − f(base) −
// f(0), which are positive semi-definite if −f is conditionally so (Schölkopf 2001, "The kernel trick for distances",
// Proposition 1).
func ForCurve(base kernelgen.Base, f kernelgen.Curve, anchored bool) *Tiles {
	t := Plain(base.Kernel())
	t.post.curve, t.post.anchored = &f, anchored
	return t
}

// apply turns raw entries between left and right rows into values of the function.
func (f *function) apply(dst, left blas64.General, right *Rows, w *kernelgen.Workspace) {
	if f.epsilon > 0 {
		for i := range dst.Rows {
			row := matrix.Row(dst, i)
			for j, v := range row {
				row[j] = math.Log(v) / f.epsilon
			}
		}
	}
	if f.curve == nil {
		return
	}
	if dst.Stride == dst.Cols {
		f.curve.Apply(dst.Data[:dst.Rows*dst.Cols], w)
	} else {
		for i := range dst.Rows {
			f.curve.Apply(matrix.Row(dst, i), w)
		}
	}
	if !f.anchored {
		return
	}
	right.anchorOnce.Do(func() { right.anchors = f.anchors(right.Dense) })
	zero := f.curve.At(0)
	for i, own := range f.anchors(left) {
		row := matrix.Row(dst, i)
		for j, v := range row {
			row[j] = own + right.anchors[j] - v - zero
		}
	}
}

// applyDiagonal turns raw entries between each row and itself into values of the function.
func (f *function) applyDiagonal(dst []float64, x blas64.General) {
	switch {
	case f.anchored:
		zero := f.curve.At(0)
		for i, v := range f.anchors(x) {
			dst[i] = 2 * (v - zero)
		}
	case f.curve != nil:
		f.curve.Apply(dst, nil)
	}
}

// anchors returns f(‖x_i‖²).
func (f *function) anchors(x blas64.General) []float64 {
	values := make([]float64, x.Rows)
	for i := range values {
		values[i] = dense.Dot(matrix.Row(x, i), matrix.Row(x, i))
	}
	f.curve.Apply(values, nil)
	return values
}
