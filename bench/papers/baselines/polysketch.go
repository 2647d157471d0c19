package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// PolySketch is TensorSketch features (Pham & Pagh 2013) for poly and linear
// kernels: with x̂ = (√gamma·x, √coef0) and p the degree, φ(x) is a TensorSketch
// of x̂ with c columns, and E φ(x)·φ(y) = (gamma·x·y + coef0)^p.
//
// For exponentials it is a weighted sum of TensorSketches, as in Han, Avron & Shin
// (2020), "Polynomial tensor sketch for element-wise function of low-rank matrix":
//
//	exp(x̂·ŷ) = Σ_j (x̂·ŷ)^j/j!       φ = (w_0, w_1·φ_1, w_2·φ_2, …)
//
// with φ_j a TensorSketch of degree j and w_j² = 1/j!, or fitted. rbf is
// exp(−‖x̂‖²/2)·exp(x̂·ŷ)·exp(−‖ŷ‖²/2), of rows centred at the median of some of
// them. The columns are shared out to degrees in proportion to what they hold of
// the trace of A, estimated from some rows; degree 1 is exact if it gets as many
// columns as rows have. This is good where ‖x̂‖ is about 1, and poor where it is
// above 3: a TensorSketch of degree j has a variance that grows as 3^j.
//
// Cost: one pass, no kernel entries but those of the weights and of the error
// estimate, Σ j·(d + O(c_j·log c_j)) flops a row over the degrees j with their c_j
// columns, and 2·n·c².
type PolySketch struct {
	Rank    int // c
	Weights WeightRule
	Seed    uint64
}

// WeightRule says what the weights of the degrees of an exponential are.
type WeightRule uint8

const (
	// WeightsFitted are fitted to kernel entries between some rows by least
	// squares, none negative: degrees whose sketches are mostly noise count less.
	WeightsFitted WeightRule = iota
	// WeightsTaylor are those of the Taylor series; then Z·Zᵀ is unbiased but for
	// the degrees left out.
	WeightsTaylor
)

// mostDegree is the largest degree of a TensorSketch: beyond it nothing is left
// but noise.
const mostDegree = 30

// Fit approximates the kernel matrix of the rows of one source.
func (m PolySketch) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error) {
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.check(k); err != nil {
		return nil, err
	}
	return m.features().Fit(ctx, e, d, k)
}

func (m PolySketch) features() lowrank.Features {
	return lowrank.Features{Name: "polysketch", Rank: m.Rank, Seed: m.Seed, Draw: m.draw}
}

// check returns an error if the method is not for a kernel, which says for which it is.
func (m PolySketch) check(k kernelgen.Kernel) error {
	if m.Rank < 1 {
		return fmt.Errorf("rank %d must be at least 1", m.Rank)
	}
	if !k.Resolved() {
		return nil
	}
	p, polynomial := k.Polynomial()
	_, exponential := k.ProductExponential()
	switch {
	case polynomial && p.Degree > mostDegree:
		return fmt.Errorf("kernel %s: TensorSketch features of a degree above %d are noise; use method nystrom or landmark", k, mostDegree)
	case polynomial && p.Coef0 < 0:
		return fmt.Errorf("kernel %s with a negative coef0 is not positive semi-definite and has no features; use method ssrsvd", k)
	case !polynomial && !exponential:
		return fmt.Errorf("kernel %s has no TensorSketch features: they are for poly, linear, expdot and rbf, and for a multiple of one of them, not for sums and products", k)
	}
	return nil
}

// draw makes the map for a kernel that check has let through.
func (m PolySketch) draw(k kernelgen.Kernel, sample blas64.General, n int64) (*lowrank.DrawnFeatures, error) {
	if p, ok := k.Polynomial(); ok {
		return m.polynomial(p, sample.Cols)
	}
	p, _ := k.ProductExponential()
	return m.exponential(p, k, sample, n)
}

// polynomial returns one TensorSketch.
func (m PolySketch) polynomial(p kernelgen.Polynomial, d int) (*lowrank.DrawnFeatures, error) {
	t := &tensorMap{dimension: d, scale: math.Sqrt(p.Gamma), constant: math.Sqrt(p.Coef0), seed: m.Seed,
		degrees: []degree{{power: p.Degree, columns: m.Rank, weight: 1}}}
	if p.Degree == 1 && m.Rank >= t.width() {
		t.degrees[0] = degree{power: 1, columns: t.width(), weight: 1, exact: true}
	}
	return &lowrank.DrawnFeatures{FeatureMap: t, Weight: p.Weight}, t.draw()
}

