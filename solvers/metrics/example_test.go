package metrics_test

import (
	"fmt"
	"log"

	"github.com/nystream/nystream/solvers/metrics"
)

// Two scores of predicted classes, and one of clusters, whose numbers are arbitrary.
func Example() {
	truth, predicted := []int{0, 0, 1, 1}, []int{0, 1, 1, 1}
	accuracy, err := metrics.Accuracy(truth, predicted)
	if err != nil {
		log.Fatal(err)
	}
	f1, err := metrics.MacroF1(truth, predicted)
	if err != nil {
		log.Fatal(err)
	}
	nmi, err := metrics.NMI(truth, []int{7, 7, 3, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.2f, F1 %.3f, mutual information %.0f\n", accuracy, f1, nmi)
	// Output: accuracy 0.75, F1 0.733, mutual information 1
}
