package ridge_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// Learn a sine from 2,000 rows, and predict its value at 1.
func Example() {
	x, sine := stream.NewMatrix(2000, 1), make([]float64, 2000)
	for i := range x.Rows {
		x.Data[i] = 6 * float64(i) / 2000
		sine[i] = math.Sin(x.Data[i])
	}
	rows, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "sine"}}, stream.Column{Floats: sine})
	if err != nil {
		log.Fatal(err)
	}
	data := &ridge.Data{Rows: rows, Targets: []string{"sine"}}
	fit, err := ridge.Solver{Landmarks: 50}.Fit(context.Background(), stream.Engine{}, data, kernelgen.RBF(1))
	if err != nil {
		log.Fatal(err)
	}
	at := stream.NewMatrix(1, 1)
	at.Data[0] = 1
	value, err := model.TransformMatrix(context.Background(), stream.Engine{}, fit.Model, at, model.Request{Outputs: []model.Output{model.Value}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f, R² above 0.999: %v\n", value.Data[0], fit.R2[0] > 0.999)
	// Output: 0.8415, R² above 0.999: true
}
