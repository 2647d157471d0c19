package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The grid of the landmark method. Kernels take the median distance where they have a scale.
var (
	landmarkKernels = []string{"rbf(gamma=median)", "laplace(gamma=median)", "matern52(length=median)", "poly(degree=3)",
		"linear()", "sigmoid()", "multiquadric(length=median)"}
	landmarkRanks = []int{20, 60, 150, 300}
	landmarkRows  = []int{2000, 8000}
)

// landmarks compares errors of landmark fits with those of Rayleigh–Ritz on all rows by the
// same landmarks, by dense algebra. With 8,000 rows the core is a sample of the rows at ranks
// 20, 60 and 150. A ratio above 1.1 at an error above 1e-13 is a failure.
func landmarks(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{Title: "Landmark fits beside Rayleigh–Ritz on all rows by the same landmarks", Head: []string{"rows", "data", "kernel"},
		Notes: []string{"Each cell: spectral error, and the ratio to the reference in the spectral and in the Frobenius norm."}}
	for _, rank := range landmarkRanks {
		t.Head = append(t.Head, fmt.Sprintf("rank %d", rank))
	}
	worst := newWorstCells()
	for _, n := range landmarkRows {
		for _, name := range o.data {
			x := spectra[name](n)
			for _, text := range landmarkKernels {
				if n > landmarkRows[0] && slices.Contains(landmarkKernels[1:3], text) {
					continue // as rbf
				}
				cells := []any{n, name, text}
				c, err := newLandmarkCase(x, text)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", name, text, err)
				}
				before := math.Inf(1)
				for _, rank := range landmarkRanks {
					cell, err := c.measure(ctx, lowrank.Landmark{Rank: rank, Seed: 1})
					if err != nil {
						return nil, fmt.Errorf("%s, %s, rank %d: %w", name, text, rank, err)
					}
					cells = append(cells, cell.String())
					worst.add(fmt.Sprintf("%d rows, %s, %s, rank %d: %v", n, name, text, rank, cell), cell, before)
					before = cell.spectral
				}
				t.Add(cells...)
				progress(t)
			}
		}
	}
	t.Notes = append(t.Notes, worst.notes()...)
	return t, nil
}

// A landmarkCase is a kernel matrix that is small enough to be formed.
type landmarkCase struct {
	x         blas64.General
	k         kernelgen.Kernel
	a         blas64.General
	norm, sum float64 // spectral and Frobenius
}

func newLandmarkCase(x blas64.General, text string) (*landmarkCase, error) {
	k, err := kernelgen.Parse(text)
	if err == nil {
		k, err = k.Resolve(stream.RowSlice(x, 0, min(x.Rows, 2000)))
	}
	if err != nil {
		return nil, err
	}
	c := &landmarkCase{x: x, k: k, a: stream.NewMatrix(x.Rows, x.Rows)}
	var w kernelgen.Workspace
	panel := k.Pack(x)
	for i := 0; i < x.Rows; i += 64 {
		n := min(64, x.Rows-i)
		k.Fill(stream.RowSlice(c.a, i, n), stream.RowSlice(x, i, n), panel, &w)
	}
	c.norm, c.sum = symmetricNorms(c.a)
	return c, nil
}

// landmarkCell is the error of a fit, and its ratio to the reference in two norms.
type landmarkCell struct{ spectral, reference, ratio, frobenius float64 }

func (c landmarkCell) String() string {
	return fmt.Sprintf("%.1e %.2f %.2f", c.spectral, c.ratio, c.frobenius)
}

// measure fits, and compares.
func (c *landmarkCase) measure(ctx context.Context, m lowrank.Landmark) (cell landmarkCell, err error) {
	src := stream.FromMatrix("rows", c.x)
	f, err := m.Fit(ctx, stream.Engine{}, model.Sources{Left: src}, c.k)
	if err != nil {
		return cell, err
	}
	u, row := stream.NewMatrix(c.x.Rows, len(f.Values)), 0
	if err := f.Transform(ctx, stream.Engine{}, src, model.Request{}, func(b *stream.Block, part blas64.General) error {
		for i := range part.Rows {
			copy(u.Data[row*u.Stride:], part.Data[i*part.Stride:][:part.Cols])
			row++
		}
		return nil
	}); err != nil {
		return cell, err
	}
	spectral, frobenius := c.errors(u, f.Values, f.Shift)
	refSpectral, refFrobenius := c.reference(f.Left.Rows, m.Rank)
	return landmarkCell{spectral, refSpectral, spectral / refSpectral, frobenius / refFrobenius}, nil
}

// errors returns those of U·diag(values)·Uᵀ + shift·I, relative.
func (c *landmarkCase) errors(u blas64.General, values []float64, shift float64) (spectral, frobenius float64) {
	rest, scaled := clone(c.a), clone(u)
	for i := range u.Rows {
		for j, v := range values {
			scaled.Data[i*u.Stride+j] *= v
		}
		rest.Data[i*rest.Stride+i] -= shift
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, scaled, u, 1, rest)
	spectral, frobenius = symmetricNorms(rest)
	return spectral / c.norm, frobenius / c.sum
}

