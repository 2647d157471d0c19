package paper3

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

// TestLabelledShapes: the data sets, if present, have the sizes in the paper.
func TestLabelledShapes(t *testing.T) {
	for i, want := range []struct {
		rows, columns, classes    int
		smallest, largest, others int // rows of a class, classes of the other division
	}{
		{178, 13, 3, 48, 71, 0},
		{683, 9, 2, 239, 444, 0},
		{624, 20, 20, 28, 32, 4},
		{10000, 784, 10, 892, 1135, 0},
	} {
		d, other, err := problems[i].read(t.Context())
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s: skipped: %v (set NYSTREAM_DATA)", problems[i].name, err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		sizes := make([]int, d.Classes)
		for _, l := range d.Labels {
			sizes[l]++
		}
		others := 0
		if other != nil {
			others = 1 + slices.Max(other)
		}
		if d.X.Rows != want.rows || d.X.Cols != want.columns || d.Classes != want.classes || others != want.others ||
			slices.Min(sizes) != want.smallest || slices.Max(sizes) != want.largest {
			t.Errorf("%s: %d × %d, classes of %v rows, %d other classes; want %v", problems[i].name, d.X.Rows, d.X.Cols,
				sizes, others, want)
		}
	}
}
