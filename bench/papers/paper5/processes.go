package paper5

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// even returns point i of a Kronecker sequence in the unit square, i·(1/g, 1/g²) modulo 1 for the root g of g³ = g + 1.
// Averages over n such points have errors of about 1/n times logarithms, instead of 1/√n for random points.
func even(i int) (u, v float64) {
	const g = 1.32471795724474602596
	_, u = math.Modf(0.5 + float64(i)/g)
	_, v = math.Modf(0.5 + float64(i)/(g*g))
	return u, v
}

// evenSquare returns n rows evenly distributed over [−2, 2]², as in Example 3.10.
func evenSquare(n int) blas64.General {
	x := stream.NewMatrix(n, 2)
	for i := range n {
		u, v := even(i)
		x.Data[2*i], x.Data[2*i+1] = 4*u-2, 4*v-2
	}
	return x
}

// evenMixture returns n pairs that represent the mixture of Example 3.16: normal distributions about (1, −1) and (−1,
// 1) with standard deviation ρ and equal weights.
func evenMixture(n int, rho float64) (x, y blas64.General) {
	x, y = stream.NewMatrix(n, 1), stream.NewMatrix(n, 1)
	for i := range n {
		u, v := even(i / 2)
		mean := 1 - 2*float64(i%2)
		x.Data[i], y.Data[i] = mean+rho*quantile(u), -mean+rho*quantile(v)
	}
	return x, y
}

// quantile returns the quantile of the standard normal distribution, finite for p = 0 and 1.
func quantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(min(max(2*p-1, -1+0x1p-52), 1-0x1p-52))
}

// The double gyre of Example 4.2.
const (
	gyreA, gyreDelta, gyreOmega = 0.25, 0.25, 2 * math.Pi
	gyreTau                     = 10.0
	gyreSteps                   = 4000 // of RK4; half as many change no point of a coarse grid by 1e-7
	gyreColumns                 = 120  // and half the number of rows
)

// velocity returns the vector field at time t.
func velocity(x, y, t float64) (dx, dy float64) {
	s := gyreDelta * math.Sin(gyreOmega*t)
	f := s*x*x + (1-2*s)*x
	return -math.Pi * gyreA * math.Sin(math.Pi*f) * math.Cos(math.Pi*y),
		math.Pi * gyreA * math.Cos(math.Pi*f) * math.Sin(math.Pi*y) * (2*s*x + 1 - 2*s)
}

// gyreFlow moves a point from time 0 to τ in the given number of steps of the classical Runge–Kutta method.
func gyreFlow(x, y float64, steps int) (float64, float64) {
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

// gyrePairs returns the midpoints of boxes that divide [0, 2]×[0, 1], column by column, and their images under the
// flow.
func gyrePairs(columns, rows, steps int) (x, y blas64.General) {
	x, y = stream.NewMatrix(columns*rows, 2), stream.NewMatrix(columns*rows, 2)
	for i := range columns * rows {
		a, b := 2*(float64(i/rows)+0.5)/float64(columns), (float64(i%rows)+0.5)/float64(rows)
		x.Data[2*i], x.Data[2*i+1] = a, b
		y.Data[2*i], y.Data[2*i+1] = gyreFlow(a, b, steps)
	}
	return x, y
}