// exponential shares out the columns to degrees, and weighs these.
func (m PolySketch) exponential(p kernelgen.ProductExponential, k kernelgen.Kernel, sample blas64.General, n int64) (*lowrank.DrawnFeatures, error) {
	f := &tensorMap{dimension: sample.Cols, scale: math.Sqrt(p.Scale), damped: p.Damped, seed: m.Seed}
	if p.Damped {
		f.centre = medians(sample)
	}
	held := degreeTrace(f.squares(sample), p.Damped)
	f.degrees = shareColumns(m.Rank, f.dimension, held)
	out := &lowrank.DrawnFeatures{FeatureMap: f, Weight: p.Weight, Notes: degreeNote(f.degrees, held)}
	if err := f.draw(); err != nil || m.Weights == WeightsTaylor {
		return out, err
	}
	f.fitWeights(p.Weight, k, sample, n)
	out.KernelEntries = int64(sample.Rows) * int64(sample.Rows)
	return out, nil
}

// medians returns the median of each column: outliers do not move it.
func medians(x blas64.General) []float64 {
	c, column := make([]float64, x.Cols), make([]float64, x.Rows)
	for j := range c {
		for i := range column {
			column[i] = x.Data[i*x.Stride+j]
		}
		slices.Sort(column)
		c[j] = column[len(column)/2]
	}
	return c
}

// degreeTrace estimates what degrees 0, 1, … hold of the trace of A, which is 1
// with all of them: the mean over rows of ‖x̂‖^2j/j!, damped or not, divided by
// that of k(x, x). squares are the ‖x̂‖².
func degreeTrace(squares []float64, damped bool) []float64 {
	held, total := make([]float64, mostDegree+1), 0.0
	largest := 0.0 // exp(‖x̂‖²) is out of range where the quotients are not
	for _, s := range squares {
		largest = max(largest, s)
	}
	for _, s := range squares {
		whole := s // the logarithm of k(x, x), above all its terms
		if damped {
			whole, largest = 0, 0
		}
		total += math.Exp(whole - largest)
		for j := range held {
			factorial, _ := math.Lgamma(float64(j + 1))
			power := 0.0 // the logarithm of ‖x̂‖^2j
			if j > 0 {
				power = float64(j) * math.Log(s)
			}
			held[j] += math.Exp(power - factorial + (whole - s) - largest)
		}
	}
	for j := range held {
		held[j] /= total
	}
	return held
}

// shareColumns gives degree 0 one of c columns and the others what they hold of
// the trace. Degrees that would get none are left out, and what rounding leaves
// goes to the degrees that hold most.
func shareColumns(c, d int, held []float64) []degree {
	columns := make([]int, len(held))
	columns[0] = 1
	left := c - 1
	exact := false
	if share := held[1] / sumOf(held[1:]); share*float64(left) >= float64(d) {
		exact = true
		columns[1], left = d, left-d
	}
	first := 1
	if exact {
		first = 2
	}
	shareOut(columns[first:], left, held[first:])
	var degrees []degree
	weight := 1.0 // √(1/j!)
	for j, n := range columns {
		if j > 0 {
			weight /= math.Sqrt(float64(j))
		}
		if n > 0 {
			degrees = append(degrees, degree{power: j, columns: n, weight: weight, exact: j == 0 || j == 1 && exact})
		}
	}
	return degrees
}

// shareOut adds up to n columns to degrees, in proportion to what they hold.
func shareOut(columns []int, n int, held []float64) {
	total := sumOf(held)
	if !(total > 0) {
		return
	}
	left := n
	for j, h := range held {
		columns[j] = int(h / total * float64(n))
		left -= columns[j]
	}
	for ; left > 0; left-- {
		best := 0 // the degree with the most to hold for a column
		for j, h := range held {
			if h/float64(1+columns[j]) > held[best]/float64(1+columns[best]) {
				best = j
			}
		}
		columns[best]++
	}
}

func sumOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

// degreeNote tells of degrees that hold less than half of the trace.
func degreeNote(degrees []degree, held []float64) []string {
	sum, last := 0.0, 0
	for _, d := range degrees {
		sum += held[d.power]
		last = d.power
	}
	if sum >= 0.5 {
		return nil
	}
	return []string{fmt.Sprintf("the features are of degrees up to %d, which hold %.2g of the trace of A: the rows are long for the kernel; use nystrom or landmark", last, sum)}
}

// Plan returns the cost of a fit, for an exponential with all degrees; a polynomial
// costs less.
func (m PolySketch) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(k); err != nil {
		return nil, err
	}
	p, err := m.features().Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	c, columns := int64(m.Rank), int64(s.Columns)
	degrees := min(mostDegree, c)
	hashes := degrees * (degrees + 1) / 2
	rows := min((s.Rows+1)/2, 512)
	p.Add("feature map", 3*hashes*(columns+1)+int64(e.Workers())*(8*c+degrees*32+2*columns)+rows*(c+rows), "`rank`")
	flops := float64(hashes)*2*float64(columns) + float64(degrees)*10*float64(c)
	p.Work(float64(rows)*float64(rows), float64(s.Rows)*flops)
	return p, nil
}
