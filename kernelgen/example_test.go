package kernelgen_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
)

func Example() {
	rows := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 0, 1, 0, 1, 2}}
	landmarks := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 0, 1, 2}}

	k, err := kernelgen.Parse("0.5*rbf(gamma=1) + 2*linear()")
	if err != nil {
		fmt.Println(err)
		return
	}
	panel := k.Pack(landmarks)
	tile := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: make([]float64, 6)}
	k.Fill(tile, rows, panel, nil)
	for i := range tile.Rows {
		fmt.Printf("%.4f\n", tile.Data[i*tile.Stride:i*tile.Stride+tile.Cols])
	}
	// Output:
	// [0.5000 0.0034]
	// [0.1839 2.0092]
	// [0.0034 10.5000]
}

func ExampleParse() {
	_, err := kernelgen.Parse("rbf(gama=1)")
	fmt.Println(err)
	_, err = kernelgen.Parse("linear() + rbf(sigma=0)")
	fmt.Println(err)
	// Output:
	// kernel "rbf(gama=1)", character 5: rbf has no parameter "gama" (did you mean "gamma"?); usage: rbf(gamma=auto | sigma2 | sigma)
	// kernel "linear() + rbf(sigma=0)", character 22: sigma=0: sigma must be a positive finite number
}

func ExampleKernel_Resolve() {
	sample := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 0, 2, 0, 0, 2}}
	k, _ := kernelgen.Parse("rbf(gamma=median)*poly(degree=2) + csrbf(sigma2=4)")
	fmt.Println(k)
	k, err := k.Resolve(sample)
	fmt.Println(k, err)
	fmt.Println(k.PositiveSemiDefinite())
	// Output:
	// rbf(gamma=median)*poly(degree=2, gamma=auto, coef0=1) + csrbf(sigma2=4, theta=auto, v=auto)
	// rbf(gamma=0.25)*poly(degree=2, gamma=0.5, coef0=1) + csrbf(sigma2=4, theta=6, v=2) <nil>
	// true
}

// A custom kernel is a Go function of one of the bases.
func ExampleNew() {
	wave := kernelgen.Profile{
		Name: "wave",
		Base: kernelgen.SquaredDistance,
		F: func(r2 float64) float64 {
			if r2 == 0 || math.IsInf(r2, 1) {
				return math.Exp(-r2)
			}
			return math.Sin(math.Sqrt(r2)) / math.Sqrt(r2)
		},
	}
	k := kernelgen.Product(kernelgen.New(wave), kernelgen.RBF(0.1))
	fmt.Println(k)

	same, err := kernelgen.Parse("wave() * rbf(gamma=0.1)", wave)
	fmt.Println(same, err)
	// Output:
	// wave()*rbf(gamma=0.1)
	// wave()*rbf(gamma=0.1) <nil>
}

func ExampleParseElementMap() {
	m, err := kernelgen.ParseElementMap("exp(scale=-10)")
	costs := []float64{0, 0.1, 0.5}
	m.Apply(costs, costs)
	fmt.Printf("%v %v %.4f\n", m, err, costs)
	// Output:
	// exp(scale=-10) <nil> [1.0000 0.3679 0.0067]
}
