package transport

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Independent references with dense matrices, entry by entry.

// reference is a dense solution in the log domain.
type reference struct {
	logK, turned blas64.General
	plan         blas64.General
	f, g         []float64
	history      []float64
}

// solveDense runs rounds with dense log K.
func solveDense(logK blas64.General, a, b []float64, epsilon, relax float64, rounds int) *reference {
	r := &reference{logK: logK, turned: matrix.Transpose(logK), f: make([]float64, len(a)), g: make([]float64, len(b))}
	exponent := 1.0
	if relax > 0 {
		exponent = relax / (relax + epsilon)
	}
	for j, w := range b {
		r.g[j] = math.Log(w)
	}
	for range rounds {
		for i, w := range a {
			r.f[i] = math.Log(w) - exponent*logSumOf(r.logK, i, r.g)
		}
		for j, w := range b {
			r.g[j] = math.Log(w) - exponent*logSumOf(r.turned, j, r.f)
		}
		r.history = append(r.history, r.change(a, exponent))
	}
	r.plan = matrix.New(len(a), len(b))
	for i := range a {
		for j := range b {
			r.plan.Data[i*len(b)+j] = math.Exp(r.f[i] + r.at(i, j) + r.g[j])
		}
	}
	return r
}

func (r *reference) at(i, j int) float64 { return r.logK.Data[i*r.logK.Stride+j] }

// change returns the relative change of the row masses, Σ|after − before|/Σ after, by another step for u.
func (r *reference) change(a []float64, exponent float64) float64 {
	change, mass := 0.0, 0.0
	for i, w := range a {
		if w == 0 {
			continue
		}
		log := logSumOf(r.logK, i, r.g)
		after := math.Exp(math.Log(w) - exponent*log + log)
		change += math.Abs(math.Exp(r.f[i]+log) - after)
		mass += after
	}
	return change / mass
}

// logSumOf returns log Σ_j exp(m_ij + g_j).
func logSumOf(m blas64.General, i int, g []float64) float64 {
	most, sum := math.Inf(-1), 0.0
	row := m.Data[i*m.Stride:]
	for j, v := range g {
		most = math.Max(most, row[j]+v)
	}
	if math.IsInf(most, -1) {
		return most
	}
	for j, v := range g {
		sum += math.Exp(row[j] + v - most)
	}
	return most + math.Log(sum)
}

// cost returns ⟨T, C⟩.
func (r *reference) cost(epsilon float64) (sum float64) {
	for i := range r.f {
		for j := range r.g {
			if p := r.plan.Data[i*len(r.g)+j]; p > 0 {
				sum -= epsilon * p * r.at(i, j)
			}
		}
	}
	return sum
}

// value returns the value of the primal problem.
func (r *reference) value(a, b []float64, epsilon, relax float64) float64 {
	value := r.cost(epsilon) + epsilon
	rows, cols := make([]float64, len(a)), make([]float64, len(b))
	for i, x := range a {
		for j, y := range b {
			p := r.plan.Data[i*len(b)+j]
			rows[i] += p
			cols[j] += p
			if p > 0 {
				value += epsilon * p * math.Log(p/(x*y))
			}
			value -= epsilon * p
		}
	}
	if relax > 0 {
		value += relax * (divergenceOf(rows, a) + divergenceOf(cols, b))
	}
	return value
}

// dual returns the value of the dual problem.
func (r *reference) dual(a, b []float64, epsilon, relax float64) float64 {
	value := epsilon
	for i := range a {
		for j := range b {
			value -= epsilon * r.plan.Data[i*len(b)+j]
		}
	}
	for _, side := range []struct{ scaling, mass []float64 }{{r.f, a}, {r.g, b}} {
		for i, w := range side.mass {
			if w == 0 {
				continue
			}
			potential := epsilon * (side.scaling[i] - math.Log(w))
			if relax > 0 {
				potential = relax * (1 - math.Exp(-potential/relax))
			}
			value += w * potential
		}
	}
	return value
}

// divergenceOf returns KL(p ‖ q).
func divergenceOf(p, q []float64) (sum float64) {
	for i, x := range p {
		sum += q[i] - x
		if x > 0 {
			sum += x * math.Log(x/q[i])
		}
	}
	return sum
}

// images returns Σ_j T_ij·y_j/Σ_j T_ij for each row i, including rows of mass 0.
func (r *reference) images(y blas64.General) blas64.General {
	out := matrix.New(len(r.f), y.Cols)
	for i := range r.f {
		total := logSumOf(r.logK, i, r.g)
		for j := range r.g {
			p := math.Exp(r.at(i, j) + r.g[j] - total)
			for k := range y.Cols {
				out.Data[i*out.Stride+k] += p * y.Data[j*y.Stride+k]
			}
		}
	}
	return out
}

// transposed returns the solution with exchanged sides.
func (r *reference) transposed() *reference {
	return &reference{logK: r.turned, turned: r.logK, f: r.g, g: r.f}
}

// logRBF returns −gamma·‖x_i−y_j‖²/epsilon.
func logRBF(gamma, epsilon float64, x, y blas64.General) blas64.General {
	out := matrix.New(x.Rows, y.Rows)
	for i := range x.Rows {
		for j := range y.Rows {
			sum := 0.0
			for k := range x.Cols {
				d := x.Data[i*x.Stride+k] - y.Data[j*y.Stride+k]
				sum += d * d
			}
			out.Data[i*out.Stride+j] = -gamma * sum / epsilon
		}
	}
	return out
}

// uniform returns equal masses.
func uniform(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

// colours returns rows of three numbers in [0, 1], in clusters that depend on the seed.
func colours(n int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 5))
	var centres [6][3]float64
	for i := range centres {
		for k := range 3 {
			centres[i][k] = 0.1 + 0.8*r.Float64()
		}
	}
	m := matrix.New(n, 3)
	for i := range n {
		c := centres[r.IntN(len(centres))]
		for k := range 3 {
			m.Data[i*3+k] = math.Min(1, math.Max(0, c[k]+0.12*r.NormFloat64()))
		}
	}
	return m
}

// dataOf returns data with equal masses.
func dataOf(x, y blas64.General) *Data {
	return &Data{Sources: model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", y)}}
}

// farthest returns the largest difference between entries.
func farthest(a, b blas64.General) float64 {
	most := 0.0
	for i := range a.Rows {
		for j := range a.Cols {
			d := math.Abs(a.Data[i*a.Stride+j] - b.Data[i*b.Stride+j])
			if !(d <= most) {
				most = d
			}
		}
	}
	return most
}

// near compares two numbers to an absolute tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.17g, not %.17g: %.1e off", what, got, want, math.Abs(got-want))
	}
}

var gamma10 = kernelgen.RBF(10)
