package transport

import (
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// gibbs makes tiles of the logarithm of k^(1/ε).
type gibbs struct {
	kernel  kernelgen.Kernel // of the user
	epsilon float64
	power   kernelgen.Kernel // kernel^(1/ε), if that is a kernel with a logarithm
	direct  bool             // it is
	entries atomic.Int64
}

func newGibbs(k kernelgen.Kernel, epsilon float64) (*gibbs, error) {
	if err := k.CheckPlain(); err != nil {
		return nil, err
	}
	g := &gibbs{kernel: k, epsilon: epsilon}
	power, err := k.Power(1 / epsilon)
	if g.direct = err == nil && power.HasLog(); g.direct {
		g.power = power
	}
	return g, nil
}

// pack prepares rows of the right side.
func (g *gibbs) pack(rows blas64.General) *kernelgen.Panel {
	if g.direct {
		return g.power.Pack(rows)
	}
	return g.kernel.Pack(rows)
}

// fill puts log k(x, p)/ε into dst: −Inf where the kernel is 0, NaN where it is negative.
func (g *gibbs) fill(dst, x blas64.General, p *kernelgen.Panel, w *kernelgen.Workspace) {
	g.entries.Add(int64(dst.Rows) * int64(dst.Cols))
	if g.direct {
		g.power.FillLog(dst, x, p, w)
		return
	}
	g.kernel.Fill(dst, x, p, w)
	for i := range dst.Rows {
		row := dense.Row(dst, i)
		for j, v := range row {
			row[j] = math.Log(v) / g.epsilon
		}
	}
}

// plain reports whether there are tiles of k^(1/ε) itself.
func (g *gibbs) plain() bool { return g.direct || g.epsilon == 1 }

// fillPlain puts k(x, p)^(1/ε) into dst.
func (g *gibbs) fillPlain(dst, x blas64.General, p *kernelgen.Panel, w *kernelgen.Workspace) {
	g.entries.Add(int64(dst.Rows) * int64(dst.Cols))
	if g.direct {
		g.power.Fill(dst, x, p, w)
		return
	}
	g.kernel.Fill(dst, x, p, w)
}

// badSum returns the error of a row or a column of K whose sum has no logarithm.
func (g *gibbs) badSum(name string, row int64, log float64) error {
	reason := fmt.Sprintf("the sum of kernel %s over the other side is not finite: scale the columns (`scale standard`) or drop the row", g.kernel)
	switch {
	case math.IsInf(log, -1):
		reason = fmt.Sprintf("kernel %s is 0 between this row and all rows of the other side, so that no plan reaches it: take a wider kernel, or drop the row", g.kernel)
	case log != log:
		reason = fmt.Sprintf("kernel %s is negative or not a number for this row, and transport needs a kernel that is not negative, such as rbf", g.kernel)
	}
	return &stream.BadValueError{Source: name, Row: row, Reason: reason}
}
