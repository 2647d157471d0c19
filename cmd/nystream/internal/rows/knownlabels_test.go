package rows

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/solvers/metrics"
)

// The training fraction applies to each class, samples without a label are in neither part, and each sample is counted
// in its own tally.
func TestKnownLabels(t *testing.T) {
	labels := []int{-1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, 2}
	k, err := NewKnownLabels(labels, []string{"a", "b", "c"}, 0.6, 1)
	if err != nil {
		t.Fatal(err)
	}
	sizes := k.Sizes()
	if sizes[0] != 3 || sizes[1] != 3 || len(k.Train)+len(k.test) != 11 {
		t.Errorf("%v of each class, %v and %v", sizes, k.Train, k.test)
	}
	var train, test metrics.Tally
	of := k.Tallies(&train, &test)
	for i := range labels {
		if tally := of(int64(i)); tally != nil {
			tally.Add([]int{0}, []int{0})
		}
	}
	if int(train.Rows()) != len(k.Train) || int(test.Rows()) != len(k.test) {
		t.Errorf("%d and %d samples counted", train.Rows(), test.Rows())
	}
	notes := strings.Join(k.Notes("rows"), "; ")
	if !strings.Contains(notes, "2 of 13 rows have no label") || (sizes[2] == 0) != strings.Contains(notes, "test samples: c") {
		t.Error(notes)
	}
	if k, err = NewKnownLabels([]int{0, 1}, []string{"a", "b"}, 0, 1); err != nil || k.Train != nil || len(k.TrainLabels()) != 2 {
		t.Errorf("%+v, %v", k, err)
	}
	if _, err = NewKnownLabels([]int{0, -1}, []string{"a", "b"}, 0.5, 1); err == nil {
		t.Error("one sample was divided")
	}
}
