// Package processes draws the data of the examples of paper 5 (Mollenhauer et al.,
// "Singular value decomposition of operators on reproducing kernel Hilbert spaces"). A row
// depends on its number and the seed alone, or, of a path, on those before it.
package processes

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// FillSquare fills x with rows from the given number on that are drawn uniformly from
// [−2, 2]², those of Example 3.10.
func FillSquare(x blas64.General, start int64, seed uint64) {
	datasets.FillUniform(x, start, seed)
	for i := range x.Rows {
		row := x.Data[i*x.Stride:][:x.Cols]
		for j := range row {
			row[j] = 4*row[j] - 2
		}
	}
}

// FillMixture fills x and y, of one column each, with pairs from the given number on:
// normally distributed about (1, −1) or (−1, 1), each with half the probability and the
// standard deviation ρ, as in Example 3.16.
func FillMixture(x, y blas64.General, start int64, rho float64, seed uint64) {
	random := sketch.NewRandom(seed, "mixture")
	for i := range x.Rows {
		draws := random.At(uint64(start) + uint64(i))
		mean := draws.Sign()
		x.Data[i*x.Stride], y.Data[i*y.Stride] = mean+rho*draws.Normal(), -mean+rho*draws.Normal()
	}
}

// even returns point i of a sequence that fills the unit square evenly: averages over the first n
// points are off by about 1/n times logarithms, where those of drawn ones are by 1/√n. It is
// i·(1/g, 1/g²) modulo 1 for the root g of g³ = g + 1 (a Kronecker sequence).
func even(i uint64) (u, v float64) {
	const g = 1.32471795724474602596
	_, u = math.Modf(0.5 + float64(i)/g)
	_, v = math.Modf(0.5 + float64(i)/(g*g))
	return u, v
}

// EvenSquare fills x with rows that stand for those of FillSquare, spread evenly.
func EvenSquare(x blas64.General, start int64) {
	for i := range x.Rows {
		u, v := even(uint64(start) + uint64(i))
		x.Data[i*x.Stride], x.Data[i*x.Stride+1] = 4*u-2, 4*v-2
	}
}

// EvenMixture fills x and y with pairs that stand for those of FillMixture, spread evenly: every
// other is about (1, −1).
func EvenMixture(x, y blas64.General, start int64, rho float64) {
	for i := range x.Rows {
		number := uint64(start) + uint64(i)
		u, v := even(number / 2)
		mean := 1 - 2*float64(number%2)
		x.Data[i*x.Stride], y.Data[i*y.Stride] = mean+rho*quantile(u), -mean+rho*quantile(v)
	}
}

// quantile returns that of the standard normal distribution, of a probability that is neither 0
// nor 1 but for rounding.
func quantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(min(max(2*p-1, -1+0x1p-52), 1-0x1p-52))
}

// Path is a path of the Ornstein–Uhlenbeck process dX = −X dt + √2 dW in equilibrium, in
// steps of Tau. The Koopman operator of a step has the eigenvalues e^(−k·Tau).
type Path struct {
	Tau  float64
	Seed uint64
	row  uint64 // the next
	last float64
}

// Fill fills x, of one column, with the next rows.
func (p *Path) Fill(x blas64.General) {
	random := sketch.NewRandom(p.Seed, "Ornstein–Uhlenbeck")
	decay := math.Exp(-p.Tau)
	for i := range x.Rows {
		draws := random.At(p.row)
		v := draws.Normal()
		if p.row > 0 {
			v = decay*p.last + math.Sqrt(1-decay*decay)*v
		}
		x.Data[i*x.Stride], p.last = v, v
		p.row++
	}
}

// The double gyre of Example 4.2.
const (
	gyreA, gyreDelta, gyreOmega = 0.25, 0.25, 2 * math.Pi
	gyreTau                     = 10.0
	GyreSteps                   = 4000 // of RK4; half of them change no point of a coarse grid by 1e-7
	GyreColumns, GyreRows       = 120, 60
)

// velocity returns the vector field at time t.
func velocity(x, y, t float64) (dx, dy float64) {
	s := gyreDelta * math.Sin(gyreOmega*t)
	f := s*x*x + (1-2*s)*x
	return -math.Pi * gyreA * math.Sin(math.Pi*f) * math.Cos(math.Pi*y),
		math.Pi * gyreA * math.Cos(math.Pi*f) * math.Sin(math.Pi*y) * (2*s*x + 1 - 2*s)
}

// GyreFlow carries a point from time 0 to τ in so many steps of the classical Runge–Kutta
// method.
func GyreFlow(x, y float64, steps int) (float64, float64) {
	h := gyreTau / float64(steps)
	for i := range steps {
		t := float64(i) * h
		ax, ay := velocity(x, y, t)
		bx, by := velocity(x+h/2*ax, y+h/2*ay, t+h/2)
		cx, cy := velocity(x+h/2*bx, y+h/2*by, t+h/2)
		dx, dy := velocity(x+h*cx, y+h*cy, t+h)
		x += h / 6 * (ax + 2*bx + 2*cx + dx)
		y += h / 6 * (ay + 2*by + 2*cy + dy)
	}
	return x, y
}

// Gyre returns the midpoints of boxes that divide [0, 2]×[0, 1], column by column, and
// where the flow carries them.
func Gyre(columns, rows, steps int) (x, y blas64.General) {
	x, y = stream.NewMatrix(columns*rows, 2), stream.NewMatrix(columns*rows, 2)
	for i := range columns * rows {
		a, b := 2*(float64(i/rows)+0.5)/float64(columns), (float64(i%rows)+0.5)/float64(rows)
		x.Data[2*i], x.Data[2*i+1] = a, b
		y.Data[2*i], y.Data[2*i+1] = GyreFlow(a, b, steps)
	}
	return x, y
}
