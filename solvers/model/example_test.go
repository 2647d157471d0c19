package model_test

import (
	"fmt"
	"log"

	"github.com/nystream/nystream/solvers/model"
)

// Means are a model with one array.
type Means struct {
	Method string    `json:"method"`
	Names  []string  `json:"names"`
	Values []float64 `json:"-" array:"means,names"`
}

// Write a model as an archive and read it back. The tags describe its arrays.
func ExampleNewArchive() {
	a, err := model.NewArchive(Means{"means", []string{"x", "y"}, []float64{1, 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(a.Header), a.Names())
	var m Means
	fmt.Println(a.Read(&m), m.Values)
	a.Header = []byte(`{"method":"means","names":["x"]}`)
	a.Read(&m)
	fmt.Println(a.Err())
	// Output:
	// {"method":"means","names":["x","y"]} [means]
	// true [1 2]
	// array means is 2 numbers, expected a vector of 1 numbers
}
