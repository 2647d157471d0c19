package lowrank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// RFF uses random Fourier features (Rahimi & Recht 2007): with m = c/2 frequencies ω_i drawn from the spectral measure
// of the kernel,
//
//	φ(x) = (cos ω_1·x, …, cos ω_m·x, sin ω_1·x, …, sin ω_m·x)/√m
//	E φ(x)·φ(y) = k(x, y)/k(x, x)
//
// A cosine and a sine for each frequency have less variance than the same number of cosines with random phases
// (Sutherland & Schneider 2015), and give the diagonal exactly. Rows are first centred at the median of a sample, which
// affects only the rounding of the phases. The error decreases as 1/√c for any spectrum of A.
//
// For kernels of the Euclidean distance, frequencies are orthogonal in blocks of d, with the lengths of independent
// ones, which reduces the variance (Yu et al. 2016).
//
// It requires a kernel with a [kernelgen.SpectralMeasure]. Cost: one pass, kernel entries for the error estimate only,
// n·(c·d + 2·c²) flops and n·c sines; memory for c·d/2 + O(c²) numbers.
type RFF struct {
	Rank int // c, at least 2; an odd number is rounded down
	Seed uint64
}

// Fit approximates the kernel matrix of the rows of one source.
func (m RFF) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m RFF) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	measure, err := k.SpectralMeasure()
	if err != nil {
		return nil, err
	}
	t := tiles.Plain(k)
	seen, held := featureRows(n, m.Seed)
	panels, err := basis.Gather(ctx, d.Left, rowSet{Numbers: seen}, rowSet{Numbers: held})
	if err != nil {
		return nil, err
	}
	rows, rest := panels[0], heldRows{Panel: panels[1]}
	if err := basis.ChooseScale(ctx, e, t, rows.Rows, rows); err != nil {
		return nil, err
	}
	features := newFourierMap(m.frequencies(measure, rows.Rows.Cols), columnMedians(rows.Rows))
	r, err := featureFactor(ctx, e, t, d.Left, features)
	if err != nil {
		return nil, err
	}
	found, cond, err := m.finish(t, r, features, measure.Weight)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = n, n
	return finishFit(ctx, e, t, found, append(m.notes(), rankNote(found.Left.Rank(), features.columns(), RankTolerance)...), cond, rest, rest, math.NaN())
}

// finish makes the model from the triangular factor of Z = φ(X) = Q·R. With R = U'·S·Vᵀ,
// U = Z·V·S⁻¹ and the values are weight·S².
func (m RFF) finish(t *tiles.Tiles, factor blas64.General, features *fourierMap, weight float64) (*Model, float64, error) {
	s, err := newSVD("the features", factor)
	if err != nil {
		return nil, 0, err
	}
	root := math.Sqrt(weight) * math.Sqrt(t.Scale()) // each root may be in range
	var values []float64
	for _, v := range s.S[:dense.Rank(s.S, RankTolerance)] {
		if v *= root; v*v > 0 { // otherwise the kernel is 0 up to rounding
			values = append(values, v*v)
		}
	}
	r := len(values)
	side := &Embedding{Landmarks: noLandmarks(features.frequencies.Cols), features: features, Projection: s.whitener(r)}
	return &Model{Method: "rff", Kernel: t.Kernel, Seed: m.Seed, Left: side, Values: values}, condition(s, r), nil
}

func (m RFF) check() error {
	if m.Rank < 2 {
		return fmt.Errorf("rank %d must be at least 2: random Fourier features come in pairs, a cosine and a sine", m.Rank)
	}
	return nil
}

func (m RFF) notes() []string {
	if m.Rank%2 == 0 {
		return nil
	}
	return []string{fmt.Sprintf("random Fourier features come in pairs: %d of %d", m.Rank-1, m.Rank)}
}

// frequencies draws the frequencies, one in each row.
func (m RFF) frequencies(measure *kernelgen.SpectralMeasure, d int) blas64.General {
	omega := matrix.New(m.Rank/2, d)
	draws := sketch.NewRandom(m.Seed, "frequencies")
	for i := range omega.Rows {
		item := draws.At(uint64(i))
		if !measure.RotationInvariant() {
			measure.Frequency(matrix.Row(omega, i), &item)
			continue
		}
		// The length of a frequency is a scale times the norm of d normal numbers.
		length, square := measure.Scale(&item), 0.0
		for range d {
			z := item.Normal()
			square += z * z
		}
		omega.Data[i*omega.Stride] = length * math.Sqrt(square)
	}
	if measure.RotationInvariant() {
		m.orthogonalise(omega)
	}
	return omega
}

