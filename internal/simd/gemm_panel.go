package simd

import (
	"sync"
	"unsafe"
)

// A panel is a block of op(B) by which all rows of op(A) are multiplied, in groups of columns that
// fill a cache line. It is a copy, or B itself if that is as fast.
type panel struct {
	steps, cols int
	group, step int // elements between groups and between steps
	data        []float64
	add         bool // add to C instead of overwriting it
}

// panelSteps and panelCols are the maximal numbers of rows and columns of a panel. A copied panel
// should leave room in the second-level cache for the strip of A.
const (
	panelSteps = 256
	panelCols  = 384
)

// panel returns the block of B at row k and column j with the given size. A panel in place may have
// fewer steps.
func (g *gemm) panel(w *workspace, k, j, steps, cols int) panel {
	b := g.b.block(k, j, steps, cols)
	if g.readsB() {
		if steps = min(steps, b.stepsInPlace()); steps > 0 {
			return panel{steps: steps, cols: cols, group: Lanes, step: b.row, data: b.data}
		}
	}
	p := panel{steps: b.rows, cols: cols, group: Lanes * b.rows, step: Lanes, data: w.panel}
	if b.col == 1 {
		p.copyRows(b)
	} else {
		p.interleaveRows(b)
	}
	if g.negatesB() {
		scaleInto(p.data[:p.group*((cols+Lanes-1)/Lanes)], p.data, g.alpha)
	}
	return p
}

// copyRows fills the panel from contiguous rows.
func (p *panel) copyRows(b operand) {
	whole := b.cols / p.step
	for k := range b.rows {
		src, at := b.data[k*b.row:][:b.cols], k*p.step
		for range whole {
			copyGroup(p.data[at:], src)
			src, at = src[p.step:], at+p.group
		}
		if len(src) > 0 {
			last := p.data[at:][:p.step]
			clear(last[copy(last, src):])
		}
	}
}

// copyGroup copies one step of a group. It is inlined: a call of copy takes longer than copying the
// line.
func copyGroup(dst, src []float64) {
	type line = *[groupBytes]byte
	*line(unsafe.Pointer(unsafe.SliceData(dst))) = *line(unsafe.Pointer(unsafe.SliceData(src)))
}

// interleaveRows fills the panel from contiguous columns.
func (p *panel) interleaveRows(b operand) {
	for j := 0; j < b.cols; j += p.step {
		group, src := p.data[j/p.step*p.group:][:p.group], b.data[j*b.col:]
		if lanes := b.cols - j; lanes < p.step {
			clear(group)
			for l := range lanes {
				for k, v := range src[l*b.col:][:b.rows] {
					group[k*p.step+l] = v
				}
			}
			continue
		}
		interleave(group, src, b.col)
	}
}

// readsB reports whether B is read in place: if its rows are close together and aligned to cache
// lines like a panel, or if A has too few rows to pay for the copy.
func (g *gemm) readsB() bool {
	if g.b.col != 1 || g.negatesB() {
		return false
	}
	row := 8 * uintptr(g.b.row)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(g.b.data)))
	return g.a.rows <= stripRows || row <= 2048 && (first|row)%groupBytes == 0
}

// negatesB reports whether a factor of −1 is applied to the copy of B instead of A. The bits are
// the same, and it is less work if A is taller than B is wide.
func (g *gemm) negatesB() bool { return g.alpha == -1 && g.a.rows > g.b.cols }

// stepsInPlace returns the number of leading rows of b that can be read in whole groups without
// leaving the slice.
func (b operand) stepsInPlace() int {
	past := len(b.data) - (b.cols+Lanes-1)/Lanes*Lanes
	if past < 0 {
		return 0
	}
	return past/b.row + 1
}

// interleave sets group[8·k+l] = s[l·stride+k] for l from 0 to 7.
func interleave(group, s []float64, stride int) {
	steps := len(group) / Lanes
	s0, s1, s2, s3 := s[:steps], s[stride:][:steps], s[2*stride:][:steps], s[3*stride:][:steps]
	s4, s5, s6, s7 := s[4*stride:][:steps], s[5*stride:][:steps], s[6*stride:][:steps], s[7*stride:][:steps]
	for k := range steps {
		d := group[k*Lanes:][:Lanes]
		d[0], d[1], d[2], d[3] = s0[k], s1[k], s2[k], s3[k]
		d[4], d[5], d[6], d[7] = s4[k], s5[k], s6[k], s7[k]
	}
}

// multiply adds x·p to c, or sets c to x·p.
func (p *panel) multiply(c, x operand) {
	if active == Go {
		p.multiplyGo(c, x)
		return
	}
	s := sweep{
		x: unsafe.Pointer(unsafe.SliceData(x.data)), xRow: 8 * uintptr(x.row), xStep: 8 * uintptr(x.col),
		p: unsafe.Pointer(unsafe.SliceData(p.data)), pGroup: 8 * uintptr(p.group), pStep: 8 * uintptr(p.step),
		dst: unsafe.Pointer(unsafe.SliceData(c.data)), dstRow: 8 * uintptr(c.row),
		rows: c.rows, cols: c.cols, steps: p.steps, add: p.add}
	s.run()
}

// stripRows is the number of rows of A copied at a time.
const stripRows = 64

// stripPad, in elements, keeps the rows of a strip from mapping to the same cache sets.
const stripPad = Lanes

// copiesA reports whether strips of A are scaled into a copy before they are multiplied. (Copies of
// a transposed A gained 5 % on wide products and lost 10 % on narrow ones.)
func (g *gemm) copiesA() bool { return g.alpha != 1 && !g.negatesB() }

// copyStrip returns alpha·x in the workspace. A unit stride of x stays one.
func copyStrip(w *workspace, x operand, alpha float64) operand {
	s := operand{rows: x.rows, cols: x.cols, data: w.strip}
	if x.col == 1 {
		s.row, s.col = x.cols+stripPad, 1
		for i := range x.rows {
			scaleInto(s.data[i*s.row:][:x.cols], x.data[i*x.row:], alpha)
		}
		return s
	}
	s.row, s.col = 1, x.rows+stripPad
	for k := range x.cols {
		scaleInto(s.data[k*s.col:][:x.rows], x.data[k*x.col:], alpha)
	}
	return s
}

// scaleInto sets dst = alpha·src.
func scaleInto(dst, src []float64, alpha float64) {
	src = src[:len(dst)]
	switch alpha {
	case 1:
		copy(dst, src)
	case -1:
		for i, v := range src {
			dst[i] = -v
		}
	default:
		for i, v := range src {
			dst[i] = alpha * v
		}
	}
}

// A workspace holds the copies of one product. One thread uses it at a time.
type workspace struct {
	panel, strip []float64
}

var workspaces = sync.Pool{New: func() any {
	strip := max(stripRows*(panelSteps+stripPad), panelSteps*(stripRows+stripPad))
	return &workspace{panel: aligned(panelSteps * panelCols), strip: aligned(strip)}
}}

func takeWorkspace() *workspace { return workspaces.Get().(*workspace) }

func (w *workspace) giveBack() { workspaces.Put(w) }
