package simd

import (
	"sync"
	"unsafe"
)

// A panel is a block of op(B) that all rows of op(A) are multiplied by: its
// columns in groups of a line of the cache. It is a copy, or B itself where that
// is as good.
type panel[T Float] struct {
	steps, cols int
	group, step int // elements between groups and between steps
	data        []T
	add         bool // to what is in C
}

// panelSteps is the largest number of rows of a panel, and panelBytes the size
// of a copied one: it should leave room in the second-level cache for the strip
// of A.
const (
	panelSteps = 256
	panelBytes = 3 << 18
)

// panelCols returns the largest number of columns of a panel.
func (g *gemm[T]) panelCols() int { return panelBytes / panelSteps / int(unsafe.Sizeof(g.alpha)) }

// panel returns the block of B of steps rows and so many columns from row k and
// column j on. In place it may have fewer steps.
func (g *gemm[T]) panel(w *workspace, k, j, steps, cols int) panel[T] {
	b := g.b.block(k, j, steps, cols)
	n := groupBytes / int(unsafe.Sizeof(g.alpha))
	if g.readsB() {
		if steps = min(steps, b.stepsInPlace(n)); steps > 0 {
			return panel[T]{steps: steps, cols: cols, group: n, step: b.row, data: b.data}
		}
	}
	p := panel[T]{steps: b.rows, cols: cols, group: n * b.rows, step: n, data: elements[T](w.panel)}
	if b.col == 1 {
		p.copyRows(b)
	} else {
		p.interleaveRows(b)
	}
	if g.negatesB() {
		scaled(p.data[:p.group*((cols+n-1)/n)], p.data, g.alpha)
	}
	return p
}

// copyRows fills the panel from rows that are contiguous.
func (p *panel[T]) copyRows(b operand[T]) {
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

// copyGroup copies one step of a group. It is worth being inlined: a call of
// copy takes longer than the line.
func copyGroup[T Float](dst, src []T) {
	type line = *[groupBytes]byte
	*line(unsafe.Pointer(unsafe.SliceData(dst))) = *line(unsafe.Pointer(unsafe.SliceData(src)))
}

// interleaveRows fills the panel from columns that are contiguous.
func (p *panel[T]) interleaveRows(b operand[T]) {
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
		interleave(group, src, b.col, p.step)
	}
}

// readsB reports whether B is multiplied where it is: when its rows are near to each
// other and at lines of the cache like those of a panel, or when too few rows of
// A would pay for the copy.
func (g *gemm[T]) readsB() bool {
	if g.b.col != 1 || g.negatesB() {
		return false
	}
	row := uintptr(g.b.row) * unsafe.Sizeof(g.alpha)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(g.b.data)))
	return g.a.rows <= stripRows || row <= 2048 && (first|row)%groupBytes == 0
}

// negatesB reports whether a factor of −1 is applied to the copy of B, which gives the
// same bits as applied to A, and is less work when A is taller than B is wide.
func (g *gemm[T]) negatesB() bool { return g.alpha == -1 && g.a.rows > g.b.cols }

// stepsInPlace returns how many rows of b, from the first on, can be read in whole
// groups without leaving the slice.
func (b operand[T]) stepsInPlace(lanes int) int {
	past := len(b.data) - (b.cols+lanes-1)/lanes*lanes
	if past < 0 {
		return 0
	}
	return past/b.row + 1
}

// interleave sets group[k·n+l] = src[l·stride+k], for n a multiple of eight. It
// goes along eight rows at a time.
func interleave[T Float](group, src []T, stride, n int) {
	steps := len(group) / n
	for l := 0; l < n; l += 8 {
		s := src[l*stride:]
		s0, s1, s2, s3 := s[:steps], s[stride:][:steps], s[2*stride:][:steps], s[3*stride:][:steps]
		s4, s5, s6, s7 := s[4*stride:][:steps], s[5*stride:][:steps], s[6*stride:][:steps], s[7*stride:][:steps]
		for k := range steps {
			d := group[k*n+l:][:8]
			d[0], d[1], d[2], d[3] = s0[k], s1[k], s2[k], s3[k]
			d[4], d[5], d[6], d[7] = s4[k], s5[k], s6[k], s7[k]
		}
	}
}

// multiply adds x·p to c, or sets c to it.
func (p *panel[T]) multiply(c, x operand[T]) {
	if active == Go {
		p.multiplyGo(c, x)
		return
	}
	var e T
	size := unsafe.Sizeof(e)
	s := sweep{single: size == 4,
		x: unsafe.Pointer(unsafe.SliceData(x.data)), xRow: uintptr(x.row) * size, xStep: uintptr(x.col) * size,
		p: unsafe.Pointer(unsafe.SliceData(p.data)), pGroup: uintptr(p.group) * size, pStep: uintptr(p.step) * size,
		dst: unsafe.Pointer(unsafe.SliceData(c.data)), dstRow: uintptr(c.row) * size,
		rows: c.rows, cols: c.cols, steps: p.steps, add: p.add}
	s.run()
}

// stripRows is how many rows of A are copied at a time.
const stripRows = 64

// stripPad keeps the rows of a strip from falling on the same sets of the cache.
const stripPad = groupBytes

// copiesA reports whether strips of A are copied before they are multiplied, to scale
// them. (Copies of a transposed A gained 5 % on wide products and lost 10 % on
// narrow ones.)
func (g *gemm[T]) copiesA() bool { return g.alpha != 1 && !g.negatesB() }

// copyStrip returns alpha·x in the workspace, with its unit stride where x has it.
func copyStrip[T Float](w *workspace, x operand[T], alpha T) operand[T] {
	s := operand[T]{rows: x.rows, cols: x.cols, data: elements[T](w.strip)}
	pad := stripPad / int(unsafe.Sizeof(alpha))
	if x.col == 1 {
		s.row, s.col = x.cols+pad, 1
		for i := range x.rows {
			scaled(s.data[i*s.row:][:x.cols], x.data[i*x.row:], alpha)
		}
		return s
	}
	s.row, s.col = 1, x.rows+pad
	for k := range x.cols {
		scaled(s.data[k*s.col:][:x.rows], x.data[k*x.col:], alpha)
	}
	return s
}

// scaled is dst = alpha·src.
func scaled[T Float](dst, src []T, alpha T) {
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

// A workspace holds what a product copies. One thread uses it at a time.
type workspace struct {
	panel, strip []float64
}

var workspaces = sync.Pool{New: func() any {
	pad := stripPad / 8
	strip := max(stripRows*(panelSteps+2*pad), panelSteps*(stripRows+2*pad))
	return &workspace{panel: aligned[float64](panelBytes / 8), strip: aligned[float64](strip)}
}}

func takeWorkspace() *workspace { return workspaces.Get().(*workspace) }

func (w *workspace) giveBack() { workspaces.Put(w) }

// elements returns the same memory as elements of another type.
func elements[T Float](s []float64) []T {
	var e T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*8/int(unsafe.Sizeof(e)))
}