// orthogonalise replaces rows, which have their length in the first column, by rows of that length with uniform
// directions, orthogonal within each block of d.
func (m RFF) orthogonalise(omega blas64.General) {
	draws := sketch.NewRandom(m.Seed, "directions")
	for first := 0; first < omega.Rows; first += omega.Cols {
		block := matrix.Rows(omega, first, min(omega.Cols, omega.Rows-first))
		q := randomOrthonormal(block.Cols, block.Rows, draws.At(uint64(first)))
		for i := range block.Rows {
			row := matrix.Row(block, i)
			length := row[0]
			for j := range row {
				row[j] = length * q.Data[i*q.Stride+j]
			}
		}
	}
}

// randomOrthonormal returns k orthonormal rows of n numbers, uniformly distributed. They are normal rows, each
// orthogonalised twice against the earlier ones, to be orthogonal up to rounding (Giraud, Langou, Rozložník & van den
// Eshof 2005).
func randomOrthonormal(n, k int, draws sketch.Draws) blas64.General {
	q := matrix.New(k, n)
	for i := range k {
		row := matrix.Row(q, i)
		for j := range row {
			row[j] = draws.Normal()
		}
		for range 2 {
			for before := range i {
				matrix.Axpy(-dense.Dot(matrix.Row(q, before), row), matrix.Row(q, before), row)
			}
			blas64.Scal(1/dense.Norm(row), dense.Vector(row))
		}
	}
	return q
}

// fourierKind identifies the maps of RFF in a saved model.
const fourierKind = "fourier"

// fourierMap maps a row to cosines and sines of m frequencies.
type fourierMap struct {
	frequencies blas64.General // m×d
	centre      []float64
	phases      *tiles.Tiles // of the linear kernel
	packed      *tiles.Rows  // the frequencies
}

func newFourierMap(frequencies blas64.General, centre []float64) *fourierMap {
	return &fourierMap{frequencies, centre, tiles.Plain(kernelgen.Linear()), &tiles.Rows{Dense: frequencies}}
}

func (m *fourierMap) columns() int { return 2 * m.frequencies.Rows }

// foldRows is the number of rows whose phases are computed at a time, chosen so that they stay in the L1 or L2 cache.
const foldRows = 32

// applier computes phases as tiles of the linear kernel, so that the bits of a feature depend on its row alone.
func (m *fourierMap) applier() func(dst, x blas64.General) {
	var work kernelgen.Workspace
	n := m.frequencies.Rows
	rows, tile := matrix.New(foldRows, m.frequencies.Cols), matrix.New(foldRows, n)
	scale := 1 / math.Sqrt(float64(n))
	return func(dst, x blas64.General) {
		for first := 0; first < x.Rows; first += foldRows {
			part := matrix.Rows(x, first, min(foldRows, x.Rows-first))
			r, phase := matrix.Rows(rows, 0, part.Rows), matrix.Rows(tile, 0, part.Rows)
			for i := range part.Rows { // a nil centre is 0
				row := matrix.Row(r, i)
				copy(row, matrix.Row(part, i))
				for j, c := range m.centre {
					row[j] -= c
				}
			}
			m.phases.FillDense(phase, r, m.packed, &work)
			for i := range part.Rows {
				out := matrix.Row(dst, first+i)
				for j, p := range matrix.Row(phase, i) {
					sin, cos := math.Sincos(p)
					out[j], out[n+j] = scale*cos, scale*sin
				}
			}
		}
	}
}

// Plan returns the cost of a fit.
func (m RFF) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := cmp.Or(m.check(), checkSymmetric(s, k)); err != nil {
		return nil, err
	}
	if known, err := k.Resolve(noLandmarks(s.Columns)); err == nil { // otherwise it has words, which Fit resolves
		if _, err := known.SpectralMeasure(); err != nil {
			return nil, err
		}
	}
	p, c, columns := newPlanner(e, s.Rows, s.Columns), int64(m.Rank/2*2), int64(s.Columns)
	p.pass(s.Rows, c, c, c*c)
	rows := min((s.Rows+1)/2, featureSample)
	p.Add("rows of the error estimate", 4*rows*p.d+2*rows*rows, "")
	p.KernelEntries = 2 * rows * rows // the unit of the tiles, and the estimate
	p.SharedPasses = []string{"fit"}
	p.Add("feature map", (c+min(columns, c/2))*columns+int64(e.Workers())*foldRows*(columns+c/2), "`Rank`")
	return p.Plan, nil
}

// columnMedians returns the median of each column, which is robust against outliers.
func columnMedians(m blas64.General) []float64 {
	c, column := make([]float64, m.Cols), make([]float64, m.Rows)
	for j := range c {
		for i := range column {
			column[i] = m.Data[i*m.Stride+j]
		}
		slices.Sort(column)
		if len(column) > 0 {
			c[j] = column[len(column)/2]
		}
	}
	return c
}
