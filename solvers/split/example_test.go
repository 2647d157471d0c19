package split_test

import (
	"fmt"
	"log"

	"github.com/nystream/nystream/solvers/split"
)

// Two folds with as many rows of each class.
func ExampleStratifiedKFold() {
	folds, err := split.StratifiedKFold([]int{0, 0, 0, 0, 1, 1}, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range folds {
		fmt.Println("train", f.Train, "test", f.Test)
	}
	// Output:
	// train [0 3 4] test [1 2 5]
	// train [1 2 5] test [0 3 4]
}