// reference returns the errors of rank c by Rayleigh–Ritz in the range of K(·, J) on all rows,
// with the fitted shift.
func (c *landmarkCase) reference(j []int64, rank int) (spectral, frobenius float64) {
	q, err := c.basis(j)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	aq := stream.NewMatrix(q.Rows, q.Cols)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, c.a, q, 0, aq)
	b := stream.NewMatrix(q.Cols, q.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, q, aq, 0, b)
	left := 0.0
	for i := range c.a.Rows {
		left += c.a.Data[i*c.a.Stride+i]
	}
	for i := range b.Rows {
		left -= b.Data[i*b.Stride+i]
		for l := range i {
			mean := (b.Data[i*b.Stride+l] + b.Data[l*b.Stride+i]) / 2
			b.Data[i*b.Stride+l], b.Data[l*b.Stride+i] = mean, mean
		}
	}
	beta := max(0, left/float64(max(1, q.Rows-q.Cols)))
	values, vectors, err := symeig.Decompose(b)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(values[j]-beta), math.Abs(values[i]-beta)) })
	rank = min(rank, len(order))
	shift := beta
	for _, i := range order[rank:] {
		shift += (values[i] - beta) / float64(q.Rows-rank)
	}
	shift = max(0, shift)
	chosen, kept := stream.NewMatrix(q.Cols, rank), make([]float64, rank)
	for l, i := range order[:rank] {
		kept[l] = values[i] - shift
		for r := range q.Cols {
			chosen.Data[r*rank+l] = vectors.Data[r*vectors.Stride+i]
		}
	}
	u := stream.NewMatrix(q.Rows, rank)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, q, chosen, 0, u)
	return c.errors(u, kept, shift)
}

// basis returns an orthonormal basis of the range of K(·, J): its columns are whitened by the
// eigenvectors of K(J, J) before the factorisation, so that its condition is moderate.
func (c *landmarkCase) basis(j []int64) (blas64.General, error) {
	n, l := c.a.Rows, len(j)
	columns, w := stream.NewMatrix(n, l), stream.NewMatrix(l, l)
	for b, at := range j {
		for i := range n {
			columns.Data[i*l+b] = c.a.Data[i*c.a.Stride+int(at)]
		}
		for a := range j {
			w.Data[a*l+b] = c.a.Data[int(j[a])*c.a.Stride+int(at)]
		}
	}
	values, vectors, err := symeig.Decompose(w)
	if err != nil {
		return blas64.General{}, err
	}
	largest := max(math.Abs(values[0]), math.Abs(values[l-1]))
	var kept []int
	for i, v := range values {
		if math.Abs(v) > 1e-14*largest {
			kept = append(kept, i)
		}
	}
	whiten := stream.NewMatrix(l, len(kept))
	for to, i := range kept {
		for r := range l {
			whiten.Data[r*whiten.Stride+to] = vectors.Data[r*vectors.Stride+i] / math.Sqrt(math.Abs(values[i]))
		}
	}
	f := stream.NewMatrix(n, len(kept))
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, columns, whiten, 0, f)
	return householder.QR(f).Thin(), nil
}

// symmetricNorms returns the spectral norm, by block subspace iteration, and the Frobenius norm.
func symmetricNorms(a blas64.General) (spectral, frobenius float64) {
	for i := range a.Rows {
		for _, v := range a.Data[i*a.Stride:][:a.Cols] {
			frobenius += v * v
		}
	}
	frobenius = math.Sqrt(frobenius)
	random := rand.New(rand.NewPCG(1, 2))
	y := fill(a.Rows, 8, func(int, int) float64 { return random.NormFloat64() })
	for range 24 {
		x := householder.QR(y).Thin()
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, x, 0, y)
		var s mat.SVD
		s.Factorize(mat.NewDense(y.Rows, y.Cols, y.Data), mat.SVDNone)
		spectral = s.Values(nil)[0]
	}
	return spectral, frobenius
}

func clone(m blas64.General) blas64.General {
	c := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Data[i*c.Stride:], m.Data[i*m.Stride:][:m.Cols])
	}
	return c
}

// worstCells collects the cells that fail.
type worstCells struct {
	cells  int
	failed []string
	rising []string
	worst  float64
}

func newWorstCells() *worstCells { return &worstCells{} }

// add counts a cell, whose error at the rank before is given.
func (w *worstCells) add(name string, c landmarkCell, before float64) {
	w.cells++
	if c.spectral <= 1e-13 {
		return
	}
	if ratio := max(c.ratio, c.frobenius); !(ratio <= 1.1) {
		w.failed = append(w.failed, name)
	} else {
		w.worst = max(w.worst, ratio)
	}
	if c.spectral > 1.1*before {
		w.rising = append(w.rising, name)
	}
}

func (w *worstCells) notes() []string {
	notes := []string{fmt.Sprintf("%d cells; %d above 1.1 times the reference; of the others the worst is %.3f; the error rises with the rank in %d.",
		w.cells, len(w.failed), w.worst, len(w.rising))}
	for _, name := range w.failed {
		notes = append(notes, "Above 1.1: "+name)
	}
	for _, name := range w.rising {
		notes = append(notes, "Rises with the rank: "+name)
	}
	return notes
}
