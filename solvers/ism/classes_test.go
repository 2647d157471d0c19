package ism

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// lineRows returns rows of one number in three classes; the last class has no rows.
func lineRows() (x []float64, labels []int) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		c := map[bool]int{true: 1, false: 0}[i%3 == 0]
		x, labels = append(x, 3*float64(c)+random.NormFloat64()), append(labels, c)
	}
	return x, labels
}

// TestLearnClasses compares decisions in one dimension with those from the means and the variance within classes.
func TestLearnClasses(t *testing.T) {
	t.Parallel()
	x, labels := lineRows()
	rows := matrix.New(len(x), 1)
	copy(rows.Data, x)
	m := &Model{W: matrix.New(1, 1)}
	m.W.Data[0] = 1
	if _, err := m.Outputs(model.Left, model.Class); err == nil || !strings.Contains(err.Error(), "`Data.Response`") {
		t.Errorf("a model without classes: %v", err)
	}
	src := stream.FromMatrix("line", rows)
	if err := m.LearnClasses(context.Background(), stream.Engine{BlockRows: 64}, src, labels, 3); err != nil {
		t.Fatal(err)
	}
	var n, sum [2]float64
	for i, v := range x {
		n[labels[i]]++
		sum[labels[i]] += v
	}
	variance := 0.0
	for i, v := range x {
		d := v - sum[labels[i]]/n[labels[i]]
		variance += d * d / float64(len(x)-3)
	}
	got := matrix.New(len(x), 3)
	m.decide(got, rows)
	right := 0
	for i, v := range x {
		var want [2]float64 // up to a constant common to all classes
		for c := range want {
			mean := sum[c] / n[c]
			want[c] = v*mean/variance - mean*mean/(2*variance) + math.Log(n[c]/float64(len(x)))
		}
		if d, w := got.Data[3*i]-got.Data[3*i+1], want[0]-want[1]; math.Abs(d-w) > 1e-9*(1+math.Abs(w)) {
			t.Fatalf("decisions of classes 0 and 1 for row %d differ by %g, not by %g", i, d, w)
		}
		if got.Data[3*i+2] > got.Data[3*i] {
			t.Errorf("row %d may be of the class that no row has", i)
		}
	}
	chosen, err := m.Predict(context.Background(), stream.Engine{}, src)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range chosen {
		if c == labels[i] {
			right++
		}
	}
	if right < 260 { // the best rule has an accuracy of 93 % here
		t.Errorf("%d of 300 classes are right", right)
	}
	if err := m.LearnClasses(context.Background(), stream.Engine{}, src, labels[1:], 3); err == nil {
		t.Error("a row without a class is no error")
	}
}
