package datasets

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
)

// TestLabelledShapes: the sizes that the paper states, where the data is there.
func TestLabelledShapes(t *testing.T) {
	for _, want := range []struct {
		name                      string
		rows, columns, classes    int
		smallest, largest, others int // rows of a class, classes of the other division
	}{
		{"wine", 178, 13, 3, 48, 71, 0},
		{"cancer", 683, 9, 2, 239, 444, 0},
		{"face", 624, 20, 20, 28, 32, 4},
		{"mnist", 10000, 784, 10, 892, 1135, 0},
	} {
		d, err := LoadLabelled(context.Background(), want.name)
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s is not in %s: skipped (set NYSTREAM_DATA)", want.name, Dir())
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
		if d.Other != nil {
			others = 1 + slices.Max(d.Other)
		}
		if d.X.Rows != want.rows || d.X.Cols != want.columns || d.Classes != want.classes || others != want.others ||
			slices.Min(sizes) != want.smallest || slices.Max(sizes) != want.largest {
			t.Errorf("%d × %d, classes of %v rows, %d other classes; want %v", d.X.Rows, d.X.Cols, sizes, others, want)
		}
	}
}
